"""Signatures of Gemini's calls, and thinking that has to come back: what is there, and what may stand in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import openai_chat
from toolpair.dialects.block_values import THOUGHT_SIGNATURE, signature_beside, with_fields
from toolpair.dialects.new_ids import THOUGHT
from toolpair.rules.context import Context
from toolpair.rules.problem import Fix
from toolpair.transcript.model import Block, Message

SKIP_SIGNATURE: Final = "skip_thought_signature_validator"
"""Google's documented value for calls from elsewhere that have no signature."""
OFF: Final = 'Thinking cannot be made up: turn it off for the next request ("thinking": {"type": "disabled"}).'
_BLANK: Final = {"moonshot": " "}
"""What stands for thinking that is gone, where that is not an empty text: kimi-k2.5 and later refuse that."""


def empty_thinking(context: Context, messages: Sequence[Message]) -> Fix:
    blank = _BLANK.get(context.provider, "")
    title = "write an empty reasoning_content" if blank == "" else "write a reasoning_content of one space"
    return Fix(
        "empty-thinking",
        title if len(messages) == 1 else f"{title} into {len(messages):,} messages",
        tuple(openai_chat.with_thinking(message, blank) for message in messages),
        note="servers accept it, although their documentation does not say so; it is not the model's thinking",
        several=title,
    )


def last_asked(context: Context) -> int:
    """The number of the message with which the current turn begins: the user's last words."""
    numbered = enumerate(context.messages)
    return max((number for number, one in numbered if one.role == "user" and not one.results), default=-1)


def can_be_signed(context: Context, call: Block) -> bool:
    """Whether the list that holds the call has a place for its signature."""
    return context.written == "chat" or (context.written == "blocks" and signature_beside(call) is not None)


def google_signature(call: Block) -> Any:
    if isinstance(call.id, str) and THOUGHT in call.id:
        return SKIP_SIGNATURE  # appended to the id, where LiteLLM reads it
    return openai_chat.thought_signature(call) or signature_beside(call)


def skipping(context: Context, calls: Sequence[Block]) -> Fix:
    """The fix that signs calls with the value that Google documents for calls from elsewhere."""
    several = "write the value that Google documents for calls without a signature"
    signed = (
        openai_chat.with_thought_signature(call, SKIP_SIGNATURE)
        if context.written == "chat"
        else with_fields(call, **{THOUGHT_SIGNATURE: SKIP_SIGNATURE})
        for call in calls
    )
    return Fix(
        "skip-signature",
        "write the value that Google documents for calls without one" if len(calls) == 1 else several,
        tuple(signed),
        recommended=True,
        note="the model continues without what it thought before "
        + ("this call" if len(calls) == 1 else f"these {len(calls):,} calls"),
        several=several,
    )
