"""A word-by-word diff within a record: the hunks that changed, with a little of the line around them.

Plain data: callers choose how to show it, after passing the text through `safe`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from toolpair.source.changes import Change

AROUND: Final = 60
"""Context characters on each side of a change; changes closer together than twice that share a hunk."""
LONGEST: Final = 240
"""Of longer removed or added text in one place, only the beginning and the end are shown."""
_LITTLE: Final = 3
"""This few equal characters between two changes are noise."""
_WORDS: Final = 1500
_PARTS: Final = 2000
"""With more words or JSON tokens, only the common prefix and suffix are found: comparing takes quadratic time."""
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_PART: Final = re.compile(r'[^,{}\[\]"]*[,{}\[\]"]?')
_COUNTS: Final = re.compile(rb'"(ordinal|parentUuid|logicalParentUuid)"[ \t]*:[ \t]*("(?:[^"\\\r\n]|\\.)*"|-?\d+|null)')
"""Keys that hold a record's position among the others."""

Kind = Literal["same", "old", "new", "left out"]


class Piece(Struct, frozen=True):
    """Text that is in both versions, only before, or only after; or the amount of text not shown."""

    kind: Kind
    text: str


Hunk = tuple[Piece, ...]


class Folded(Struct, frozen=True):
    """Consecutive records that changed only their position among the others.

    `first` and `last`: key, value before, value after.
    """

    changes: tuple[Change, ...]
    first: tuple[str, str, str]
    last: tuple[str, str, str]

    @property
    def text(self) -> str:
        """A one-line summary. Untrusted."""
        said = _counted(self.first)
        if self.last[0] == self.first[0] == "ordinal" and self.last != self.first:
            said += f" … {self.last[1]} → {self.last[2]}"
        return said


def folded(changes: Iterable[Change]) -> Iterator[Change | Folded]:
    """The changes in order, with runs of mere renumbering folded into one."""
    waiting: list[tuple[Change, tuple[str, str, str]]] = []
    for change in changes:
        counts = _only_counts(change)
        if waiting and (counts is None or counts[0] != waiting[0][1][0]):
            yield _folded(waiting)
            waiting = []
        if counts is None:
            yield change
        else:
            waiting.append((change, counts))
    if waiting:
        yield _folded(waiting)


def _folded(waiting: Sequence[tuple[Change, tuple[str, str, str]]]) -> Folded:
    return Folded(tuple(change for change, _ in waiting), waiting[0][1], waiting[-1][1])


def _counted(counts: tuple[str, str, str]) -> str:
    key, before, after = counts
    return f"{key} {_short(before)} → {_short(after)}"


def _short(value: str) -> str:
    return value if len(value) <= 14 else f"{value[:9]}…"


def _only_counts(change: Change) -> tuple[str, str, str] | None:
    """The first position key that changed, with its old and new value; None when anything else differs."""
    if change.kind != "changed" or change.before is None or change.after is None:
        return None
    if _COUNTS.sub(rb'"\1"', change.before) != _COUNTS.sub(rb'"\1"', change.after):
        return None
    for then, now in zip(_COUNTS.finditer(change.before), _COUNTS.finditer(change.after), strict=True):
        if then[2] != now[2]:
            key, before, after = (part.decode("utf-8", "backslashreplace") for part in (then[1], then[2], now[2]))
            return key, before.strip('"'), after.strip('"')
    return None


def decoded(data: bytes) -> str:
    """A record as text, without its line end; invalid UTF-8 as `\xff`."""
    return data.decode("utf-8", "backslashreplace").rstrip("\r\n")


def hunks(before: bytes, after: bytes, around: int | None = AROUND) -> list[Hunk]:
    """The differences as a list of hunks. With `around` None, one hunk of the whole record."""
    pieces = _pieces(decoded(before), decoded(after))
    if around is None:
        return [tuple(pieces)]
    return list(_cut(pieces, around))


def _pieces(before: str, after: str) -> list[Piece]:
    """Both texts merged into one sequence: what is the same, and at each change the old and the new text."""
    start = _common(before, after)
    rest = min(len(before), len(after)) - start
    end = min(_common_end(before, after), rest)
    found: list[Piece] = [Piece("same", before[:start])]
    found += _compared(before[start : len(before) - end], after[start : len(after) - end])
    found.append(Piece("same", before[len(before) - end :]))
    return _joined(found)


def _compared(before: str, after: str) -> list[Piece]:
    """First compare JSON tokens, most of which are equal, and then the differing ones by words."""
    parts = (_PART.findall(before), _PART.findall(after))
    if len(parts[0]) == len(parts[1]):
        matched = _in_step(*parts)
    elif max(map(len, parts)) > _PARTS:
        return _replaced(before, after)
    else:
        matched = _matched(*parts)
    found: list[Piece] = []
    for same, old, new in matched:
        if same:
            found.append(Piece("same", old))
            continue
        words = (_WORD.findall(old), _WORD.findall(new))
        if max(map(len, words)) > _WORDS or not old or not new:
            found += _replaced(old, new)
            continue
        for equal, then, now in _matched(*words):
            found += [Piece("same", then)] if equal else _replaced(then, now)
    return found


def _in_step(before: list[str], after: list[str]) -> Iterator[tuple[bool, str, str]]:
    """As `_matched`, for texts where values were replaced and nothing moved: linear, however long they are."""
    for same, pairs in groupby(zip(before, after, strict=True), lambda pair: pair[0] == pair[1]):
        old, new = zip(*pairs, strict=True)
        yield same, "".join(old), "".join(new)


def _matched(before: list[str], after: list[str]) -> Iterator[tuple[bool, str, str]]:
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield tag == "equal", "".join(before[i:j]), "".join(after[k:m])


def _replaced(old: str, new: str) -> list[Piece]:
    return [Piece("old", old), Piece("new", new)]


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Adjacent changes merged, together with short equal text between them that matches by chance."""
    found: list[Piece] = []
    old = new = same = ""
    for piece in pieces:
        if piece.kind == "same":
            same += piece.text
        elif piece.text:
            if same and (old or new) and len(same) <= _LITTLE:
                old, new = old + same, new + same
            elif same:
                found += [*_replaced(old, new), Piece("same", same)]
                old = new = ""
            same = ""
            old, new = (old + piece.text, new) if piece.kind == "old" else (old, new + piece.text)
    return [made for made in (*found, *_replaced(old, new), Piece("same", same)) if made.text]


def _cut(pieces: list[Piece], around: int) -> Iterator[Hunk]:
    """The changes with some context; a long distance between two changes separates two hunks."""
    row: list[Piece] = []
    for number, piece in enumerate(pieces):
        if piece.kind != "same":
            row += _shortened(piece)
            continue
        text, size = piece.text, len(piece.text)
        first, last = not number, number == len(pieces) - 1
        if size <= (around if first or last else 2 * around):
            row.append(piece)
            continue
        if not first:
            yield (*row, Piece("same", text[:around]), Piece("left out", "…"))
        row = [] if last else [Piece("left out", "…"), Piece("same", text[size - around :])]
    if any(piece.kind in ("old", "new") for piece in row):
        yield tuple(row)


def _shortened(piece: Piece) -> list[Piece]:
    size = len(piece.text)
    if size <= LONGEST:
        return [piece]
    head, tail = LONGEST * 2 // 3, LONGEST // 4
    return [
        Piece(piece.kind, piece.text[:head]),
        Piece("left out", f"… {size - head - tail:,} more characters …"),
        Piece(piece.kind, piece.text[size - tail :]),
    ]


def _common(one: str, two: str) -> int:
    """The length of the common prefix; comparing slices is far faster than comparing characters."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return _between_words(one, two, low)


def _between_words(one: str, two: str, at: int) -> int:
    """The nearest position at or before `at` that does not split a word of either text."""
    while at and _is_word(one[at - 1]) and any(at < len(text) and _is_word(text[at]) for text in (one, two)):
        at -= 1
    return at


def _is_word(char: str) -> bool:
    return re.match(r"\w", char) is not None


def _common_end(one: str, two: str) -> int:
    return _common(one[::-1], two[::-1])
