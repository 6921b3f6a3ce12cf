"""The form in which a transcript is written, and the form in which a provider would get it.

A transcript may be checked for any provider, including one it was not written for. Then the rules apply to what the
provider would get after a faithful conversion, which reorders nothing and leaves nothing out: what the other form
cannot express is not the transcript's mistake, and what only the converter decides is not checked.
"""

from __future__ import annotations

from typing import Final, Literal

from toolpair.dialects.openai_responses import is_item_block
from toolpair.transcript.model import Message, Transcript

Wire = Literal["anthropic", "bedrock", "gemini", "chat", "responses"]
"""What a provider takes: results as blocks of a user message (the first three), tool messages, or items."""
Written = Literal["blocks", "chat", "items"]

_WIRES: Final[dict[str, Wire]] = {
    "anthropic": "anthropic",
    "vertex-anthropic": "anthropic",
    "bedrock-converse": "bedrock",
    "gemini": "gemini",
    "openai-responses": "responses",
}


def wire_of(base: str) -> Wire:
    """The form for the provider with this profile; any that is not listed takes chat messages."""
    return _WIRES.get(base, "chat")


def written_as(transcript: Transcript) -> Written:
    """The form of the messages, by the first block that shows it."""
    if transcript.layout == "blocks":
        return "blocks"
    for block in (block for message in transcript.messages for block in message.blocks):
        if is_item_block(block):
            return "items"
        if block.kind != "other":
            return "chat"
    return "chat"


def is_system(message: Message) -> bool:
    """Whether it is a system message: where the API has no place for those among the others, they are lifted out."""
    return message.role in ("system", "developer")
