"""Edits: what a fix changes, in terms of the transcript. A format turns them into changes to its records.

All edits of a fix refer to blocks and messages of the same transcript.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from toolpair.transcript.model import Block, Message


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


class Rename(Struct, frozen=True):
    """Replace the call's or result's id with `id`."""

    block: Block
    id: str


class SetValue(Struct, frozen=True):
    """Replace the block's JSON value with `value`. Unchanged sub-values must be the same objects."""

    block: Block
    value: Any


class SetField(Struct, frozen=True):
    """Set `key` of the message object (role, content, tool_calls …); ABSENT removes it."""

    message: Message
    key: str
    value: Any


class Spot(Struct, frozen=True):
    """A place relative to a block or message. Edits that name the same place are inserted there in order.

    An assistant message cannot hold a result: "after" one of its blocks means the front of the next user message, or
    of a new one. "before" a message means its front.
    """

    side: Literal["before", "after"]
    of: Block | Message


class InsertResult(Struct, frozen=True):
    """Insert a result for `call` where the API requires it. `content` is a string or a list of blocks."""

    call: Block
    content: Any
    is_error: bool
    id: str | None = None
    """The id to write; None for the call's own."""
    spot: Spot | None = None
    """Insert it here instead. An agent that moves results when sending still does."""


class MoveResult(Struct, frozen=True):
    """Move `result` where the API requires the result of `call`: in the next message, first, in call order."""

    result: Block
    call: Block


class Reorder(Struct, frozen=True):
    """Reorder the blocks of one message.

    "results_first": results before everything else.
    "call_order": results in the order of their calls, given by `order`; they share the slots that results now take.
    "calls_last": calls after everything else.
    """

    message: Message
    how: Literal["results_first", "call_order", "calls_last"]
    order: tuple[Block | InsertResult, ...] = ()
    """For "call_order": the results in the wanted order; they may be in several messages.

    An `InsertResult` that is applied earlier (the same object) refers to the result that it inserted.
    """


class Remove(Struct, frozen=True):
    """Remove the block, and its message if that leaves it empty."""

    block: Block


class ReplaceWithText(Struct, frozen=True):
    """Keep the block's content as text: in its place or, where that would split a pair, after it.

    A result becomes user text, a call assistant text. `media` holds the parts of its content that cannot be text
    (images); they follow as blocks of their own.
    """

    block: Block
    text: str
    media: tuple[Any, ...] = ()


class MoveToRole(Struct, frozen=True):
    """Move the block into a message with `role` at the same place, splitting its message in two if need be."""

    block: Block
    role: str


class InsertMessage(Struct, frozen=True):
    """Insert a message after `after` (None: at the start). Its content is a text or a list of parts.

    Several with the same `after` keep the order in which they are given.
    """

    after: Message | None
    role: str
    text: str | list[Any]


class RemoveMessage(Struct, frozen=True):
    """Remove the whole message."""

    message: Message


class Relink(Struct, frozen=True):
    """Set the parent of the record `record` (a uid) to the id `parent`; None makes it a root."""

    record: int
    parent: str | None


class Reidentify(Struct, frozen=True):
    """Change the id of the record `record` (a uid), and update the links of `children` (uids) to it."""

    record: int
    id: str
    children: tuple[int, ...] = ()


class MoveRecord(Struct, frozen=True):
    """Move the record `record` (a uid) after the record `after` in the file. Its links stay as they are."""

    record: int
    after: int


class RemoveRecord(Struct, frozen=True):
    """Remove the record `record` (a uid); its children get its parent."""

    record: int


class SetInRecord(Struct, frozen=True):
    """Set `slot` of the record `record` (a uid) to `value`; ABSENT removes the key."""

    record: int
    slot: tuple[str | int, ...]
    value: Any


class InsertRecord(Struct, frozen=True):
    """Insert a record with this value before the record `before` (a uid).

    With `slot` it is inserted into a list of that record instead, at this place.
    """

    value: Any
    before: int
    slot: tuple[str | int, ...] = ()


Mending = Literal[
    "split",
    "close",
    "close_line",
    "join",
    "trim",
    "nul",
    "utf8",
    "halves",
    "escape",
    "bom",
    "mark",
    "keep_last",
    "keep_first",
    "fraction",
    "numbers",
    "commas",
    "end",
    "around",
    "numbers_around",
    "utf8_around",
    "aside",
]
"""How the bytes of a record are repaired.

"split": glued records go on lines of their own.
"close": a cut off record gets its end. "close_line": and the last line of the file its line feed.
"join": a record that was broken over several lines becomes one line.
"trim": what comes before or after a record is set aside.
"nul": NUL bytes are removed.
"utf8", "halves": invalid UTF-8, and lone surrogates, become U+FFFD.
"escape": control characters become escapes.
"bom", "mark": the byte order mark at the start of the record, or of the file, is removed.
"keep_last", "keep_first": which value of a duplicate key stays.
"numbers": NaN and Infinity become strings.
"fraction": integers of more than 64 bits get ".0".
"commas": the comma after the last record is removed.
"end": a document that was cut off after its records gets its end.
"around", "numbers_around", "utf8_around": as "halves", "numbers" and "utf8" in the rest of a request.
"aside": the whole record is set aside.
"""


class MendBytes(Struct, frozen=True):
    """Repair the bytes of `record` (a uid), starting from what the fix's other edits leave.

    Removed bytes are kept in the document, to be written to a side file.
    """

    record: int
    how: Mending
    after: tuple[int, ...] = ()
    """For "join": the records after it that belong to it."""


class RemoveThinking(Struct, frozen=True, eq=False):
    """Remove the signed thinking from all messages after the one that holds `record` (a uid).

    Used where only a window of the conversation is loaded; a full transcript gets a `Remove` for each block instead.
    """

    record: int


class ShrinkImages(Struct, frozen=True):
    """Make these images of the block smaller: up to so many pixels wide and high, and so long in Base64."""

    block: Block
    parts: tuple[Any, ...]
    pixels: int
    base64: int


class KeepAside(Struct, frozen=True):
    """Keep `value`, which other edits of the same fix take out of a block or a message, in the side file of a save."""

    block: Block | None
    value: Any
    message: Message | None = None


Edit = (
    Rename
    | SetValue
    | SetField
    | InsertResult
    | MoveResult
    | Reorder
    | Remove
    | ReplaceWithText
    | MoveToRole
    | InsertMessage
    | RemoveMessage
    | Relink
    | Reidentify
    | MoveRecord
    | RemoveRecord
    | SetInRecord
    | InsertRecord
    | MendBytes
    | RemoveThinking
    | ShrinkImages
    | KeepAside
)


def set_aside(block: Block) -> tuple[Edit, Edit]:
    """The edits that remove a block and keep it in the side file of a save."""
    return KeepAside(block, block.value), Remove(block)


def targets(edit: Edit) -> frozenset[int]:
    """id() of each block and message that the edit changes. Edits with no target in common can be combined."""
    match edit:
        case Rename(block=b) | SetValue(block=b) | Remove(block=b) | ReplaceWithText(block=b) | MoveToRole(block=b):
            return frozenset({id(b)})
        case ShrinkImages(block=b):
            return frozenset({id(b)})
        case InsertResult(call=b) | MoveResult(result=b):
            return frozenset({id(b)})
        case Reorder(message=m, order=order):
            wanted = (part.call if isinstance(part, InsertResult) else part for part in order)
            return frozenset({id(m), *(id(b) for b in m.blocks), *(id(b) for b in wanted)})
        case SetField(message=m) | RemoveMessage(message=m):
            return frozenset({id(m), *(id(b) for b in m.blocks)})
        case Reidentify(record=record, children=others) | MendBytes(record=record, after=others):
            return frozenset(-1 - number for number in (record, *others))
        case InsertRecord(before=record) | Relink(record=record) | MoveRecord(record=record):
            return frozenset({-1 - record})
        case RemoveRecord(record=record) | SetInRecord(record=record) | RemoveThinking(record=record):
            return frozenset({-1 - record})
        case InsertMessage() | KeepAside():
            return frozenset()


def records_of(edit: Edit) -> Iterator[int]:
    """The uids of the records that the edit names, directly or through blocks and messages."""
    for name in ("record", "after", "before", "children"):
        found = getattr(edit, name, None)
        if isinstance(found, int):
            yield found
        elif isinstance(found, tuple):
            yield from found
    spot = getattr(edit, "spot", None)
    named = [getattr(edit, name, None) for name in ("block", "call", "result", "message", "after")]
    named += [spot.of if spot is not None else None, *getattr(edit, "order", ())]
    for thing in named:
        if isinstance(thing, Block):
            yield thing.record
        elif isinstance(thing, Message):
            yield from thing.records
        elif isinstance(thing, InsertResult):
            yield thing.call.record


def messages_of(edit: Edit) -> Iterator[Message]:
    """The messages that the edit names directly."""
    spot = getattr(edit, "spot", None)
    for thing in (getattr(edit, "message", None), getattr(edit, "after", None), spot and spot.of):
        if isinstance(thing, Message):
            yield thing


def said_of(
    edits: Sequence[Edit], block_of: Callable[[Block], Block], message_of: Callable[[Message], Message]
) -> list[Edit]:
    """The same edits for another transcript of the same records; `block_of` and `message_of` map to its objects."""
    other = _Other(block_of, message_of)
    return [other.of(edit) if isinstance(edit, InsertResult) else other.with_fields(edit) for edit in edits]


class _Other:
    """What edits name, in another transcript: a spot that several of them name stays one."""

    def __init__(self, block_of: Callable[[Block], Block], message_of: Callable[[Message], Message]) -> None:
        self._block_of = block_of
        self._message_of = message_of
        self._made: dict[int, Any] = {}

    def of(self, thing: Any) -> Any:
        if isinstance(thing, Block):
            return self._block_of(thing)
        if isinstance(thing, Message):
            return self._message_of(thing)
        if isinstance(thing, Spot | InsertResult):
            if id(thing) not in self._made:
                self._made[id(thing)] = self.with_fields(thing)
            return self._made[id(thing)]
        return tuple(map(self.of, thing)) if isinstance(thing, tuple) else thing

    def with_fields(self, thing: Any) -> Any:
        return replace(thing, **{name: self.of(getattr(thing, name)) for name in _NAMING if hasattr(thing, name)})


_NAMING: Final = ("block", "call", "result", "message", "after", "order", "spot", "of")
