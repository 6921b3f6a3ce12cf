"""The lines of a change, one below the other: first what was there, then what is there now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from toolpair.text.file_diffs import Hunk, Mark, Row, Side, rows_of

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
    for tag, sides in (("del", [row.old for row in rows]), ("ins", [row.new for row in rows])):
        for side in filter(None, sides):
            yield _line(tag, side)


def _line(tag: str, side: Side) -> ChangedLine:
    return ChangedLine(tag, side.number, side.marks)  # type: ignore[arg-type]
