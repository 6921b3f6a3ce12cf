"""What a form of the report can write, and what all forms say."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Final, Literal
from urllib.parse import quote

from msgspec import Struct

from toolpair.reports.page.parts import Front, Link, Part
from toolpair.reports.reading.row_words import id_words
from toolpair.text.differ import differ
from toolpair.text.file_diffs import Hunk, Mark, Row, rows_of
from toolpair.text.safe import SafeText, visible

_MARKED: Final = 60
"""In a hunk with more changed lines, no words are marked: looking for what became what takes long."""


class ChangedLine(Struct, frozen=True):
    """A line that is removed, added, or the same."""

    tag: Literal["del", "ins", "span"]
    number: int | None
    marks: tuple[Mark, ...]


def changed_lines(hunks: Sequence[Hunk]) -> Iterator[ChangedLine]:
    for place, hunk in enumerate(hunks):
        if place:
            yield ChangedLine("span", None, (("⋮", "left out"),))
        if sum(sign != " " for sign, _ in hunk.lines) > _MARKED:
            yield from _unmarked(hunk)
        else:
            yield from _one_below_the_other(rows_of(hunk))


def _unmarked(hunk: Hunk) -> Iterator[ChangedLine]:
    old, new = hunk.old_start, hunk.new_start
    for sign, line in hunk.lines:
        number = old if sign == "-" else new
        yield ChangedLine({"-": "del", "+": "ins"}.get(sign, "span"), number, ((line, "same"),))  # type: ignore[arg-type]
        old = old + 1 if old is not None and sign != "+" else old
        new = new + 1 if new is not None and sign != "-" else new


def _one_below_the_other(rows: Iterable[Row]) -> Iterator[ChangedLine]:
    changed: list[Row] = []
    for row in rows:
        if not row.same:
            changed.append(row)
            continue
        yield from _both(changed)
        changed = []
        if row.new is not None:
            yield ChangedLine("span", row.new.number, row.new.marks)
    yield from _both(changed)


def _both(rows: Sequence[Row]) -> Iterator[ChangedLine]:
    yield from (ChangedLine("del", row.old.number, row.old.marks) for row in rows if row.old is not None)
    yield from (ChangedLine("ins", row.new.number, row.new.marks) for row in rows if row.new is not None)


COMMENT: Final = (
    "This file contains the content of a session: messages, commands, outputs. Read it before you share it."
)
REDACTED: Final = "This file shows a session with its texts replaced. Read it before you share it."
"""Beginnings of the files, as comments; by these a report is known again."""
_NOTICE: Final = (
    "This report contains the session's content: what was said, commands, outputs, parts of files. "
    "Read it before you share it."
)
_REDACTED_NOTICE: Final = (
    "Redacted: texts, names, paths, ids, times and long numbers are replaced by others of the same kind and length. "
    "Read it before you share it."
)
EMPTY: Final = "(empty)"
NO_ARGUMENTS: Final = "(no arguments)"
TODO_SIGNS: Final = {"done": "[x]", "doing": "[>]", "to do": "[ ]"}
LINE_SIGNS: Final = {"del": "-", "ins": "+", "span": " "}
"""What stands before a line of a change, by the element that it is in a page."""


class PageHead(Struct, frozen=True):
    """What a page says of itself. Numbers count from 1."""

    title: str
    version: str
    page: int
    names: tuple[str, ...]
    """The files of all pages."""
    ranges: tuple[str, ...]
    """What each page holds, in a few words."""
    jumps: tuple[Link, ...]
    """Where the first page leads."""
    images: bool = False
    redacted: bool = False

    @property
    def comment(self) -> str:
        """What the file begins with."""
        return REDACTED if self.redacted else COMMENT

    @property
    def notice(self) -> str:
        """What the page says about sharing it."""
        return _REDACTED_NOTICE if self.redacted else _NOTICE

    @property
    def pages(self) -> int:
        return len(self.names)


class Writer(ABC):
    """Writes parts down. All text that it is given is untrusted; what it returns is safe.

    `first` is the name of the first page, by which the others are found; None for a single page.
    """

    def __init__(self, first: PurePath | None) -> None:
        self._first = first

    def address(self, page: int) -> str:
        """A page, in the same folder. A name with a colon would be read as a scheme."""
        return "./" + quote(os.fsencode(page_name(self._first, page))) if self._first is not None else ""

    def target(self, link: Link, page: int) -> str:
        """Where a link leads from a page: to an anchor of it, or of another page."""
        return f"{self.address(link.page) if link.page != page else ''}#{link.anchor}"

    @abstractmethod
    def head(self, about: PageHead) -> Iterator[str]: ...

    @abstractmethod
    def front(self, part: Front, page: int) -> str:
        """A part before the conversations."""

    @abstractmethod
    def part(self, part: Part, page: int) -> str: ...

    @abstractmethod
    def foot(self, about: PageHead) -> Iterator[str]: ...


def page_name(first: PurePath, page: int) -> str:
    """The name of a page, by that of the first: `report.html`, `report-2.html`."""
    return first.name if page == 1 else f"{first.stem}-{page}{first.suffix}"


def neighbours(about: PageHead) -> Sequence[tuple[str, int]]:
    """The pages that can be gone to from here: words and number."""
    around = {1, about.pages, about.page - 1, about.page + 1}
    shown = range(1, about.pages + 1) if about.pages <= 40 else sorted(n for n in around if 1 <= n <= about.pages)
    return [(f"Page {number:,}: {about.ranges[number - 1]}", number) for number in shown]


_NAMED: Final = 4
"""Differing characters that are named one by one."""
Pieces = tuple[tuple[str, bool], ...]
"""Parts of an id, and whether they differ from the other one."""


def id_text(value: object) -> SafeText:
    """An id as shown; any JSON value may be in its place."""
    return visible(id_words(value))


def compared(left: object, right: object) -> tuple[Pieces, Pieces]:
    one, two = id_text(left), id_text(right)
    difference = differ(one, two)
    return _pieces(one, difference.left), _pieces(two, difference.right)


def _pieces(text: str, places: frozenset[int]) -> Pieces:
    return tuple(
        ("".join(text[index] for index in indexes), marked)
        for marked, indexes in groupby(range(len(text)), places.__contains__)
    )


def difference_text(left: object, right: object) -> str:
    """In what a call's id and its result's differ, one sentence."""
    one, two = id_text(left), id_text(right)
    difference = differ(one, two)
    if difference.none:
        return "The two ids look the same here, but are different values."
    places = sorted(difference.left)
    if len(one) == len(two) and difference.left == difference.right and len(places) <= _NAMED:
        named = [
            f"character {place + 1} is {one[place]} in the call and {two[place]} in the result" for place in places
        ]
        return f"The ids differ: {'; '.join(named)}."
    if not difference.left or not difference.right:
        longer, count = ("call", len(difference.left)) if difference.left else ("result", len(difference.right))
        return f"The {longer}'s id has {count:,} more character{'s' if count > 1 else ''}, marked here."
    return (
        f"The ids differ: {len(difference.left):,} of {len(one):,} characters in the call, "
        f"{len(difference.right):,} of {len(two):,} in the result."
    )
