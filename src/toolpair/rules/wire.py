"""In what form a transcript is written, and in what form a provider would get it.

A transcript may be judged by any provider, also by one that it was not written for. Then the rules speak of what the
provider would get after a faithful conversion, one that reorders nothing and leaves nothing out: what the other form
cannot express is no mistake of the transcript's, and what only a converter decides is not judged.
"""

from __future__ import annotations

from typing import Final, Literal

from toolpair.dialects.openai_responses import is_item_block
from toolpair.transcript.model import Message, Transcript

Wire = Literal["anthropic", "bedrock", "gemini", "chat", "responses"]
"""What a provider takes: results as blocks of a user's message (the first three), tool messages, or items."""
Written = Literal["blocks", "chat", "items"]

_WIRES: Final[dict[str, Wire]] = {
    "anthropic": "anthropic",
    "vertex-anthropic": "anthropic",
    "bedrock-converse": "bedrock",
    "gemini": "gemini",
    "openai-responses": "responses",
}


def wire_of(base: str) -> Wire:
    """What the provider with this profile takes; all that are not named take chat messages."""
    return _WIRES.get(base, "chat")


def written_as(transcript: Transcript) -> Written:
    """How the messages are written, by the first block that shows it."""
    if transcript.layout == "blocks":
        return "blocks"
    for block in (block for message in transcript.messages for block in message.blocks):
        if is_item_block(block):
            return "items"
        if block.kind != "other":
            return "chat"
    return "chat"


def is_system(message: Message) -> bool:
    """Whether it instructs the model: where such messages have no place among the others, they are lifted out."""
    return message.role in ("system", "developer")
