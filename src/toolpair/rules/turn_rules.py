"""Rules about the shape of the conversation: where calls come in a turn, how it begins, alternates and ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.dialects.openai_chat import is_prefix
from toolpair.rules import message_neighbours
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.rules.rule import NO_RESULT, Rule, when_named
from toolpair.rules.where import Where, at_message
from toolpair.rules.wire import is_system
from toolpair.transcript.edits import InsertMessage, RemoveMessage, Reorder
from toolpair.transcript.model import Block, Message


def check(context: Context) -> None:
    if not context.messages:
        return
    _calls_last(context)
    _first(context)
    _no_user(context)
    message_neighbours.check(context)
    _last(context)


RULES: Final = (
    Rule(
        "turn.first_not_user",
        "turns",
        check,
        named=lambda context, _: _first(context, "error"),
        decided_by="neighbours",
    ),
    Rule(
        "turn.no_user",
        "turns",
        check,
        named=lambda context, _: _no_user(context, "error"),
        whole_history=True,
        decided_by="neighbours",
    ),
    Rule(
        "turn.trailing_assistant",
        "turns",
        check,
        named=lambda context, _: _last(context, "error"),
        decided_by="neighbours",
    ),
    Rule("turn.alternation", "turns", check, named=message_neighbours.named_run, decided_by="neighbours"),
    Rule("turn.user_after_tool", "turns", check, decided_by="neighbours"),
    Rule("turn.call_after_model", "turns", check, decided_by="neighbours"),
    Rule("call.not_trailing", "calls", check, fix_order=620, of_pair=True, alike=NO_RESULT, decided_by="neighbours"),
    Rule(
        "result.text_after", "results", check, whole_history=True, of_pair=True, of_result=True, decided_by="neighbours"
    ),
    Rule("reasoning.final_thinking_disabled", "reasoning", check, named=when_named("thinking:final")),
)


def _calls_last(context: Context) -> None:
    if context.tool_messages:
        return
    for number, message in enumerate(context.messages):
        if message.role != "assistant":
            continue
        position = _first_other_after_a_call(message.blocks)
        if position is None:
            continue
        call = next(block for block in message.blocks if block.kind == "call")
        pairs = [found for block in message.calls if (found := context.pairing.pair_of(block)) is not None]
        must = "must" if context.is_error("call.not_trailing") else "should"
        context.add(
            "call.not_trailing",
            f"Something comes after the call of {tool_of(call)}, and calls {must} come last in their message.",
            Where(at=(number, position), pairs=pairs, call=call, about=message),
            cause=Cause("text_after_call", "text or another block follows a call in the same message"),
            fixes=(
                Fix(
                    "calls-last",
                    "move the calls to the end of their message",
                    (Reorder(message, "calls_last"),),
                    recommended=True,
                ),
            ),
        )


def _first_other_after_a_call(blocks: Sequence[Block]) -> int | None:
    """The first block after a call that is neither a call nor a result; those have rules of their own."""
    seen = False
    for position, block in enumerate(blocks):
        if block.kind == "call":
            seen = True
        elif seen and block.kind != "result":
            return position
    return None


def _first(context: Context, named: Severity | None = None) -> None:
    """`named`: an API refused it, whatever the agent adds before it sends."""
    first = next((message for message in context.messages if not is_system(message)), None)
    if first is None or (context.transcript.native and named is None):
        return
    if first.role in ("user", "tool", "function"):
        return
    number = context.messages.index(first)
    context.add(
        "turn.first_not_user",
        "The conversation does not start with a user message, which some APIs require.",
        at_message(number, first),
        severity=named or _severity_of_first(context, number, first),
        cause=Cause("begins_with_assistant", "the beginning was cut off, or the assistant greeted first"),
        fixes=(
            Fix(
                "insert-user",
                "add a short user message at the start",
                (InsertMessage(context.messages[number - 1] if number else None, "user", "(conversation resumed)"),),
                recommended=True,
            ),
        ),
    )


def _no_user(context: Context, named: Severity | None = None) -> None:
    """No message that the user wrote: results do not count. `named` as for the first."""
    judged = not context.transcript.native and context.written != "items" and context.judges("turn.no_user")
    if not (judged or named) or any(map(_asks, context.messages)):
        return
    first = next((number for number, one in enumerate(context.messages) if not is_system(one)), len(context.messages))
    at = min(first, len(context.messages) - 1)
    if named is None and context.messages[at].role == "assistant" and context.is_error("turn.first_not_user"):
        return  # its fix adds one
    context.add(
        "turn.no_user",
        f"No message here is the user's, which {context.profile.title} {context.refuses('turn.no_user')}.",
        at_message(at, context.messages[at]),
        severity=named,
        cause=Cause("no_user", "the beginning was cut off or shortened, or a program sent only a system prompt"),
        fixes=(
            Fix(
                "insert-user",
                "add a short user message at the start",
                (InsertMessage(context.messages[first - 1] if first else None, "user", "(conversation resumed)"),),
                recommended=True,
            ),
        ),
    )


def _asks(message: Message) -> bool:
    return message.role == "user" and any(block.kind != "result" for block in message.blocks)


def _severity_of_first(context: Context, number: int, first: Message) -> Severity | None:
    if context.wire == "gemini" and not first.calls:
        return "warning"  # only a call is known to be refused there
    if context.wire == "chat" and context.is_error("turn.first_not_user"):
        counted = next((message for message in context.messages if message_neighbours.is_plain(message)), None)
        return "error" if counted is not None and counted.role == "assistant" else "info"
    if context.provider == "mistral" and not number and _answered(context, first):
        return "error"  # the calls of the very first message are not counted, so its results are too many
    return None


def _answered(context: Context, message: Message) -> bool:
    found = [context.pairing.pair_of(call) for call in message.calls]
    return any(pair is not None and pair.results for pair in found)


def _last(context: Context, named: Severity | None = None) -> None:
    """`named` as for the first."""
    last = context.messages[-1]
    number = len(context.messages) - 1
    if last.role != "assistant" or last.calls or (context.transcript.native and named is None):
        return
    if context.wire == "chat" and is_prefix(last):
        return  # it asks for a continuation
    context.add(
        "turn.trailing_assistant",
        "The conversation ends with an assistant message, which newer models refuse to continue.",
        at_message(number, last),
        cause=Cause("ends_with_assistant", "a finished conversation, or one that the user has yet to continue"),
        fixes=(
            Fix(
                "insert-user",
                'add a user message, "Continue."',
                (InsertMessage(last, "user", "Continue."),),
                recommended=True,
            ),
            Fix(
                "remove-message", "remove the last message", (RemoveMessage(last),), loses="the assistant's last words"
            ),
        ),
        severity=named,
    )
    if context.transcript.thinking is False and any(block.kind == "thinking" for block in last.blocks):
        context.add(
            "reasoning.final_thinking_disabled",
            "The last message has thinking in it, but the request has thinking turned off.",
            at_message(number, last),
            no_fix="Turn thinking on in the request, or add a user message after it.",
        )
