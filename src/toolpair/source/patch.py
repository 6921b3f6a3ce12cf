"""The change to a file as a unified diff of whole lines, which `patch` can apply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from toolpair.source.byte_runs import OriginalRun, Piece, merged
from toolpair.source.file_bytes import Content
from toolpair.transcript.ordering import longest_ascending

CONTEXT: Final = 3
"""Number of context lines around each change."""
_NO_END: Final = b"\n\\ No newline at end of file\n"


class _Edit(Struct, frozen=True):
    """The bytes from `start` to `end` are replaced by these."""

    start: int
    end: int
    new: bytes


def unified(pieces: Iterable[Piece], content: Content, name: str) -> Iterator[bytes]:
    """The diff, in chunks; empty when nothing changes. `name` is the file's name in it."""
    row = list(merged(pieces))
    if _is_same(row, content):
        return
    first = True
    line = place = 0
    """Number of line ends before `place`."""
    shift = 0
    """How many lines the following text has moved by."""
    for edits in _together(content, _of_lines(content, _edits(row, content))):
        if first:
            shown = _header(name)
            yield b"--- " + shown + b"\n+++ " + shown + b"\n"
            first = False
        start = _back(content, edits[0].start)
        end = _forth(content, edits[-1].end)
        line += content.count(b"\n", place, start)
        place = start
        old, new, body = 0, 0, []
        at = start
        for edit in edits:
            same = _lines(content[at : edit.start])
            gone, come = _lines(content[edit.start : edit.end]), _lines(edit.new)
            body += [b" " + one for one in same] + [b"-" + one for one in gone] + [b"+" + one for one in come]
            old, new = old + len(same) + len(gone), new + len(same) + len(come)
            at = edit.end
        same = _lines(content[at:end])
        body += [b" " + one for one in same]
        old, new = old + len(same), new + len(same)
        yield f"@@ -{_range(line, old)} +{_range(line + shift, new)} @@\n".encode()
        for one in body:
            yield one if one.endswith(b"\n") else one + _NO_END
        shift += new - old


def _is_same(row: Sequence[Piece], content: Content) -> bool:
    """Whether the pieces equal the content, even if equal bytes come from other places."""
    at = 0
    for piece in row:
        size = piece.end - piece.start if isinstance(piece, OriginalRun) else len(piece)
        if not (isinstance(piece, OriginalRun) and piece.start == at):
            new = content[piece.start : piece.end] if isinstance(piece, OriginalRun) else piece
            if content[at : at + size] != new:
                return False
        at += size
    return at == len(content)


def _edits(row: Sequence[Piece], content: Content) -> Iterator[_Edit]:
    """Which bytes are replaced by what, in order. Moved bytes count as new where they are now."""
    stays = longest_ascending(list(dict.fromkeys(piece.start for piece in row if isinstance(piece, OriginalRun))))
    at, new = 0, b""
    for piece in row:
        if isinstance(piece, OriginalRun) and piece.start in stays and piece.start >= at:
            if new or piece.start > at:
                yield _Edit(at, piece.start, new)
            at, new = piece.end, b""
        else:
            new += content[piece.start : piece.end] if isinstance(piece, OriginalRun) else piece
    if new or at < len(content):
        yield _Edit(at, len(content), new)


def _of_lines(content: Content, edits: Iterable[_Edit]) -> Iterator[_Edit]:
    """The edits extended to whole lines; those that share a line are merged."""
    waiting: _Edit | None = None
    for edit in edits:
        start, end = _line_start(content, edit.start), _line_end(content, edit.end)
        if waiting is not None and start < waiting.end:
            new = waiting.new[: len(waiting.new) - (waiting.end - edit.start)]
            waiting = _Edit(waiting.start, end, new + edit.new + content[edit.end : end])
            continue
        if waiting is not None:
            yield from _trimmed(content, waiting)
        waiting = _Edit(start, end, content[start : edit.start] + edit.new + content[edit.end : end])
    if waiting is not None:
        yield from _trimmed(content, waiting)


def _trimmed(content: Content, edit: _Edit) -> Iterator[_Edit]:
    """The edit without unchanged lines at both ends; nothing when all of them are unchanged."""
    old, new = _lines(content[edit.start : edit.end]), _lines(edit.new)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head == len(old) == len(new):
        return
    start = edit.start + sum(map(len, old[:head]))
    end = edit.end - sum(map(len, old[len(old) - tail :]))
    yield _Edit(start, end, b"".join(new[head : len(new) - tail]))


def _together(content: Content, edits: Iterable[_Edit]) -> Iterator[Sequence[_Edit]]:
    """Groups of edits whose context lines would meet: one hunk each."""
    row: list[_Edit] = []
    for edit in edits:
        if row and _back(content, edit.start) > _forth(content, row[-1].end):
            yield row
            row = []
        row.append(edit)
    if row:
        yield row


def _back(content: Content, at: int) -> int:
    """Where the context lines before this line begin."""
    for _ in range(CONTEXT):
        at = _line_start(content, at - 1) if at else 0
    return at


def _forth(content: Content, at: int) -> int:
    for _ in range(CONTEXT):
        at = _line_end(content, at)
    return at


def _line_start(content: Content, at: int) -> int:
    """Where the line that holds this byte begins."""
    return content.rfind(b"\n", 0, max(at, 0)) + 1


def _line_end(content: Content, at: int) -> int:
    """Where the line that holds this byte ends, including its line feed."""
    return content.find(b"\n", at) + 1 or len(content)


def _lines(data: bytes) -> list[bytes]:
    """The lines with their ends; only a line feed ends one."""
    found = [line + b"\n" for line in data.split(b"\n")]
    return [*found[:-1], last] if (last := found[-1][:-1]) else found[:-1]


def _range(before: int, count: int) -> str:
    """A range as unified diffs write it: an empty one has the number of the line before."""
    first = before + 1 if count else before
    return str(first) if count == 1 else f"{first},{count}"


def _header(name: str) -> bytes:
    """A file name as diffs write it: quoted if it would end the line, followed by a tab if it has spaces."""
    raw = name.encode("utf-8", "surrogateescape")
    if any(byte < 0x20 or byte in b'"\\\x7f' for byte in raw):
        return b'"' + b"".join(b"\\%03o" % b if b < 0x20 or b in b'"\\\x7f' else bytes((b,)) for b in raw) + b'"'
    return raw + (b"\t" if b" " in raw else b"")
