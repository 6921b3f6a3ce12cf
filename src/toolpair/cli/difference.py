"""What staged fixes change, as text: the lines with only the bytes that differ, or whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolpair.cli.terminal import Style, safe
from toolpair.session import Change, Session

_AROUND: Final = 60
_LONGEST: Final = 400


def difference(session: Session, name: str, style: Style, whole: bool) -> Iterator[str]:
    """The lines of a diff of the file against what would be saved; without `whole` long equal parts are left out."""
    yield style.bold(f"--- {safe(name)}")
    yield style.bold(f"+++ {safe(name)} (after the fixes)")
    for change in session.changes():
        yield from _change(change, style, whole)


def _change(change: Change, style: Style, whole: bool) -> Iterator[str]:
    where = f"line {change.line:,}" if change.line is not None else "new"
    if change.count > 1:
        where = f"{change.count:,} lines from {where} on"
    if change.record is not None:
        where += f", record {change.record}"
    yield style.dim(f"@@ {where}: {change.kind} @@")
    before, after = change.before, change.after
    if before is not None and after is not None and not whole:
        before, after = _trim(before, after)
    if before is not None:
        yield from _lines("-", before, style.red, whole)
    if change.count > 1:
        yield style.dim("… and so on")
    if after is not None and not (change.kind == "moved" and after == before):
        yield from _lines("+", after, style.green, whole)


def _lines(mark: str, data: bytes, colour: object, whole: bool) -> Iterator[str]:
    for line in data.decode("utf-8", "backslashreplace").strip("\r\n").split("\n"):
        text = (
            line if whole or len(line) <= _LONGEST else f"{line[:_LONGEST]}… {len(line) - _LONGEST:,} more characters"
        )
        shown = f"{mark}{safe(text)}"
        yield colour(shown) if callable(colour) else shown


def _trim(before: bytes, after: bytes) -> tuple[bytes, bytes]:
    """Both without the long parts that they have in common at their ends."""
    limit = min(len(before), len(after))
    start = _common(before, after, limit)
    end = _common(before[::-1], after[::-1], limit - start)
    first = _between_characters(before, max(0, start - _AROUND), -1)
    last = len(before) - _between_characters(before, len(before) - max(0, end - _AROUND), 1)
    head = "…".encode() if first else b""
    tail = "…".encode() if last else b""
    return (
        head + before[first : len(before) - last] + tail,
        head + after[first : len(after) - last] + tail,
    )


def _between_characters(data: bytes, at: int, step: int) -> int:
    """The place at or near `at` that parts no character."""
    for moved in range(at, at + 4 * step, step):
        if not 0 < moved < len(data) or data[moved] & 0xC0 != 0x80:
            return moved
    return at


def _common(one: bytes, two: bytes, limit: int) -> int:
    """How many bytes at the start are the same."""
    low, high = 0, limit
    while low < high:  # comparing slices is far faster than comparing bytes one by one
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
