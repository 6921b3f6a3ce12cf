"""Changes to a file as text: the parts that differ, or whole lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.source.changes import Change

CONTEXT = 80
"""Context bytes on each side of a difference."""
SMALL = 6000
"""Up to this length, differences within a record are shown one by one."""


def decode(data: bytes) -> str:
    """Bytes as text; what is not UTF-8 as `\\xff`."""
    return data.decode("utf-8", "backslashreplace").rstrip("\r\n")


def where(change: Change, noun: str) -> str:
    """The heading of a change. `noun` is what a new record is called."""
    if change.count > 1 and change.line is not None:
        return f"@ {change.count:,} lines from line {change.line:,} on are {change.kind}; the first of them:"
    place = f"line {change.line:,}" if change.line is not None else f"a new {noun}"
    sizes = ""
    if change.before is not None and change.after is not None:
        sizes = f", {len(change.before):,} bytes become {len(change.after):,}"
    elif change.after is not None:
        sizes = f", {len(change.after):,} bytes"
    elif change.before is not None:
        sizes = f", {len(change.before):,} bytes"
    return f"@ {place} is {change.kind}{sizes}"


def _edges(a: str, b: str) -> tuple[int, int]:
    """The lengths of the common prefix and suffix."""
    limit = min(len(a), len(b))
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    start = low
    low, high = 0, limit - start
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle :] == b[len(b) - middle :]:
            low = middle
        else:
            high = middle - 1
    return start, low


def _hunks(a: str, b: str) -> list[tuple[int, int, int, int]]:
    """The ranges of `a` and `b` that differ; ranges close together are merged."""
    start, end = _edges(a, b)
    stop_a, stop_b = len(a) - end, len(b) - end
    if max(stop_a, stop_b) - start > SMALL:
        return [(start, stop_a, start, stop_b)]
    matcher = SequenceMatcher(None, a[start:stop_a], b[start:stop_b], autojunk=False)
    hunks: list[tuple[int, int, int, int]] = []
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            continue
        if hunks and i + start - hunks[-1][1] <= CONTEXT // 2:
            hunks[-1] = (hunks[-1][0], j + start, hunks[-1][2], m + start)
        else:
            hunks.append((i + start, j + start, k + start, m + start))
    return hunks


def _around(text: str, start: int, stop: int) -> str:
    left = max(0, start - CONTEXT)
    right = min(len(text), stop + CONTEXT)
    return f"{'... ' if left else ''}{text[left:right]}{' ...' if right < len(text) else ''}"


def parts_text(changes: Iterable[Change], noun: str) -> str:
    """The differing parts of each change, with some context."""
    out: list[str] = []
    for change in changes:
        out.append(where(change, noun))
        if change.before is not None and change.after is not None:
            before, after = decode(change.before), decode(change.after)
            if before == after:
                out.append("  the same bytes in another place")
            else:
                for i, j, k, m in _hunks(before, after):
                    out += [f"- {_around(before, i, j)}", f"+ {_around(after, k, m)}"]
        elif change.after is not None:
            out += [f"+ {line}" for line in decode(change.after).split("\n")]
        elif change.before is not None:
            out += [f"- {line}" for line in decode(change.before).split("\n")]
        out.append("")
    return "\n".join(out) if out else "Nothing changes."


def whole_text(changes: Sequence[Change], noun: str) -> str:
    """Each changed record, in full, before and after."""
    out: list[str] = []
    for change in changes:
        out.append(where(change, noun))
        if change.before is not None:
            out += [f"- {line}" for line in decode(change.before).split("\n")]
        if change.after is not None:
            out += [f"+ {line}" for line in decode(change.after).split("\n")]
        out.append("")
    return "\n".join(out) if out else "Nothing changes."


def diff_style(line: str) -> str:
    """The style for a line of such a text."""
    return {"-": "error", "+": "good", "@": "title"}.get(line[:1], "")
