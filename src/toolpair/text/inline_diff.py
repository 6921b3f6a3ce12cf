"""What differs inside a record, word by word or character by character, and the stretches around what changed.

Plain data: callers choose how to show it, after passing the text through `safe`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from toolpair.source.byte_runs import common_start

if TYPE_CHECKING:
    from toolpair.source.changes import Change

AROUND: Final = 60
"""Context characters on each side of a change; changes closer together than twice that share a hunk."""
LONGEST: Final = 240
"""Of longer removed or added text in one place, only the beginning and the end are shown."""
_LITTLE: Final = 3
"""So few equal characters between two changes of words are noise."""
_NEAR: Final = 40
"""Changes of characters that so few equal ones part are one."""
_WORDS: Final = 1500
_PARTS: Final = 2000
_CHARACTERS: Final = 6000
"""Of more words, parts of JSON or characters only what is equal at both ends is looked for: comparing takes the square
of the time."""
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_PART: Final = re.compile(r'[^,{}\[\]"]*[,{}\[\]"]?')
_COUNTS: Final = re.compile(rb'"(ordinal|parentUuid|logicalParentUuid)"[ \t]*:[ \t]*("(?:[^"\\\r\n]|\\.)*"|-?\d+|null)')
"""Keys that hold a record's position among the others."""

Kind = Literal["same", "old", "new", "left out"]
Unit = Literal["words", "characters"]


class Piece(Struct, frozen=True):
    """Text that is in both versions, only before, or only after; or the amount of text not shown."""

    kind: Kind
    text: str
    size: int = 0
    """How many characters are not shown."""


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
    row = pieces(decoded(before), decoded(after))
    if around is None:
        return [tuple(row)]
    return list(_cut(row, around))


def pieces(before: str, after: str, unit: Unit = "words") -> list[Piece]:
    """Both texts as one row: what is the same, and for each place what was there and what is there now.

    No word is parted where `unit` is words.
    """
    common, compared, near = (
        (_common_words, _compared_words, _LITTLE) if unit == "words" else (common_start, _compared_characters, _NEAR)
    )
    start, end = common_ends(before, after, common)
    found: list[Piece] = [Piece("same", before[:start])]
    found += compared(before[start : len(before) - end], after[start : len(after) - end])
    found.append(Piece("same", before[len(before) - end :]))
    return _joined(found, near)


def _compared_characters(before: str, after: str) -> list[Piece]:
    if max(len(before), len(after)) > _CHARACTERS:
        return _replaced(before, after)
    return _as_pieces(_matched(before, after))


def _compared_words(before: str, after: str) -> list[Piece]:
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
        found += _as_pieces(_matched(*words))
    return found


def _as_pieces(matched: Iterable[tuple[bool, str, str]]) -> list[Piece]:
    return [piece for same, old, new in matched for piece in ([Piece("same", old)] if same else _replaced(old, new))]


def _in_step(before: list[str], after: list[str]) -> Iterator[tuple[bool, str, str]]:
    """As `_matched`, for texts where values were replaced and nothing moved: linear, however long they are."""
    for same, pairs in groupby(zip(before, after, strict=True), lambda pair: pair[0] == pair[1]):
        old, new = zip(*pairs, strict=True)
        yield same, "".join(old), "".join(new)


def _matched(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[bool, str, str]]:
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield tag == "equal", "".join(before[i:j]), "".join(after[k:m])


def _replaced(old: str, new: str) -> list[Piece]:
    return [Piece("old", old), Piece("new", new)]


def _joined(pieces: list[Piece], near: int) -> list[Piece]:
    """Changes that at most `near` equal characters part as one, with what is between them."""
    found: list[Piece] = []
    old = new = same = ""
    for piece in pieces:
        if piece.kind == "same":
            same += piece.text
        elif piece.text:
            if same and (old or new) and len(same) <= near:
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
            yield (*row, Piece("same", text[:around]), Piece("left out", "…", size - around))
        row = [] if last else [Piece("left out", "…", size - around), Piece("same", text[size - around :])]
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


def common_ends(one: str, two: str, start: Callable[[str, str], int] = common_start) -> tuple[int, int]:
    """The lengths of the common prefix, and of the common suffix of the rest."""
    first = start(one, two)
    return first, min(start(one[::-1], two[::-1]), min(len(one), len(two)) - first)


def _common_words(one: str, two: str) -> int:
    """The length of the common prefix that does not end in a word of either text."""
    at = common_start(one, two)
    while at and _is_word(one[at - 1]) and any(at < len(text) and _is_word(text[at]) for text in (one, two)):
        at -= 1
    return at


def _is_word(char: str) -> bool:
    return re.match(r"\w", char) is not None
