"""Edits: what a fix changes, in terms of the transcript. A format turns them into changes of its records.

All of a fix's edits refer to blocks and messages of one and the same transcript.
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
    """Write `id` in the place of the call's or the result's id."""

    block: Block
    id: str


class SetValue(Struct, frozen=True):
    """Put `value` in the place of the block's JSON value. Sub-values that stay are the same objects."""

    block: Block
    value: Any


class SetField(Struct, frozen=True):
    """Set `key` of the message object (role, content, tool_calls …); ABSENT removes it."""

    message: Message
    key: str
    value: Any


class Spot(Struct, frozen=True):
    """A place that is named by what stands there. Several edits that name one follow each other there.

    A result cannot stand in what the assistant says: behind that is the front of the user's message that comes next,
    or of a new one. "before" a message is the front of it.
    """

    side: Literal["before", "behind"]
    of: Block | Message


class InsertResult(Struct, frozen=True):
    """Insert a result for `call` where the API wants it. `content` is a string or a list of blocks."""

    call: Block
    content: Any
    is_error: bool
    id: str | None = None
    """The id to write; the call's own when None."""
    spot: Spot | None = None
    """Put it here instead. An agent that sends results at places of its own still does so."""


class MoveResult(Struct, frozen=True):
    """Move `result` to where the API wants the result of `call`: first, in call order, directly behind it."""

    result: Block
    call: Block


class Reorder(Struct, frozen=True):
    """Reorder the blocks of one message.

    "results_first": results in front of all else; "call_order": results into the order of their
    calls `order`, in the slots that results hold; "calls_last": calls behind all else.
    """

    message: Message
    how: Literal["results_first", "call_order", "calls_last"]
    order: tuple[Block | InsertResult, ...] = ()
    """For "call_order": the results in the wanted order (they may stand in several messages).

    An `InsertResult` carried out before, the very same object, stands for the result that it inserted.
    """


class Remove(Struct, frozen=True):
    """Take the block out; a message that this empties goes with it."""

    block: Block


class ReplaceWithText(Struct, frozen=True):
    """Keep what the block says as text, at its place or, where that would part a pair, behind it.

    A result becomes a user's text, a call the assistant's. `media` are parts of its content that
    cannot be text (images); they follow as blocks of their own.
    """

    block: Block
    text: str
    media: tuple[Any, ...] = ()


class MoveToRole(Struct, frozen=True):
    """Put the block into a message of `role` at its place, splitting the message around it."""

    block: Block
    role: str


class InsertMessage(Struct, frozen=True):
    """Insert a message behind `after` (None: in front of all). Its content is a text, or a list of parts.

    Several behind one message stand there in the order in which they are given.
    """

    after: Message | None
    role: str
    text: str | list[Any]


class RemoveMessage(Struct, frozen=True):
    """Take the whole message out."""

    message: Message


class Relink(Struct, frozen=True):
    """Give the record `record` (a uid) the parent whose id in the file is `parent`, or none."""

    record: int
    parent: str | None


class Reidentify(Struct, frozen=True):
    """Give the record `record` (a uid) the id `id`; the links of `children` (uids) to its old id follow."""

    record: int
    id: str
    children: tuple[int, ...] = ()


class MoveRecord(Struct, frozen=True):
    """Put the record `record` (a uid) behind the record `behind` in the file. Its links stay as they are."""

    record: int
    behind: int


class RemoveRecord(Struct, frozen=True):
    """Take the record `record` (a uid) out; what hangs on it hangs on its parent."""

    record: int


class SetInRecord(Struct, frozen=True):
    """Put `value` at `slot` of the record `record` (a uid); ABSENT takes the key out."""

    record: int
    slot: tuple[str | int, ...]
    value: Any


class InsertRecord(Struct, frozen=True):
    """Insert a record with this value in front of the record `before` (a uid)."""

    value: Any
    before: int


Mending = Literal[
    "split",
    "close",
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
    "commas",
    "aside",
]
"""How the bytes of a record are mended.

"split": each of several glued records on a line of its own; "close": the end of a cut off record is written;
"join": one record that stands on several lines; "trim": what stands before or behind a record is set aside;
"nul": NUL bytes out; "utf8", "halves": U+FFFD for bytes that are no text, for halves of characters; "escape":
control characters as escapes; "bom": no byte order mark in front of the record, "mark": in front of the file;
"keep_last", "keep_first": of a key that stands twice; "fraction": whole numbers of more than 64 bits with ".0";
"commas": none behind all records of the file;
"aside": the whole record is set aside.
"""


class MendBytes(Struct, frozen=True):
    """Mend the bytes of `record` (a uid). It goes on from the bytes that the other edits of its fix leave.

    What leaves the file by it is kept in the document, to be written to a file beside it.
    """

    record: int
    how: Mending
    behind: tuple[int, ...] = ()
    """For "join": the records that follow and belong to it."""


class RemoveThinking(Struct, frozen=True, eq=False):
    """Remove the signed thinking of all messages behind the one that holds a record.

    Made where only a window of the conversation is known: the whole has a `Remove` for each block in its place.
    """

    record: int


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
)


def targets(edit: Edit) -> frozenset[int]:
    """The identities of the blocks and messages that the edit changes; edits that share none can go together."""
    match edit:
        case Rename(block=b) | SetValue(block=b) | Remove(block=b) | ReplaceWithText(block=b) | MoveToRole(block=b):
            return frozenset({id(b)})
        case InsertResult(call=c):
            return frozenset({id(c)})
        case MoveResult(result=r):
            return frozenset({id(r)})
        case Reorder(message=m, order=order):
            wanted = (part.call if isinstance(part, InsertResult) else part for part in order)
            return frozenset({id(m), *(id(b) for b in m.blocks), *(id(b) for b in wanted)})
        case SetField(message=m) | RemoveMessage(message=m):
            return frozenset({id(m), *(id(b) for b in m.blocks)})
        case Reidentify(record=record, children=children):
            return frozenset({-1 - record, *(-1 - child for child in children)})
        case Relink(record=record) | MoveRecord(record=record) | RemoveRecord(record=record):
            return frozenset({-1 - record})
        case SetInRecord(record=record):
            return frozenset({-1 - record})
        case InsertRecord(before=before):
            return frozenset({-1 - before})
        case MendBytes(record=record, behind=behind):
            return frozenset(-1 - number for number in (record, *behind))
        case RemoveThinking(record=record):
            return frozenset({-1 - record})
        case InsertMessage():
            return frozenset()


def records_of(edit: Edit) -> Iterator[int]:
    """uids of the records that the edit names, in blocks, in messages, or as such."""
    for name in ("record", "behind", "before", "children"):
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
    """The messages that the edit names as such."""
    spot = getattr(edit, "spot", None)
    for thing in (getattr(edit, "message", None), getattr(edit, "after", None), spot and spot.of):
        if isinstance(thing, Message):
            yield thing


def said_of(
    edits: Sequence[Edit], block_of: Callable[[Block], Block], message_of: Callable[[Message], Message]
) -> list[Edit]:
    """The same edits of another transcript of the same records: `block_of` and `message_of` give what stands there."""
    made: dict[int, Any] = {}

    def other(thing: Any) -> Any:
        if isinstance(thing, Block):
            return block_of(thing)
        if isinstance(thing, Message):
            return message_of(thing)
        if isinstance(thing, Spot | InsertResult):
            if id(thing) not in made:
                made[id(thing)] = _with_fields(thing, other)
            return made[id(thing)]
        return tuple(map(other, thing)) if isinstance(thing, tuple) else thing

    return [other(edit) if isinstance(edit, InsertResult) else _with_fields(edit, other) for edit in edits]


_NAMING: Final = ("block", "call", "result", "message", "after", "order", "spot", "of")


def _with_fields(thing: Any, other: Callable[[Any], Any]) -> Any:
    return replace(thing, **{name: other(getattr(thing, name)) for name in _NAMING if hasattr(thing, name)})
