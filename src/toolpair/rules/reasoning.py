"""Thinking blocks: signatures that are missing, and turns that must begin with thinking."""

from __future__ import annotations

from typing import Any

from toolpair.rules.base import Cause, Fix
from toolpair.rules.context import Context
from toolpair.transcript.edits import Remove
from toolpair.transcript.model import Block


def check(context: Context) -> None:
    for number, message in enumerate(context.messages):
        thinking = [block for block in message.blocks if block.kind == "thinking" and not is_item(block)]
        bad = [block for block in thinking if not signed(block)]
        if not bad:
            continue
        context.add(
            "reasoning.bad_signature",
            "A thinking block has no signature, so the API cannot check it.",
            at=(number, message.blocks.index(bad[0])),
            about=message,
            others=tuple(thinking),
            record=bad[0].record,
            cause=Cause(
                "thinking_unsigned", "the thinking comes from another provider, or its signature was not saved"
            ),
            fixes=(
                Fix(
                    "remove-thinking",
                    "remove the thinking of this message",
                    tuple(Remove(block) for block in thinking),
                    recommended=True,
                    loses="the model's thinking in this message",
                ),
            ),
        )
    _must_begin_with_thinking(context)


def is_item(block: Block) -> bool:
    """Whether it is a reasoning item of the Responses API, which carries no signature."""
    return isinstance(block.value, dict) and block.value.get("type") == "reasoning"


def signed(block: Block) -> bool:
    """Whether a thinking block carries what the API checks."""
    value: Any = block.value
    if not isinstance(value, dict):
        return False
    if value.get("type") == "redacted_thinking":
        return bool(value.get("data"))
    return bool(value.get("signature"))


def _must_begin_with_thinking(context: Context) -> None:
    # An agent decides anew for each request whether it asks for thinking.
    if context.transcript.thinking is not True or context.transcript.native:
        return
    for number in range(len(context.messages) - 1, -1, -1):
        message = context.messages[number]
        if message.role != "assistant":
            continue
        if message.calls and message.blocks and message.blocks[0].kind != "thinking":
            context.add(
                "reasoning.missing_before_call",
                "Thinking is switched on, but the last turn with calls does not begin with thinking.",
                at=(number, 0),
                about=message,
                no_fix="Thinking cannot be made up: switch it off for the next request, or take the last turn back.",
            )
        return
