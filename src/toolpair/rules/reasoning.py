"""Rules about thinking: signatures missing or corrupted, and turns that must include the model's thinking.

Another provider's thinking is left out when a transcript is converted, so it is checked only where it can arrive.
"""

from __future__ import annotations

from typing import Any, Final

from toolpair.dialects import anthropic, openai_chat
from toolpair.dialects.block_values import is_object
from toolpair.dialects.openai_responses import is_reasoning
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import KEPT_ASIDE, Cause, Fix
from toolpair.rules.profiles import profile
from toolpair.rules.rule import Rule, when_named
from toolpair.rules.signatures import (
    OFF,
    SKIP_SIGNATURE,
    can_be_signed,
    empty_thinking,
    google_signature,
    last_asked,
    skipping,
)
from toolpair.rules.where import Where, at_message
from toolpair.shell.program import command
from toolpair.transcript.edits import set_aside
from toolpair.transcript.model import Block, Message

_BYPASSES: Final = frozenset({SKIP_SIGNATURE, "context_engineering_is_the_way_to_go"})


def check(context: Context) -> None:
    if context.wire in ("anthropic", "bedrock"):
        if "thinking" in context.kinds:
            _signatures(context)
        _must_begin_with_thinking(context)
    elif context.wire == "gemini" and context.written != "items":
        _thought_signatures(context)
    elif context.wire == "chat" and context.written == "chat":
        _thinking_brought_back(context)


RULES: Final = (
    Rule("reasoning.bad_signature", "reasoning", check, named=when_named("thinking:refused")),
    Rule("reasoning.missing_signature", "reasoning", check, named=when_named("thinking:unsigned")),
    Rule("reasoning.missing_before_call", "reasoning", check, named=when_named("thinking:missing"), whole_history=True),
    Rule("reasoning.prefix_changed", "reasoning", named=when_named("thinking:bound")),
    Rule("reasoning.unresolvable_ref", "reasoning", named=when_named("thinking:not_stored")),
)


def _signatures(context: Context) -> None:
    for number, message in enumerate(context.messages):
        thoughts = [block for block in message.blocks if block.kind == "thinking" and not is_reasoning(block)]
        bad = [block for block in thoughts if not anthropic.is_signed(block)]
        if not bad:
            continue
        foreign = not context.is_error("reasoning.bad_signature")
        context.add(
            "reasoning.bad_signature",
            f"A thinking block of {context.transcript.model or 'another model'} has no signature, which only "
            f"Anthropic's models require: `{command('check')} --profile {context.provider} FILE` checks for those."
            if foreign
            else "A thinking block has no signature, so the API cannot check it.",
            Where(
                at=(number, message.blocks.index(bad[0])), others=tuple(thoughts), about=message, record=bad[0].record
            ),
            cause=Cause(
                "thinking_unsigned", "the thinking comes from another provider, or its signature was not saved"
            ),
            fixes=(
                Fix(
                    "remove-thinking",
                    "remove the thinking from this message",
                    tuple(edit for block in thoughts for edit in set_aside(block)),
                    recommended=not foreign,
                    loses=f"the model's thinking in this message{KEPT_ASIDE}",
                ),
            ),
        )


def _must_begin_with_thinking(context: Context) -> None:
    # An agent decides for each request whether to ask for thinking.
    if context.transcript.thinking is not True or context.transcript.native or context.written != "blocks":
        return
    for number in range(len(context.messages) - 1, -1, -1):
        message = context.messages[number]
        if message.role != "assistant":
            continue
        if message.calls and message.blocks and message.blocks[0].kind != "thinking":
            context.add(
                "reasoning.missing_before_call",
                "Thinking is on, but the last turn with calls does not start with thinking.",
                Where(at=(number, 0), about=message),
                no_fix="Thinking cannot be made up: turn it off for the next request, or go back one turn.",
            )
        return


def _thinking_brought_back(context: Context) -> None:
    """Assistant messages with calls but without their thinking.

    That thinking is on is known from the request, the user's choice of profile, or other thinking in the transcript.
    """
    if not context.judges("reasoning.missing_before_call"):
        return
    calling = [(number, message) for number, message in enumerate(context.messages) if message.calls]
    chosen = context.profile.family == "thinking" and context.profile is profile(context.profile.id)
    if not (
        context.transcript.thinking or chosen or any(openai_chat.brings_thinking(message) for _, message in calling)
    ):
        return
    asked = max((number for number, message in enumerate(context.messages) if message.role == "user"), default=-1)
    for number, message in calling:
        if openai_chat.brings_thinking(message) or not is_object(message):
            continue
        # Some of DeepSeek's models require it only until the user's next prompt.
        older = number < asked and context.provider == "deepseek"
        context.add(
            "reasoning.missing_before_call",
            f"The thinking before the call of {tool_of(message.calls[0])} is gone (reasoning_content), and "
            f"{context.profile.title} requires it.",
            at_message(number, message),
            severity="warning" if older else None,
            cause=Cause("thinking_dropped", "a client or a converter left out the model's thinking in some messages"),
            fixes=(empty_thinking(context, [message]),),
            no_fix=f"{OFF} Or write an empty one.",
        )


def _thought_signatures(context: Context) -> None:
    """Gemini's signatures on the first call of each step, also as its OpenAI-compatible endpoint writes them."""
    signatures = {
        id(call): found for message in context.messages for call in message.calls if (found := google_signature(call))
    }
    if not signatures and context.profile.family != "3":
        return  # it may be for a model that requires none
    asked = last_asked(context)
    for number, message in enumerate(context.messages):
        for position, call in enumerate(message.calls):
            if not can_be_signed(context, call):
                break
            signature = signatures.get(id(call))
            if signature is not None and not is_whole(signature):
                _signature(context, number, message, call, "reasoning.bad_signature", "is damaged")
            elif signature is None and position == 0 and number > asked:
                _signature(context, number, message, call, "reasoning.missing_signature", "is missing")


def is_whole(signature: Any) -> bool:
    """Whether a thought signature may be what a model gave."""
    if not isinstance(signature, str) or signature in _BYPASSES:
        return isinstance(signature, str)
    from base64 import b64decode

    try:
        return bool(b64decode(signature.translate({45: 43, 95: 47}) + "=" * (-len(signature) % 4), validate=True))
    except ValueError:
        return False


def _signature(context: Context, number: int, message: Message, call: Block, rule: str, what: str) -> None:
    pair = context.pairing.pair_of(call)
    context.add(
        rule,
        f"The thought signature of the call of {tool_of(call)} {what}.",
        Where(at=(number, message.blocks.index(call)), pairs=(pair,), call=call, about=message),
        cause=Cause(
            "thought_signature", "a client did not save what came with the call, or the call comes from elsewhere"
        ),
        fixes=(skipping(context, [call]),),
    )
