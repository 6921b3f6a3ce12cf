"""What the Agents SDK sends of a session: measured on openai-agents 0.24.0 (`prepare_input_with_session`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolpair.dialects.item_types import type_name
from toolpair.formats.agent import Library
from toolpair.formats.engine.sending import request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.transcript.model import Block, Transcript

TITLE: Final = "OpenAI Agents SDK"
VERSION: Final = "0.24.0"
LIBRARY: Final = Library("agents-sdk", TITLE)
"""The Agents SDK itself, of which only what it does with a session is known."""
_OUTPUT_OF: Final = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "tool_search_call": "tool_search_output",
}
_BY_CALL: Final = frozenset({*_OUTPUT_OF, *_OUTPUT_OF.values()})
_STAYS: Final = frozenset({*_OUTPUT_OF, "mcp_approval_request", "reasoning"})
"""Of items of these types that are the same, the last one is sent in the place of the first."""


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    blocks = [block for message in transcript.messages for block in message.blocks]
    gone = set(map(id, _unanswered(blocks)))
    first: dict[Any, Block] = {}
    last: dict[Any, Block] = {}
    for block in blocks:
        if id(block) not in gone:
            key = _key(block)
            first.setdefault(key, block)
            last[key] = block
    sent: dict[int, SentPart] = {}
    for key, block in first.items():
        newest = last[key]
        place = block if type_name(block.value) in _STAYS else newest
        sent[id(place)] = SentPart.of(newest)
    said = (
        (str(message.role), [sent[id(block)] for block in message.blocks if id(block) in sent])
        for message in transcript.messages
    )
    return request(TITLE, VERSION, [one for one in said if one[1]], blocks)


def _unanswered(blocks: Sequence[Block]) -> Iterator[Block]:
    """Calls that no output names, wherever it stands, each with the reasoning right before it."""
    answered = {(type_name(block.value), block.value.get("call_id")) for block in blocks if _id_in(block, "call_id")}
    is_next_gone = False
    for block in reversed(blocks):
        type_ = type_name(block.value)
        if type_ != "reasoning":
            wanted = _OUTPUT_OF.get(type_ or "")
            is_next_gone = wanted is not None and (wanted, _id_in(block, "call_id")) not in answered
        if is_next_gone:
            yield block


def _key(block: Block) -> Any:
    """What two items have in common that are the same to the SDK."""
    type_ = type_name(block.value)
    name = "call_id" if type_ in _BY_CALL else "id"
    if type_ == "message" or (isinstance(block.value, dict) and block.value.get("role") is not None):
        return id(block)
    return (type_, found) if (found := _id_in(block, name)) is not None else id(block)


def _id_in(block: Block, name: str) -> str | None:
    found = block.value.get(name) if isinstance(block.value, dict) else None
    return found if isinstance(found, str) else None
