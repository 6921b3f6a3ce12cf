"""What a form of the report can write, and what all forms say."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final, Protocol
from urllib.parse import quote

from msgspec import Struct

from toolpair.reports.page.parts import Cut, Front, Link, Part
from toolpair.transcript.counting import plural

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


class Writer(Protocol):
    """Writes parts down. All text that it is given is untrusted; what it returns is safe."""

    def target(self, link: Link, page: int) -> str:
        """Where a link leads, from a page."""

    def head(self, about: PageHead) -> Iterator[str]: ...

    def front(self, part: Front, page: int) -> str:
        """A part before the conversations."""

    def part(self, part: Part, page: int) -> str: ...

    def foot(self, about: PageHead) -> Iterator[str]: ...


class LinkedPages:
    """Where the pages of a report are, by the name of the first; None for a single page."""

    def __init__(self, first: PurePath | None) -> None:
        self._first = first

    def address(self, page: int) -> str:
        """A page, in the same folder. A name with a colon would be read as a scheme."""
        return "./" + quote(os.fsencode(page_name(self._first, page))) if self._first is not None else ""

    def target(self, link: Link, page: int) -> str:
        """Where a link leads from a page: to an anchor of it, or of another page."""
        return f"{self.address(link.page) if link.page != page else ''}#{link.anchor}"


def page_name(first: PurePath, page: int) -> str:
    """The name of a page, by that of the first: `report.html`, `report-2.html`."""
    return first.name if page == 1 else f"{first.stem}-{page}{first.suffix}"


def cut_text(cut: Cut) -> str:
    """How much is not shown."""
    lines = f", {plural(cut.lines, 'line')}," if cut.lines else ""
    return f"… {plural(cut.characters, 'more character')}{lines} not shown; --full shows all."


def neighbours(about: PageHead) -> Sequence[tuple[str, int]]:
    """The pages that can be gone to from here: words and number."""
    around = {1, about.pages, about.page - 1, about.page + 1}
    shown = range(1, about.pages + 1) if about.pages <= 40 else sorted(n for n in around if 1 <= n <= about.pages)
    return [(f"Page {number:,}: {about.ranges[number - 1]}", number) for number in shown]
