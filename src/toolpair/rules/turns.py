"""The shape of the conversation: where calls stand in a turn, how it begins, alternates and ends."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.rules.base import Cause, Fix
from toolpair.rules.context import Context, tool_of
from toolpair.transcript.edits import Arrange, InsertMessage, RemoveMessage
from toolpair.transcript.model import Block


def check(context: Context) -> None:
    if not context.messages:
        return
    _calls_last(context)
    _first(context)
    _alternation(context)
    _last(context)


def _calls_last(context: Context) -> None:
    if context.tool_messages:
        return
    for number, message in enumerate(context.messages):
        if message.role != "assistant":
            continue
        position = _something_behind_a_call(message.blocks)
        if position is None:
            continue
        call = next(block for block in message.blocks if block.kind == "call")
        pairs = [found for block in message.calls if (found := context.pairing.pair_of(block)) is not None]
        context.add(
            "call.not_trailing",
            f"Something stands behind the call of {tool_of(call)}, and calls must come last in their message.",
            at=(number, position),
            pairs=pairs,
            call=call,
            about=message,
            cause=Cause("text_after_call", "text or another block follows a call in the same message"),
            fixes=(
                Fix(
                    "calls-last",
                    "move the calls to the end of their message",
                    (Arrange(message, "calls_last"),),
                    recommended=True,
                ),
            ),
        )


def _something_behind_a_call(blocks: Sequence[Block]) -> int | None:
    """The first block behind a call that is neither a call nor a result, which has a rule of its own."""
    seen = False
    for position, block in enumerate(blocks):
        if block.kind == "call":
            seen = True
        elif seen and block.kind != "result":
            return position
    return None


def _first(context: Context) -> None:
    first = next((message for message in context.messages if message.role not in ("system", "developer")), None)
    if first is None or context.transcript.native or first.role in ("user", "tool", "function"):
        return
    number = context.messages.index(first)
    context.add(
        "turn.first_not_user",
        "The conversation does not begin with a message of the user, which some APIs want.",
        at=(number, None),
        about=first,
        fixes=(
            Fix(
                "insert-user",
                "put a short message of the user in front",
                (InsertMessage(context.messages[number - 1] if number else None, "user", "(conversation resumed)"),),
                recommended=True,
            ),
        ),
    )


def _alternation(context: Context) -> None:
    if context.transcript.merged or not context.judges("turn.alternation"):
        return
    for number, (before, after) in enumerate(zip(context.messages, context.messages[1:], strict=False), 1):
        if before.role != after.role or before.role not in ("user", "assistant"):
            continue
        context.add(
            "turn.alternation",
            f"Two messages of the {after.role} stand one after the other, which most APIs accept.",
            at=(number, None),
            about=after,
            cause=Cause("same_role_twice", "two messages of one role in a row"),
            no_fix="The API joins them itself; joining them here would change records for nothing.",
        )


def _last(context: Context) -> None:
    last = context.messages[-1]
    number = len(context.messages) - 1
    if last.role != "assistant" or last.calls or context.transcript.native:
        return
    context.add(
        "turn.trailing_assistant",
        "The conversation ends with the assistant's words, which newer models refuse to go on from.",
        at=(number, None),
        about=last,
        cause=Cause("ends_with_assistant", "a finished conversation, or one to be continued by the user"),
        fixes=(
            Fix(
                "insert-user",
                'add a message of the user, "Continue."',
                (InsertMessage(last, "user", "Continue."),),
                recommended=True,
            ),
            Fix(
                "remove-message", "remove the last message", (RemoveMessage(last),), loses="the assistant's last words"
            ),
        ),
    )
    if context.transcript.thinking is False and any(block.kind == "thinking" for block in last.blocks):
        context.add(
            "reasoning.final_thinking_disabled",
            "The last message holds thinking, but the request has thinking switched off.",
            at=(number, None),
            about=last,
            no_fix="Switch thinking on in the request, or add a message of the user behind it.",
        )
