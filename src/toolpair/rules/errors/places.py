"""The places that a text names: `messages.13.content.1`, `input[7]`, "message at index 2", "line 1 column 47".

One table of patterns, for what is typed and for what is pasted. Numbers are as written; who counts how is known later.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from toolpair.rules.errors.pasted import BLANK, QUOTE, SOFT, PastedText

_MOST: Final = 200_000
"""Characters at the end of a paste that are looked at."""
_FOUND: Final = 5
_LONGEST: Final = 400
"""Characters of a path."""
_NEAR: Final = 300
"""Characters around a place in which a paste must speak of an error, for it to be one that an error names."""

Root = Literal["messages", "contents", "input", ""]


class Place(Struct, frozen=True):
    """One place. `message` is None where only a call of some message is named, or a character of its arguments."""

    words: str
    """As the text has it."""
    root: Root
    """The list that is counted: a request has `messages`, `contents` or `input`."""
    message: int | None = None
    block: int | None = None
    part: int | None = None
    """Of a result's content."""
    call: int | None = None
    """Which of the message's calls, where calls are counted by themselves."""
    char: int | None = None
    """A character, from 0, of what a parser read: a call's arguments, or the body."""
    line: int | None = None
    column: int | None = None
    """The same as a line and a column of it, from 1."""
    start: int = 0
    """Where it stands in `PastedText.marked`, or as near as can be told."""

    @property
    def is_of_parser(self) -> bool:
        return self.char is not None or self.column is not None


_GAP: Final = rf"[{SOFT}{BLANK}{QUOTE}]*"
_LISTED: Final = rf"(?<!\])(?:(?<={QUOTE}),|,(?={BLANK}?{QUOTE}))"
"""Between the steps of a path in a list, `["messages", 13, "content"]`."""
_STEP: Final = rf"(?:[{SOFT}{QUOTE}]*[.\[/]+[{SOFT}{QUOTE}]*|{_GAP}(?:->|→|{_LISTED}){_GAP})"
_DIGITS: Final = r"\d{1,9}(?!\w)"
_ROOT: Final = "|".join(
    f"{SOFT}?".join(root) for root in ("messages", "message", "contents", "content", "input", "history")
)
_PATH: Final = re.compile(
    rf"(?<![\w.])(?:\$\.?|/|body{_STEP}|request{_STEP}|(?:[A-Z][A-Za-z]{{0,40}}Request|\*{{3}})\.)?{_GAP}(?P<root>{_ROOT})"
    rf"(?P<steps>{_STEP}{_DIGITS}{_GAP}\]?(?:{_STEP}(?:{_DIGITS}|[A-Za-z_]\w{{0,40}}){_GAP}\]?){{0,12}})(?!{_GAP}\]?{_GAP}=)"
)
_CALLS: Final = re.compile(rf"(?<![\w.\]])tool_calls{_STEP}(?P<call>{_DIGITS}){_GAP}\]?(?:{_STEP}\w{{1,40}}){{0,4}}")
_IN_WORDS: Final = re.compile(
    rf"\b(?:messages?|turn|item|contents?){_GAP}(?:at{_GAP})?(?:index|position|number|#)?{_GAP}[:=#]?{_GAP}"
    rf"(?P<message>{_DIGITS})(?![.:]\d)",
    re.IGNORECASE,
)
_INDEX: Final = re.compile(rf"\b(?:at{_GAP})?(?:index|position){_GAP}[:=#]?{_GAP}(?P<message>{_DIGITS})", re.IGNORECASE)
_STATUS: Final = re.compile(rf"message{QUOTE}?{BLANK}?[:=]{_GAP}[45]\d\d\Z", re.IGNORECASE)
"""An answer's words that begin with the status: `"message": "400 …"`."""
_PARSED: Final = re.compile(
    rf"\bline{_GAP}(?P<line>{_DIGITS}){_GAP},?{_GAP}col(?:umn)?{_GAP}(?P<column>{_DIGITS})"
    rf"(?:{_GAP}\({_GAP}char{_GAP}(?P<char>{_DIGITS}){_GAP}\))?"
    rf"|\b(?:char|offset|position){_GAP}(?P<offset>{_DIGITS})",
    re.IGNORECASE,
)
_ABOUT_MESSAGES: Final = re.compile(r"message|content|tool_?call|role|turn|assistant|user", re.IGNORECASE)
_COMPLAINS: Final = re.compile(
    r"error|invalid|must|should|is not |missing|require|expect|fail|exception|cannot|can't"
    r"|not (?:allow|support|valid|found)|unsupport|refus|reject|exceed|duplicat|does not|did not"
    r"|too (?:long|many|large)|\b4\d\d\b|bad request|malformed",
    re.IGNORECASE,
)
_FRAME: Final = re.compile(
    rf"(?:^|[{SOFT}{BLANK}])(?:at{BLANK}\S{{1,200}}|File{BLANK}|\S{{1,200}}\.(?:py|js|ts|go|rs|java):\d)"
)
"""A line of a stack trace: what it says is code."""
_KEYS: Final = ("content", "contents", "parts", "output")
_AS_BLANKS: Final = str.maketrans(dict.fromkeys((SOFT, BLANK, QUOTE), " "))
_TOKEN: Final = re.compile(r"\d+|[A-Za-z_]\w*")


def typed_place(text: str) -> Place | None:
    """The place that a text is, and nothing else."""
    if len(text) > _LONGEST:
        return None
    marked = PastedText.of(text.strip()).marked.strip(f"{SOFT}{BLANK}{QUOTE}.,:;")
    for found in _all_in(marked, typed=True):
        if found.start == 0 and len(found.words) >= len(_plain(marked)) - 1:
            return found
    return None


def places_in(text: str) -> tuple[Place, ...]:
    """The places that an error names in a pasted text, first those of its end; empty when it names none."""
    marked = PastedText.of(text[-_MOST:]).marked
    complaints = [match.start() for match in _COMPLAINS.finditer(marked.translate(_AS_BLANKS))]
    found: dict[tuple[object, ...], Place] = {}
    for place in sorted(_all_in(marked, typed=False), key=lambda one: -one.start):
        before = bisect_left(complaints, place.start - _NEAR)
        named = any(at <= place.start + _NEAR for at in complaints[before : before + 1])
        if not named or _is_in_frame(marked, place.start):
            continue
        key = (place.root, place.message, place.block, place.part, place.call, place.char, place.column)
        found.setdefault(key, place)
        if len(found) == _FOUND:
            break
    return tuple(_narrowest(list(found.values())))


def places_around(pasted: PastedText, start: int, end: int, at: int) -> list[tuple[int, Place]]:
    """The places in a stretch of a text, first those that stand nearest to `at`. All offsets are in `bare`."""
    marked = pasted.between(start, end)
    found = []
    for place in _all_in(marked, typed=False):
        before = marked[: place.start]
        found.append((start + len(before) - sum(before.count(mark) for mark in (SOFT, BLANK, QUOTE)), place))
    return sorted(found, key=lambda one: (one[1].root == "", abs(one[0] - at)))


def _narrowest(found: list[Place]) -> Iterator[Place]:
    """Without those that another one says more exactly: `messages.3` beside `messages.3.content.1`."""
    for place in found:
        wider = any(other is not place and _holds(place, other) for other in found if other.message is not None)
        if not wider:
            yield place


def _holds(place: Place, other: Place) -> bool:
    if place.message is None or place.message != other.message or (place.root and place.root != other.root):
        return False
    mine, its = (place.block, place.part, place.call), (other.block, other.part, other.call)
    return mine != its and all(own is None or own == one for own, one in zip(mine, its, strict=True))


def _all_in(marked: str, typed: bool) -> Iterator[Place]:
    taken = bytearray(len(marked))
    for match, start in _paths(marked):
        _take(taken, start, start + len(match.group()))
        yield _of_path(match, start)
    for match in _CALLS.finditer(marked):
        if not any(taken[match.start() : match.end()]):
            _take(taken, *match.span())
            yield Place(_plain(match.group()), "", call=int(match["call"]), start=match.start())
    for match in _PARSED.finditer(marked):
        _take(taken, *match.span())
        char = match["char"] or match["offset"]
        yield Place(
            _plain(match.group()),
            "",
            char=int(char) if char else None,
            line=int(match["line"]) if match["line"] else None,
            column=int(match["column"]) if match["column"] else None,
            start=match.start(),
        )
    for pattern in (_IN_WORDS, _INDEX):
        for match in pattern.finditer(marked):
            if any(taken[match.start() : match.end()]) or _STATUS.search(match.group()):
                continue
            before = _plain(marked[max(0, match.start() - 80) : match.start()])
            if pattern is _INDEX and not typed and _ABOUT_MESSAGES.search(before) is None:
                continue
            _take(taken, *match.span())
            yield Place(_plain(match.group()), "", int(match["message"]), start=match.start())


def _paths(marked: str) -> Iterator[tuple[re.Match[str], int]]:
    """The paths, each with where it begins; one that a terminal wrapped is read on in its next line."""
    for match in _PATH.finditer(marked):
        begins = match.start()
        if SOFT in marked[begins : match.end() + 1]:
            joined = _PATH.match(marked[begins : begins + _LONGEST].replace(SOFT, ""))
            if joined is not None:
                more = len(_TOKEN.findall(joined["steps"])) - len(_TOKEN.findall(match["steps"]))
                ends = joined.string[joined.end() : joined.end() + 1] in ("", ":", QUOTE)
                match = joined if more > 0 or (more == 0 and ends) else match
        yield match, begins


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\x01" * (end - start)


def _of_path(match: re.Match[str], start: int) -> Place:
    root = match["root"].replace(SOFT, "")
    message = block = part = call = None
    key = ""
    for token in _TOKEN.findall(match["steps"]):
        if not token.isdigit():
            key = token
            continue
        number = int(token)
        if message is None:
            message = number
        elif key == "tool_calls" and call is None:
            call = number
        elif key in _KEYS and block is None:
            block = number
        elif key in _KEYS and part is None:
            part = number
        key = ""
    if "member" in match["steps"]:  # AWS counts from 1
        message, block, part = (None if number is None else number - 1 for number in (message, block, part))
    named: Root = "contents" if root.startswith("content") else "input" if root == "input" else "messages"
    words = _plain(match.group())
    words = ".".join(_TOKEN.findall(words)) if "," in words else words
    return Place(words, named, message, block, part, call, start=start)


def _plain(marked: str) -> str:
    return marked.replace(SOFT, "").replace(BLANK, " ").replace(QUOTE, "").strip()


def _is_in_frame(marked: str, at: int) -> bool:
    start = marked.rfind(SOFT, 0, at) + 1
    return _FRAME.match(marked, max(0, start - 1), at) is not None
