"""Items of the Responses API as messages: one per response of the model, and one for each other item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.openai_responses import STAND_INS, block_of, is_call, is_of_assistant, is_output, type_of
from toolpair.formats.engine.reading.context_texts import is_context, is_summary
from toolpair.transcript.model import Block, ContentShape, Message, Slot, StandIns

_STAND_INS: Final = frozenset(
    id(block) for message in (*STAND_INS.before, *STAND_INS.after) for block in message.blocks
)


class ItemFrame(Struct, eq=False):
    """Items that were read as a window of a longer history."""

    spills: bool = False
    by_block: bool = True

    @property
    def around(self) -> StandIns:
        return STAND_INS

    def theirs(self, sent: Sequence[Any]) -> Sequence[Any] | None:
        """The items that are sent from these records."""
        return [message for message in sent if all(id(part.block) not in _STAND_INS for part in message.parts)]


class HistoryItem(Struct, frozen=True, eq=False):
    """One item of the history and its place. With `made`, the agent built the item: it is not in the file."""

    record: int
    slot: Slot
    item: dict[str, Any]
    made: bool = False
    blocks: tuple[Block, ...] = ()
    """What the item says, where another API keeps several blocks in it, or spells its one otherwise."""


def messages_of(entries: Sequence[HistoryItem], responses: Mapping[int, int] | None = None) -> list[Message]:
    """The messages: the items of a response are one, each output and each other message is one.

    `responses` maps record uids to response numbers; without it, a message after a call starts a new response.
    """
    messages: list[Message] = []
    run: list[HistoryItem] = []
    for entry in entries:
        of_assistant = is_of_assistant(entry.item) or any(block.kind == "call" for block in entry.blocks)
        if run and (not of_assistant or _begins_anew(entry, run, responses)):
            messages.append(_message("assistant", run))
            run = []
        if of_assistant:
            run.append(entry)
        else:
            role = "tool" if _all_results(entry.blocks) else _role(entry.item)
            messages.append(_message(role, [entry]))
    if run:
        messages.append(_message("assistant", run))
    return messages


def _begins_anew(entry: HistoryItem, run: Sequence[HistoryItem], responses: Mapping[int, int] | None) -> bool:
    """Whether the item starts a new response. That can only happen after a call."""
    if not is_call(run[-1].item) and not any(block.kind == "call" for block in run[-1].blocks):
        return False
    if responses is None:
        return type_of(entry.item) == "message"
    return responses.get(entry.record) != responses.get(run[-1].record)


def _all_results(blocks: Sequence[Block]) -> bool:
    return bool(blocks) and all(block.kind == "result" for block in blocks)


def _role(item: dict[str, Any]) -> Any:
    if is_output(item):
        return "tool"
    return item.get("role") if type_of(item) == "message" else "user"


def _message(role: Any, entries: Sequence[HistoryItem]) -> Message:
    blocks = tuple(
        block for entry in entries for block in entry.blocks or (block_of(entry.item, entry.record, entry.slot),)
    )
    item = entries[0].item if len(entries) == 1 else None
    note = None
    if item is not None and (type_ := type_of(item)) in ("message", "agent_message"):
        if is_summary(item):
            note = "summary"
        elif type_ == "agent_message" or is_context(item):
            note = "meta"
    shape: ContentShape = "string" if item is not None and isinstance(item.get("content"), str) else "blocks"
    return Message(role, blocks, tuple(dict.fromkeys(entry.record for entry in entries)), shape, item, note)
