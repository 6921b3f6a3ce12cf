"""What a scan is told of each record: the few facts by which nearly all of them are known to be in order.

A format with a `light` is read window by window, and the rules see only the windows that its records leave in doubt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

import orjson
from msgspec import Struct, field

from toolpair.formats.format import FileFacts, Read, View
from toolpair.formats.list_evidence import ListEvidence
from toolpair.transcript.model import Transcript

USER, MODEL, HEAD, COMPACTED = range(4)
"""Who speaks in a record; HEAD: a system prompt. COMPACTED: what stands before is not sent any more, see `replaced`."""
CALL, RESULT, TEXT, THINKING = range(4)
"""Parts: `(CALL, id, name, arguments, family)`, `(RESULT, id, text, family, linked)`, `(TEXT, text)`,
`(THINKING, signed, hangs)`. `linked`: the result names the record of its call. `hangs`: the model has to say more."""
SAME: Final = ...
"""As an event's response: it goes on with the one before, unless that has been answered."""

START, ODD, WORDS, RESPONSE, ANSWERING, ANSWERED = range(6)
"""What was said last: nothing, something odd, the user's words, a response, some or all of its calls' results."""

Event = tuple[int, Sequence[tuple[Any, ...]], Any]
"""Who speaks, the parts, and what tells one response from another: an id, SAME, or None where each record is one."""
TEXT_KEYS: Final = frozenset({"type", "text", "citations", "cache_control"})
CALL_KEYS: Final = frozenset({"type", "id", "name", "input", "caller", "cache_control"})
RESULT_KEYS: Final = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})
"""The keys that Anthropic's blocks in order have, no others."""
IN_ORDER: Final = (KeyError, TypeError, IndexError, AttributeError)
"""Raised by a look at a record that lacks something, or has something else there: then it is odd."""


class Odd(Exception):
    """A record may be a problem: the rules have to look at it."""


class Whole(Exception):
    """Only the whole history can be judged."""


class Doubtful:
    """Stands for a record that a strict parser does not read, or reads over something in: what it says."""

    __slots__ = ("strict", "value")

    def __init__(self, value: Any, strict: bool = False) -> None:
        self.value = value
        self.strict = strict
        """A strict parser reads it: then something is wrong only where it is sent."""


class SoFar(Struct, eq=False):
    """How far a scan is. Records are numbered from 0."""

    ids: dict[str, int] = field(default_factory=dict)
    """Each id so far, and a record that it stands in."""
    first: int = 0
    """The record that the window being read begins with."""
    firsts: list[int] = field(default_factory=list)
    """Those of the windows before."""
    past: int = 0
    """How many records a compaction replaced."""

    def window_of(self, number: int) -> int:
        """In the end: which window a record stands in."""
        return max(bisect_right(self.firsts, number) - 1, 0)

    @property
    def last_first(self) -> int:
        """In the end: the record that the last window begins with."""
        return self.firsts[-1]


class Finding(Struct, eq=False):
    """What a format knows when all records have been read. Records by their numbers."""

    suspect: Iterable[int] = ()
    """Records in whose windows something may be wrong after all."""
    joined: Iterable[tuple[int, int]] = ()
    """Records that are judged together, with all between them."""
    shortened: Sequence[int] = ()
    """Outputs that its agent sends without their middle."""
    passed: Sequence[int] = ()
    """Outputs that its agent does not send, although nothing is wrong with them."""
    inactive: int = 0
    """How many of those that a compaction replaced would have been sent, or stand beside such."""
    head: Transcript | None = None
    """Whose history it is, where the records tell: everything but the messages."""
    around: Callable[[int, int, int, Read], FileFacts] | None = None
    """What stands around the records from one to before another, and how many there are in all."""
    named: Callable[[str], Iterable[int]] = lambda id_: ()
    """The records that an id may stand in that pairs nothing."""


class Light:
    """Looks at the records of one file, in order. What is left to it here is right for plain lists of messages."""

    merged: ClassVar[bool] = False
    """Neighbouring records of the user's are one message."""
    calls_last: ClassVar[bool] = True
    """In a response nothing may follow a call."""
    in_one: ClassVar[bool] = False
    """All results of a response stand in one record."""
    native: ClassVar[bool] = False
    """An agent's own file, which may end with a response."""
    as_items: ClassVar[bool] = False
    """The provider counts records, not messages."""
    words_after: ClassVar[frozenset[int]] = frozenset({START, ODD, RESPONSE})
    """What the user's words may follow."""
    clean: ClassVar[bool] = True
    """What it takes for in order needs no rule. False: it only says where a history can be cut."""
    sends: ClassVar[frozenset[str] | None] = None
    """The types of the records that the model is sent; None: all are."""

    so_far: SoFar
    """The scan that asks."""

    def read(self, value: Any, number: int) -> Event | None:
        """What a record says; None where nobody is told it. Raises Odd, or any of `IN_ORDER`, where it may be wrong.

        Nothing may be kept of the record before the next one is asked for: it may still be left to the rules.
        """
        raise NotImplementedError

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        """A record is left to the rules, in place of what was read of it. Its ids, of any type; how many blocks of
        signed thinking it has. Raises Whole.

        `strict`: a strict parser reads it.
        """
        return (), 0

    def silent(self, value: Any, id_: str, text: str) -> None:
        """A result says nothing real. Raises Odd where that is a reason to look."""
        raise Odd

    def reaches_before(self, value: Any, number: int) -> bool:
        """Whether a record that is left to the rules depends on one before that number."""
        return False

    def heard(self, values: Sequence[Any]) -> None:
        """These records have been read."""

    def replaced(self, value: Any, number: int, flawed: bool) -> int:
        """At a compaction: the first record that it keeps, itself where it keeps none. Raises Whole."""
        raise Whole

    def finish(self) -> Finding | None:
        """After the last record; None where only the whole can be judged."""
        return Finding()

    @property
    def evidence(self) -> ListEvidence | None:
        """What all records tell of the API that they are written for, where that is asked."""
        return None


@runtime_checkable
class ReadAtAGlance(Protocol):
    """A format whose records need not all be read in full."""

    clean_by: frozenset[str]
    """The profiles by which nothing is wrong with what its light takes for in order."""

    def light(self, view: View) -> Light:
        """Looks at the records of one file."""


def texts_of(parts: Any, is_image: Callable[[dict[str, Any]], bool] | None = None) -> str:
    """What a result in several parts says, in Anthropic's or the chat form. `is_image`: whether one is in order."""
    if type(parts) is not list or not parts:
        raise Odd
    texts = []
    for part in parts:
        kind = part["type"]
        if kind == "text" and part.keys() <= TEXT_KEYS and type(part["text"]) is str and part["text"]:
            texts.append(part["text"])
        elif kind == "image" and is_image is not None and is_image(part):
            texts.append("[image]")
        else:
            raise Odd
    return "\n".join(texts)


def dicts_in(parts: Any) -> list[dict[str, Any]]:
    """The blocks of a content that may be odd."""
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def ids_and_signed(parts: Iterable[dict[str, Any]]) -> tuple[list[Any], int]:
    """For `Light.left`, of Anthropic's blocks."""
    ids: list[Any] = []
    signed = 0
    for part in parts:
        ids += part.get("id"), part.get("tool_use_id")
        kind = part.get("type")
        if kind == "thinking" or kind == "redacted_thinking":
            signed += bool(part.get("signature" if kind == "thinking" else "data"))
    return ids, signed


def parsed(arguments: Any) -> dict[str, Any]:
    """Arguments that are written as a string."""
    if type(arguments) is not str:
        raise Odd
    try:
        found = orjson.loads(arguments)
    except ValueError:
        raise Odd from None
    if type(found) is not dict:
        raise Odd
    return found
