"""Changes to a file as text: the parts that differ, or whole lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from toolpair.text.inline_diff import Piece, decoded, pieces

if TYPE_CHECKING:
    from toolpair.source.changes import Change

CONTEXT = 80
"""Characters kept on each side of a difference."""


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


def parts_text(changes: Iterable[Change], noun: str) -> str:
    """The differing parts of each change, with some context."""
    return _text(changes, noun, _parts)


def whole_text(changes: Iterable[Change], noun: str) -> str:
    """Each changed record, in full, before and after."""
    return _text(changes, noun, lambda before, after: [*_lines("-", before), *_lines("+", after)])


def _text(changes: Iterable[Change], noun: str, changed: Callable[[str, str], list[str]]) -> str:
    """The changes with their headings; `changed` are the lines of a record that is there before and after."""
    out: list[str] = []
    for change in changes:
        out.append(where(change, noun))
        if change.before is not None and change.after is not None:
            out += changed(decoded(change.before), decoded(change.after))
        elif change.after is not None:
            out += _lines("+", decoded(change.after))
        elif change.before is not None:
            out += _lines("-", decoded(change.before))
        out.append("")
    return "\n".join(out) if out else "Nothing changes."


def _lines(sign: str, text: str) -> list[str]:
    return [f"{sign} {line}" for line in text.split("\n")]


def _parts(before: str, after: str) -> list[str]:
    if before == after:
        return ["  the same bytes in another place"]
    out: list[str] = []
    for (start, stop), (new_start, new_stop) in _places(pieces(before, after, "characters")):
        out += [f"- {_around(before, start, stop)}", f"+ {_around(after, new_start, new_stop)}"]
    return out


def _places(row: Sequence[Piece]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the texts before and after differ: from where to where in each."""
    start = stop = new_start = new_stop = 0
    for piece in (*row, Piece("same", "")):
        if piece.kind == "old":
            stop += len(piece.text)
        elif piece.kind == "new":
            new_stop += len(piece.text)
        else:
            if (start, new_start) != (stop, new_stop):
                yield (start, stop), (new_start, new_stop)
            start, new_start = stop + len(piece.text), new_stop + len(piece.text)
            stop, new_stop = start, new_start


def _around(text: str, start: int, stop: int) -> str:
    left = max(0, start - CONTEXT)
    right = min(len(text), stop + CONTEXT)
    return f"{'... ' if left else ''}{text[left:right]}{' ...' if right < len(text) else ''}"


def diff_style(line: str) -> str:
    """The style for a line of such a text."""
    return {"-": "error", "+": "good", "@": "title"}.get(line[:1], "")
