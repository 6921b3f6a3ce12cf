"""Rules about blocks in messages of the wrong role, and roles unknown to the API."""

from __future__ import annotations

from typing import Any, Final

from toolpair.dialects import openai_chat
from toolpair.dialects.block_values import field_of, with_fields
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix, Severity
from toolpair.rules.rule import Rule
from toolpair.rules.where import Where, at_call, at_message
from toolpair.transcript.edits import MoveToRole, Remove, SetField
from toolpair.transcript.model import LIFTED, Message

_ROLES: Final = {
    "blocks": frozenset({"user", "assistant"}),
    "tool_messages": frozenset({"system", "developer", "user", "assistant", "tool", "function"}),
}
_PLAIN_ROLES: Final = frozenset({"mistral", "deepseek", "moonshot", "groq"})
"""Providers whose documented roles are system, user, assistant and tool."""
_REFUSE_DEVELOPER: Final = frozenset({"mistral", "deepseek"})
"""Those of them known to refuse all others."""
_KNOWN_AS: Final = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant", "gpt": "assistant"}


def check(context: Context) -> None:
    _calls_in_user(context)
    _unknown_roles(context)


RULES: Final = (
    Rule("role.call_in_user", "roles", check, fix_order=130, decided_by="pairing"),
    Rule("role.unknown", "roles", check, fix_order=120),
)


def _calls_in_user(context: Context) -> None:
    messages = context.messages
    for pair in context.pairing.pairs:
        call = pair.call
        if call is None or pair.call_at is None:
            continue
        role = messages[pair.call_at[0]].role
        if role == "assistant" or not isinstance(role, str) or not context.judges("role.call_in_user"):
            continue
        context.add(
            "role.call_in_user",
            f"The call of {tool_of(call)} is in {f'a {role} message' if role.strip() else 'a message without a role'}.",
            at_call(pair),
            cause=Cause("call_in_user", "only the assistant can make calls"),
            fixes=(
                Fix(
                    "move-to-assistant",
                    "move the call into an assistant message",
                    (MoveToRole(call, "assistant"),),
                    recommended=True,
                ),
                Fix(
                    "remove-call",
                    "remove the call",
                    (Remove(call), *(Remove(result) for result in pair.results)),
                    loses="the call and its output",
                ),
            ),
        )


def _unknown_roles(context: Context) -> None:
    known = _known(context)
    in_order = context.provider == "mistral"
    before: Any = None
    for number, message in enumerate(context.messages):
        role: Any = message.role
        if in_order and role in ("system", "developer") and before in ("assistant", "tool"):
            _system_too_late(context, number, message, before)
            before = "user"
            continue
        if in_order:
            before = "tool" if message.blocks and all(block.kind == "result" for block in message.blocks) else role
        if context.transcript.layout == "tool_messages" and openai_chat.is_of_another(message):
            _result_of_another(context, number, message)
            continue
        if (isinstance(role, str) and role in known) or message.note == LIFTED:
            continue
        if role == "function":
            _function_role(context, number, message)
            continue
        if context.transcript.layout == "blocks" and any(block.kind == "call" for block in message.blocks):
            better = "assistant"
        elif role == "developer" and context.wire == "chat":
            better = "system"
        else:
            better = _KNOWN_AS.get(role.casefold(), "user") if isinstance(role, str) else "user"
        severity: Severity | None = None
        if role in ("system", "developer") and context.wire == "anthropic":
            severity = "warning"
            text = f"There is a {role} message in the conversation, which only newer models accept."
        else:
            text = _not_known(role, context.profile.title)
            if role == "developer" and context.provider not in _REFUSE_DEVELOPER:
                severity = "warning"
        context.add(
            "role.unknown",
            text,
            at_message(number, message),
            severity=severity,
            cause=Cause(
                "role_unknown",
                "another API's role name" if isinstance(role, str) and role.strip() else "no role was written",
            ),
            fixes=(
                Fix(
                    f"role-{better}",
                    f"change its role to {better}",
                    (SetField(message, "role", better),),
                    recommended=True,
                    note="its text stays, its role changes",
                ),
            ),
        )


def _not_known(role: Any, title: str) -> str:
    if isinstance(role, str) and role.strip():
        return f"{title} does not know the role {role}."
    if role is None or isinstance(role, str):
        return f"This message has no role, and {title} needs one."
    return f"The role of this message is not a text, and {title} needs one."


def _result_of_another(context: Context, number: int, message: Message) -> None:
    result = message.results[0]
    role = field_of(result, "role")
    whose = f"of the {role}" if isinstance(role, str) else "without a role"
    pair = context.pairing.pair_of(result)
    call = pair.call if pair is not None else None
    context.add(
        "role.unknown",
        f"The result of {tool_of(call or result)} stands in a message {whose}.",
        Where(at=(number, 0), pairs=(pair,), call=call, result=result, about=message),
        severity="error",
        cause=Cause("role_of_result", "a client wrote another role than the tool's beside the id of the call"),
        fixes=(
            Fix(
                "role-tool",
                "make it a message of the tool",
                (with_fields(result, role="tool"),),
                recommended=True,
            ),
        ),
    )


def _known(context: Context) -> frozenset[str]:
    """The roles that need no renaming. System messages are lifted out, or kept, by every API but Anthropic's."""
    if context.transcript.layout == "blocks":
        known = _ROLES["blocks"]
        if context.wire == "anthropic":
            return known
        return known | ({"system"} if context.provider in _PLAIN_ROLES else {"system", "developer"})
    known = _ROLES["tool_messages"]
    plain = context.provider in _PLAIN_ROLES and context.written == "chat"
    return known - {"developer", "function"} if plain else known


def _system_too_late(context: Context, number: int, message: Message, before: str) -> None:
    context.add(
        "role.unknown",
        f"{context.profile.title} does not accept a {message.role} message after "
        f"{'a result' if before == 'tool' else 'an assistant message'}.",
        at_message(number, message),
        cause=Cause("system_too_late", "instructions were put between the messages instead of before them"),
        fixes=(
            Fix(
                "role-user",
                "make it a user message",
                (SetField(message, "role", "user"),),
                recommended=True,
                note="its text stays, its role changes",
            ),
        ),
    )


def _function_role(context: Context, number: int, message: Message) -> None:
    """A result as OpenAI's older clients wrote it, and its call, which has no id."""
    pair = context.pairing.pair_of(message.blocks[0]) if message.blocks else None
    if pair is None or pair.call is None or pair.call_at is None or len(pair.results) != 1:
        return  # a separate problem
    call, result = pair.call, pair.results[0]
    home = context.messages[pair.call_at[0]]
    if not openai_chat.may_be_tool_call(home, call):
        return

    def fixes() -> tuple[Fix, ...]:
        new = context.new_id(None)
        return (
            Fix(
                "as-tool-call",
                f"write both as a tool call and its result, with the id {new}",
                openai_chat.as_tool_call(home, call, result, new),
                recommended=True,
                several="write the calls and their results as tool calls",
            ),
        )

    context.add(
        "role.unknown",
        f"{context.profile.title} does not know the role function.",
        Where(at=(number, None), pairs=(pair,), call=call, result=result, about=message),
        severity=None if context.provider in _REFUSE_DEVELOPER else "warning",
        cause=Cause("role_function", "an older client wrote the call and its result without an id"),
        fixes=fixes,
    )
