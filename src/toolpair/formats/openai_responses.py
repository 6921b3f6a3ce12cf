"""Lists of items of OpenAI's Responses API: the `input` of a request, or what a program keeps of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from operator import not_
from typing import Any

from msgspec.structs import replace

from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.formats.plain import PlainFormat
from toolpair.formats.telling import RESPONSES, Told
from toolpair.transcript.edits import Edit
from toolpair.transcript.item_types import type_name
from toolpair.transcript.model import Block, EmptyObject, Message, Scope, Transcript


class OpenAIResponsesFormat(PlainFormat):
    """Plain arrays and JSON lines of items, judged as they stand."""

    id = "openai-responses"
    title = "OpenAI Responses items"
    profile = "openai-responses"
    containers = frozenset({"array", "lines"})
    where = "the `input` of request bodies, logs and exports of programs that use the Responses API"

    in_windows = False  # outputs alone may go on from calls that are kept elsewhere, which all items tell

    def sniff(self, values: Sequence[Any]) -> int:
        return 91 if Told().hear_all(values).sure == RESPONSES else 0

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        from toolpair.formats.item_messages import HistoryItem, messages_of

        own = [isinstance(item.value, dict) and not isinstance(item.value, EmptyObject) for item in items]
        scopes: dict[int, Scope] = {item.uid: "malformed" for item in compress(items, map(not_, own))}
        entries = [HistoryItem(item.uid, (), item.value) for item in compress(items, own)]
        made = messages_of(entries)
        made = _of_the_family_of_their_calls(made)
        answered = frozenset(b.id for message in made for b in message.results if isinstance(b.id, str))
        messages = [_without_partnerless(message, answered) for message in made]
        transcript = Transcript(tuple(messages), layout="tool_messages", scopes=scopes)
        return with_calls_kept_elsewhere(transcript) if _goes_on([entry.item for entry in entries]) else transcript

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.formats.item_editor import ItemEditor

        before = {id(item) for item in items}
        after = ItemEditor(items, transcript).run(edits)
        return [item if id(item) in before else _as_input(item) for item in after]


def _as_input(item: Item) -> Item:
    """A message of the assistant that was made of something else: as input its words are one string."""
    value = item.value
    if value.keys() != {"type", "role", "content"} or value["role"] != "assistant" or not _parts(value):
        return item
    if any(part.keys() != {"type", "text"} or part["type"] != "output_text" for part in _parts(value)):
        return item
    return Item(item.uid, {**value, "content": "\n".join(part["text"] for part in _parts(value))})


def _parts(value: dict[str, Any]) -> list[Any]:
    content = value.get("content")
    return content if isinstance(content, list) else []


def _without_partnerless(message: Message, answered: frozenset[str]) -> Message:
    """A shell call that no function's output answers is answered by an item of a kind of its own, or by none."""
    if not any(_waits_for_none(block, answered) for block in message.calls):
        return message
    blocks = (replace(block, kind="other") if _waits_for_none(block, answered) else block for block in message.blocks)
    return replace(message, blocks=tuple(blocks))


def _of_the_family_of_their_calls(messages: list[Message]) -> list[Message]:
    """Outputs that say that they are something else are of the kind that their call wants."""
    from toolpair.dialects.openai_responses import is_mislabelled

    odd = [message for message in messages if any(is_mislabelled(block.value) for block in message.results)]
    if not odd:
        return messages
    families = {block.id: block.family for message in messages for block in message.calls if isinstance(block.id, str)}

    def fitting(message: Message) -> Message:
        blocks = (
            replace(block, family=families.get(block.id, block.family)) if is_mislabelled(block.value) else block
            for block in message.blocks
        )
        return replace(message, blocks=tuple(blocks))

    return [fitting(message) if any(message is found for found in odd) else message for message in messages]


def _waits_for_none(block: Block, answered: frozenset[str]) -> bool:
    return block.kind == "call" and type_name(block.value) == "local_shell_call" and block.id not in answered


def _goes_on(items: Sequence[dict[str, Any]]) -> bool:
    """Whether the list goes on from what the API keeps: it names stored items, or has outputs and no word of the model.

    The calls are in the stored response then, which the request names beside its input.
    """
    from toolpair.dialects.openai_responses import is_of_assistant

    if any(type_name(item) == "item_reference" for item in items):
        return True
    return not any(is_of_assistant(item) for item in items)


def with_calls_kept_elsewhere(transcript: Transcript) -> Transcript:
    """The transcript where outputs whose calls are not in it answer calls that the API keeps."""
    calls = {block.id for message in transcript.messages for block in message.calls if isinstance(block.id, str)}
    messages: list[Message] = []
    for message in transcript.messages:
        if any(not isinstance(block.id, str) or block.id in calls for block in message.results) or not message.results:
            messages.append(message)
        else:
            blocks = tuple(replace(block, kind="other") for block in message.blocks)
            messages.append(replace(message, blocks=blocks))
    return replace(transcript, messages=tuple(messages))


FORMAT = OpenAIResponsesFormat()
