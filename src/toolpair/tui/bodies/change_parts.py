"""Changes of a session file as the parts of a diff: what differs with its surroundings, or whole records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from toolpair.source.byte_runs import common_start
from toolpair.text.file_diffs import Hunk, Mark, Row, Side, both_sides, of_strings, rows_of, trimmed
from toolpair.text.inline_diff import Folded as OnlyCounts
from toolpair.text.inline_diff import Hunk as Pieces
from toolpair.text.inline_diff import decoded, folded, hunks
from toolpair.text.json_lines import JsonLines
from toolpair.tui.bodies.diff_body import DiffBody, Folded, Note, Part, Title
from toolpair.tui.numbers import count_text
from toolpair.tui.styled_text import Glyphs

if TYPE_CHECKING:
    from toolpair.source.changes import Change

_LONGEST: Final = 400
"""Characters shown of a record that is added or removed, if it is long."""
_SHORT: Final = 1000
"""Records of up to so many characters are shown whole: most of the room that a cut would save stays empty."""
_WHOLE: Final = 100_000
"""Characters shown of a record where everything is shown."""
_PATHS: Final = 1 << 16
"""In longer records the place of a change is not named."""
_FEW: Final = 2
"""So many records that only count on, or point elsewhere, are shown as they are."""
_KINDS: Final = {"changed": "", "added": "new ", "removed": "removed ", "moved": "moved "}


def diff_of_changes(
    glyphs: Glyphs,
    changes: Callable[[], Sequence[Change]],
    noun: str,
    carets: bool,
    whole: bool = False,
    whole_new: bool = False,
    folds: bool = True,
    first: Callable[[], Iterator[Part]] = lambda: iter(()),
) -> DiffBody:
    """The diff of what fixes change. `changes` is called when it is first laid out. `whole_new`: new records are not
    cut. `folds`: with a cursor. `first`: what is said before the bytes.
    """
    known: list[Sequence[Change]] = []

    def parts() -> Iterator[Part]:
        if not known:
            known.append(changes())
        return chain(first(), change_parts(known[0], noun, whole, whole_new))

    return DiffBody(glyphs, parts, carets=carets, folds=folds)


def change_parts(changes: Iterable[Change], noun: str, whole: bool = False, new: bool = False) -> Iterator[Part]:
    """The changes with their headings. `noun` is what a record is called. `new`: of new ones all is shown."""
    for change in changes if whole else folded(changes):
        if isinstance(change, OnlyCounts) and len(change.changes) <= _FEW:
            yield from _parts_of_each(change.changes, noun)
        elif isinstance(change, OnlyCounts):
            yield Folded(_counted(change, noun), partial(_parts_of_each, change.changes, noun))
        else:
            yield from _parts_of(change, noun, whole or (new and change.before is None))


def _counted(found: OnlyCounts, noun: str) -> str:
    count = len(found.changes)
    key, _, _ = found.first
    if key == "ordinal":
        return f"{count_text(count, noun)} only {'counts' if count == 1 else 'count'} on: {found.text}"
    verb = "points" if count == 1 else "point"
    return f"{count_text(count, noun)} only {verb} to another parent: {found.text}"


def _parts_of_each(changes: Sequence[Change], noun: str) -> Iterator[Part]:
    for change in changes:
        yield from _parts_of(change, noun, False)


def _parts_of(change: Change, noun: str, whole: bool) -> Iterator[Part]:
    before = decoded(change.before) if change.before is not None else None
    after = decoded(change.after) if change.after is not None else None
    yield Title(_title(change, noun))
    if before is not None and after is not None and change.count < 2:
        if before == after:
            yield Note("the same bytes in another place")
        else:
            yield from _changed(change, before, after, whole)
        return
    if before is not None:
        yield from _all_of("-", before, change.line, whole)
    if change.count > 1:
        yield Note(f"and {change.count - 1:,} more like it")
    if after is not None and not (change.kind == "moved" and after == before):
        yield from _all_of("+", after, None, whole)


def _title(change: Change, noun: str) -> str:
    if change.count > 1 and change.line is not None:
        return f"{change.count:,} lines from line {change.line:,} on, {change.kind}"
    if change.line is None:
        place = f"new {noun}"
    elif noun == "line" or change.record is None:
        place = f"line {change.line:,}"
    else:
        place = f"{noun} {change.record:,}, line {change.line:,}"
    words = (
        "" if change.line is None and change.kind == "added" else f", {change.kind}" if change.kind != "changed" else ""
    )
    sizes = [len(data) for data in (change.before, change.after) if data is not None]
    if len(sizes) == 2:
        before, after = sizes
        said = f"{before:,} bytes before and after" if before == after else f"{before:,} bytes become {after:,}"
    else:
        said = f"{sizes[0]:,} bytes" if sizes else ""
    return f"{place}{words} · {said}" if said else f"{place}{words}"


def _changed(change: Change, before: str, after: str, whole: bool) -> Iterator[Part]:
    assert change.before is not None and change.after is not None
    if "\n" in before or "\n" in after:
        for hunk in of_strings(before, after):
            hunk = Hunk(hunk.lines, change.line, change.line)
            for part in (hunk,) if whole else trimmed(hunk):
                yield from rows_of(part)
        return
    place = _place(before, after)
    if place and not whole:
        yield Note(place, "quiet")
    for found in hunks(change.before, change.after, None if whole else 60):
        old, new = both_sides(_counting(found))
        yield Row(Side(None, _cut(old, whole)), Side(None, _cut(new, whole)))


def _counting(hunk: Pieces) -> Pieces:
    """The hunk with how much is left out at its ends."""
    return tuple(
        piece
        if piece.kind != "left out" or not piece.size
        else type(piece)("left out", f" …{piece.size:,} " if n else f"…{piece.size:,} ")
        for n, piece in enumerate(hunk)
    )


def _cut(marks: tuple[Mark, ...], whole: bool) -> tuple[Mark, ...]:
    if not whole or sum(len(text) for text, _ in marks) <= _WHOLE:
        return marks
    out: list[Mark] = []
    room = _WHOLE
    for text, kind in marks:
        out.append((text[: max(200, room)], kind))
        if len(text) > max(200, room):
            out.append((f" …{len(text) - max(200, room):,} ", "left out"))
        room = max(0, room - len(text))
    return tuple(out)


def _all_of(sign: str, text: str, line: int | None, whole: bool) -> Iterator[Part]:
    most = _WHOLE if whole else _SHORT if len(text) <= _SHORT else _LONGEST
    shown: list[Mark] = []
    for number, words in enumerate(text[:most].split("\n")):
        shown = [(words, "same")]
        if number < text[:most].count("\n"):
            yield _row(sign, tuple(shown))
    if len(text) > most:
        shown.append((f" …{len(text) - most:,}", "left out"))
    yield _row(sign, tuple(shown))


def _row(sign: str, marks: tuple[Mark, ...]) -> Row:
    side = Side(None, marks)
    return Row(side, None) if sign == "-" else Row(None, side)


def _place(before: str, after: str) -> str:
    """Where in the record the change is, if it is inside one value: `message.content[0].tool_use_id`."""
    if len(before) > _PATHS:
        return ""
    start = common_start(before, after)
    end = len(before) - min(common_start(before[::-1], after[::-1]), min(len(before), len(after)) - start)
    lines = JsonLines(before)
    while lines.more(1000):
        pass
    if lines.broken or not len(lines):
        return ""
    n = lines.line_at(start)
    steps: list[str] = []
    if lines.opens(n) or lines.is_nested(n):
        return ""
    value = lines.value_span(n)
    if not value[0] <= start <= end <= value[1]:
        return ""
    while n >= 0:
        while lines.kind(n) == "more":
            n -= 1
        key = lines.key(n)
        if key:
            steps.append(f"[{key}]" if not lines.raw_key(n) else f".{key}")
        n = lines.parent(n)
    return "".join(reversed(steps)).removeprefix(".")
