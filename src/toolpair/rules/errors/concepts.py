"""Errors that are known by what they say, whatever their wording: a text is read as a row of concepts.

"messages.3: every function call needs to be answered" is `place call must answered`. `error_concepts.json` has the
words of each concept, and which rows of concepts say which error. A row is tried where no wording was found. In it `~`
is up to four other words, `~~` up to nine, `...` up to sixty and past ends of sentences; what ends in `?` may be
missing, what begins with `!` must not come next, `&` joins two that may stand in either order, and `end` is an end of
a sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate
from typing import Final

from msgspec import Struct, convert, field

from toolpair.rules.errors.matching import Hit
from toolpair.rules.errors.pasted import BLANK, QUOTE, SOFT, PastedText
from toolpair.rules.errors.texts import ErrorText, texts
from toolpair.rules.errors.wordings import Wording
from toolpair.rules.shipped import shipped

_MOST: Final = 20_000
"""Characters at the end of a paste that are looked at."""
_EXPLAINS: Final = 150
"""Characters (squeezed) after an error in which a server may say what it wants instead."""
_SEGMENT: Final = r"(?!(?:messages|contents|history|input)\b)[\w-]{1,60}[.\[]"
_TIME: Final = rf"(?:\d{{4}}-\d\d-\d\d[T{BLANK}])?\d\d:\d\d:\d\d[\d.,Z{BLANK}\]-]*"
_LEVEL: Final = r"(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"
"""How another record of a log begins."""
_WORD: Final = re.compile(
    # An entry of something else that holds a message: an export, the answer of a model.
    rf"(?P<elsewhere>(?<![\w.])(?:{_SEGMENT}){{1,5}}\d{{1,9}}\]?\.(?:{_SEGMENT}){{0,5}}message[.\[])"
    rf"|(?P<record>[{SOFT}{QUOTE}]\[?(?:{_TIME}(?:\[?{_LEVEL})?|{_LEVEL}|Traceback\b))"
    r"|(?P<data>base64,[\w+/=.…]*)|(?P<id>[A-Za-z]+[_-](?a:[\w-]{0,99}\d[\w-]*))|(?P<chinese>[\u4e00-\u9fff]+)"
    r"|[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|\d+|[。！？\n]"
    rf"|(?P<key>{QUOTE}\w{{1,40}}{QUOTE}{BLANK}?:{BLANK}?(?=[{QUOTE}{{[\d]|null|None|true|false))"
    rf"|[.!?;](?=[\s{SOFT}{BLANK}{QUOTE}]|\Z)"
)
_PLURAL: Final = re.compile(r"(?<=[a-z]{3})(?<![sui])s\Z")
_KEPT: Final = frozenset({"contents", "messages", "tools"})
"""All of a request are another thing than one of them."""
_OF_CALLS: Final = frozenset({"tool", "tools", "function", "message", "messages", "input"})
"""Words of a text in which a call's id is no phone call's."""
_STATUS: Final = re.compile(r"[45]\d\d")
_AROUND_KEY: Final = f"{QUOTE}{BLANK}:"
_IN_PATH: Final = (".", "[")
_STOP: Final = ";"
_ELSEWHERE, _RECORD = "@", "§"
"""Words that stand for a path of something else, and for the beginning of another record of a log."""
_OF_A_SENTENCE: Final = ".!?,:;"
_WITHIN: Final = "(?!(?:end|record|other|done) )"
"""What is no end of a sentence, and no word of something else."""
_GAPS: Final = {
    "~": rf"(?:{_WITHIN}\S+ ){{0,4}}?",
    "~~": rf"(?:{_WITHIN}\S+ ){{0,9}}?",
    "&": rf"(?:{_WITHIN}\S+ ){{0,2}}?",
    "...": r"(?:\S+ ){0,60}?",
}
_ENDS_THE_READING: Final = frozenset({"other", "done"})
"""Words of something else, and of a program that says what it has done about it: nothing near them is read."""
_BEFORE, _BEHIND = 6, 8
_UNKNOWN: Final = "."


class _Tables(Struct, frozen=True, dict=True):
    concepts: dict[str, str]
    """Regular expressions on words in lower case and singular, first the ones that are tried first."""
    dropped: str
    groups: dict[str, str]
    chinese: dict[str, str]
    """Words of Chinese texts, which are read as English ones."""
    in_words_of: dict[str, dict[str, str]]
    """The id of an error -> words that one API alone has -> the id of what that API says instead."""
    says: tuple[tuple[str, ...], ...]
    """The id of an error, and rows of concepts that say it; first the more particular ones."""

    @cached_property
    def vocabulary(self) -> re.Pattern[str]:
        return re.compile(
            "|".join(rf"(?P<{name}>(?<![^ ])(?:{words})(?![^ ]))" for name, words in self.concepts.items())
        )

    @cached_property
    def in_chinese(self) -> re.Pattern[str]:
        return re.compile("|".join(sorted(self.chinese, key=len, reverse=True)))

    @cached_property
    def without_meaning(self) -> frozenset[str]:
        return frozenset(self.dropped.split())


class _Row(Struct, frozen=True, dict=True):
    error: ErrorText
    row: str

    @cached_property
    def needed(self) -> frozenset[str]:
        """Concepts without which a text has no part of it."""
        return frozenset(self.row.split()) & frozenset(tables().concepts)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        first, both, second = self.row.partition(" & ")
        orders = (f"{first} & {second}", f"{second} & {first}") if both else (self.row,)
        return re.compile("(?<![^ ])(?:" + "|".join("".join(map(_part, order.split())) for order in orders) + ")")


def _part(part: str) -> str:
    if part in _GAPS:
        return _GAPS[part]
    optional, unless = part.endswith("?"), part.startswith("!")
    part = part.removesuffix("?").removeprefix("!")
    words = "|".join(tables().groups.get(one, one) for one in part.split("|")).replace(_UNKNOWN, re.escape(_UNKNOWN))
    return f"(?!(?:{words}) )" if unless else f"(?:(?:{words}) ){'?' * optional}"


@cache
def tables() -> _Tables:
    return convert(shipped("error_concepts.json"), _Tables)


@cache
def _errors() -> dict[str, ErrorText]:
    return {error.id: error for error in texts()}


@cache
def _rows() -> tuple[_Row, ...]:
    return tuple(_Row(_errors()[says[0]], row) for says in tables().says for row in says[1:])


class _Line(Struct, frozen=True):
    """Words of a text, or its concepts, in their order, with their offsets in its marked form."""

    said: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, word: str, start: int, end: int) -> None:
        self.said.append(word)
        self.starts.append(start)
        self.ends.append(end)

    @property
    def places(self) -> list[int]:
        """Where each of them begins in all of them joined."""
        return list(accumulate((len(word) + 1 for word in self.said), initial=0))

    def near(self, first: int, end: int) -> Sequence[str]:
        """What stands in a span and around it in the same record of a log."""
        before, behind = self.said[max(0, first - _BEFORE) : first], self.said[end : end + _BEHIND]
        start = before[::-1].index("record") if "record" in before else len(before)
        stop = behind.index("record") if "record" in behind else len(behind)
        return self.said[first - start : end + stop]

    @property
    def is_of_this(self) -> bool:
        """Whether nothing in it is a word of something else."""
        return _ENDS_THE_READING.isdisjoint(self.said)


def said_in(pasted: PastedText) -> list[Hit]:
    """What the text says, as hits; from its end backwards."""
    tail = max(0, len(pasted.marked) - _MOST)
    marked = pasted.marked[tail:]
    line = _concepts(_words(marked, joined=False))
    found = list(_found(line))
    if not found and SOFT in marked and line.is_of_this:
        found = list(_found(_concepts(_words(marked, joined=True))))
    if not found:
        return []
    counts = list(accumulate((mark not in (SOFT, BLANK, QUOTE) for mark in marked), initial=0))
    before = len(pasted.bare) - counts[-1]
    hits = []
    for rank, start, end, read_as in found:
        error = _by_whose_words(read_as, marked[start : end + _EXPLAINS])
        first, last = counts[start] + before, counts[end] + before
        wording = Wording(error, "", ("",), (), last - first, 0)
        hits.append((rank, Hit(wording, first, last, last - first, (0, 0), (0, 0), shaped=True)))
    return _chosen(hits)


def _by_whose_words(error: ErrorText, marked: str) -> ErrorText:
    """The error of the API whose words the text has; the one that it reads like where it has nobody's."""
    said = marked.replace(BLANK, " ").replace(SOFT, "")
    whose = tables().in_words_of.get(error.id, {})
    return next((_errors()[other] for words, other in whose.items() if words in said), error)


def _chosen(hits: list[tuple[int, Hit]]) -> list[Hit]:
    """Of what stands near each other the most particular."""
    chosen: list[tuple[int, Hit]] = []
    for rank, hit in sorted(hits, key=lambda one: (-one[1].start, one[0])):
        near = bool(chosen) and hit.end + _EXPLAINS > chosen[-1][1].start
        if not near:
            chosen.append((rank, hit))
        elif rank < chosen[-1][0]:
            chosen[-1] = (rank, hit)
    return [hit for _, hit in chosen]


def _words(marked: str, joined: bool) -> _Line:
    """The words; those that a terminal broke are one again if `joined`."""
    text = marked
    places: Sequence[int] = range(len(marked))
    if joined:
        kept = [at for at, mark in enumerate(marked) if mark != SOFT or marked[at - 1 : at] in _OF_A_SENTENCE]
        text, places = "".join(marked[at] for at in kept), kept
    line = _Line()
    for match in _WORD.finditer(text):
        start, end = match.span()
        for word in _read_as(match, line):
            line.add(word, places[start], places[end - 1] + 1)
    return line


def _read_as(match: re.Match[str], before: _Line) -> Iterable[str]:
    """The words that stand for a piece of the text; what is an id is none."""
    word = match.group().lower()
    text, start = match.string, match.start()
    if match["id"]:
        return ()
    if match["elsewhere"]:
        return (_ELSEWHERE,)
    if match["record"]:
        return (_STOP, _RECORD, _STOP)
    if match["key"]:
        return ("." if word.strip(_AROUND_KEY) == "msg" else _STOP,)
    if match["data"]:
        return ("dataurl",)
    if match["chinese"]:
        return " ".join(tables().chinese[known] for known in tables().in_chinese.findall(word)).split()
    if word == "t" and before.said and before.said[-1].endswith("n") and text[start - 1] == QUOTE:
        before.said[-1] = before.said[-1][:-1]
        return ("not",)
    if word.isdigit():
        in_path = text[max(0, start - 1) : start] in _IN_PATH
        return ("%" if _STATUS.fullmatch(word) and not in_path else "#",)
    if word.isalpha():
        return (word if word in _KEPT else _PLURAL.sub("", word),)
    return (_STOP,)


def _concepts(words: _Line) -> _Line:
    if not words.said:
        return words
    line = _Line()

    def add(concept: str, begin: int, end: int) -> None:
        if line.said and concept == line.said[-1] and concept != _UNKNOWN:
            line.ends[-1] = words.ends[end]
        else:
            line.add(concept, words.starts[begin], words.ends[end])

    def add_unknown(begin: int, end: int) -> None:
        for number in range(begin, end):
            word = words.said[number]
            if word not in tables().without_meaning:
                add("end" if word == _STOP else _UNKNOWN, number, number)

    places = words.places
    of_calls = not _OF_CALLS.isdisjoint(words.said)
    add("end", 0, 0)
    done = 0
    for match in tables().vocabulary.finditer(" ".join(words.said)):
        begin, end = bisect_right(places, match.start()) - 1, bisect_right(places, match.end() - 1) - 1
        add_unknown(done, begin)
        name = match.lastgroup or _UNKNOWN
        if name == "lone_id":
            name = "call_id" if of_calls else _UNKNOWN
        add("end" if name == "wrapper" else name, begin, end)
        done = end + 1
    add_unknown(done, len(words.said))
    add("end", len(words.said) - 1, len(words.said) - 1)
    return line


def _found(line: _Line) -> Iterator[tuple[int, int, int, ErrorText]]:
    """Each row that the text has: its rank, where it begins and ends in the marked text, and its error."""
    present = frozenset(line.said)
    joined = "".join(f"{concept} " for concept in line.said)
    places = line.places
    for rank, row in enumerate(_rows()):
        if not row.needed <= present:
            continue
        for match in row.pattern.finditer(joined):
            first, end = bisect_right(places, match.start()) - 1, bisect_right(places, match.end()) - 1
            if _ENDS_THE_READING.isdisjoint(line.near(first, end)):
                yield rank, line.starts[first], line.ends[end - 1], row.error
