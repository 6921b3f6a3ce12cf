"""Lists of items of OpenAI's Responses API: the `input` of a request, or a program's record of a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from toolpair.dialects.item_types import type_name
from toolpair.dialects.openai_responses import foreign_blocks, is_mislabelled, is_of_assistant
from toolpair.formats.engine.detection.list_evidence import RESPONSES, evidence_of, is_foreign
from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, EmptyObject, Message, Scope, Transcript

if TYPE_CHECKING:
    from toolpair.formats.engine.reading.item_messages import HistoryItem


def sniff(values: Sequence[Any]) -> int:
    return 91 if evidence_of(values).sure == RESPONSES else 0


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    from toolpair.formats.engine.reading.item_messages import HistoryItem

    items = [item for item in items if not is_foreign(item.value)]
    own = [isinstance(item.value, dict) and not isinstance(item.value, EmptyObject) for item in items]
    scopes: dict[int, Scope] = {item.uid: "malformed" for item in compress(items, map(not_, own))}
    entries = [
        HistoryItem(item.uid, (), item.value, blocks=foreign_blocks(item.value, item.uid))
        for item in compress(items, own)
    ]
    return transcript_of(entries, scopes)


def transcript_of(entries: Sequence[HistoryItem], scopes: Mapping[int, Scope]) -> Transcript:
    """The transcript of a list of these items; `scopes` are those of records that are none."""
    from toolpair.formats.engine.reading.item_messages import messages_of

    made = messages_of(entries)
    made = _of_the_family_of_their_calls(made)
    answered = frozenset(b.id for message in made for b in message.results if isinstance(b.id, str))
    messages = [_without_partnerless(message, answered) for message in made]
    transcript = Transcript(tuple(messages), layout="tool_messages", scopes=scopes)
    return with_calls_kept_elsewhere(transcript) if _goes_on([entry.item for entry in entries]) else transcript


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    from toolpair.dialects.openai_responses_writer import INPUT_WRITER
    from toolpair.formats.lists.writing import ListEdits

    return ListEdits(items, transcript, INPUT_WRITER).run(edits)


def _without_partnerless(message: Message, answered: frozenset[str]) -> Message:
    """Turn shell calls without a function output into other blocks: another type of item answers them, or none."""
    if not any(_waits_for_none(block, answered) for block in message.calls):
        return message
    blocks = (replace(block, kind="other") if _waits_for_none(block, answered) else block for block in message.blocks)
    return replace(message, blocks=tuple(blocks))


def _of_the_family_of_their_calls(messages: list[Message]) -> list[Message]:
    """Give outputs with a wrong type the family that their call requires."""
    odd = [message for message in messages if any(is_mislabelled(block.value) for block in message.results)]
    if not odd:
        return messages
    families = {
        block.id: block.call_kind for message in messages for block in message.calls if isinstance(block.id, str)
    }

    def fitting(message: Message) -> Message:
        blocks = (
            replace(block, call_kind=families.get(block.id, block.call_kind)) if is_mislabelled(block.value) else block
            for block in message.blocks
        )
        return replace(message, blocks=tuple(blocks))

    return [fitting(message) if any(message is found for found in odd) else message for message in messages]


def _waits_for_none(block: Block, answered: frozenset[str]) -> bool:
    return block.kind == "call" and type_name(block.value) == "local_shell_call" and block.id not in answered


def _goes_on(items: Sequence[dict[str, Any]]) -> bool:
    """Whether the list continues something that the API stores: it refers to stored items, or has outputs but no model
    text.

    The calls are then in the stored response, which the request names next to its input.
    """
    if any(type_name(item) == "item_reference" for item in items):
        return True
    return not any(is_of_assistant(item) for item in items)


def with_calls_kept_elsewhere(transcript: Transcript) -> Transcript:
    """The transcript with outputs whose calls the API stores turned into other blocks."""
    calls = {block.id for message in transcript.messages for block in message.calls if isinstance(block.id, str)}
    messages: list[Message] = []
    for message in transcript.messages:
        if any(not isinstance(block.id, str) or block.id in calls for block in message.results) or not message.results:
            messages.append(message)
        else:
            blocks = tuple(replace(block, kind="other") for block in message.blocks)
            messages.append(replace(message, blocks=blocks))
    return replace(transcript, messages=tuple(messages))
