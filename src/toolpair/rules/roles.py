"""Blocks in messages of the wrong role, and roles that the API does not know."""

from __future__ import annotations

from typing import Any, Final

from toolpair.rules.base import Cause, Fix, Severity
from toolpair.rules.context import Context, tool_of
from toolpair.transcript.edits import MoveToRole, Remove, SetField

_ROLES: Final = {
    "blocks": frozenset({"user", "assistant"}),
    "tool_messages": frozenset({"system", "developer", "user", "assistant", "tool", "function"}),
}
_KNOWN_AS: Final = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant", "gpt": "assistant"}


def check(context: Context) -> None:
    _calls_in_user(context)
    _unknown_roles(context)


def _calls_in_user(context: Context) -> None:
    for pair in context.pairing.pairs:
        call = pair.call
        if call is None or pair.call_at is None:
            continue
        role = context.messages[pair.call_at[0]].role
        if role == "assistant" or not isinstance(role, str):
            continue
        pair.state = "misplaced" if pair.state == "ok" else pair.state
        context.add(
            "role.call_in_user",
            f"The call of {tool_of(call)} stands in a message of the {role}.",
            at=pair.call_at,
            pair=pair,
            call=call,
            result=pair.result,
            cause=Cause("call_in_user", "a call can only be the assistant's"),
            fixes=(
                Fix(
                    "move-to-assistant",
                    "put the call into a message of the assistant",
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
    known = _ROLES[context.transcript.layout]
    for number, message in enumerate(context.messages):
        role: Any = message.role
        if isinstance(role, str) and role in known:
            continue
        if context.transcript.layout == "blocks" and any(block.kind == "call" for block in message.blocks):
            better = "assistant"
        else:
            better = _KNOWN_AS.get(role.casefold(), "user") if isinstance(role, str) else "user"
        severity: Severity | None = None
        if role in ("system", "developer") and context.transcript.layout == "blocks":
            severity = "warning"
            text = f"A {role} message stands among the messages, which only newer models accept."
        else:
            text = f"{context.profile.title} does not know the role {role if isinstance(role, str) else repr(role)}."
        context.add(
            "role.unknown",
            text,
            at=(number, None),
            about=message,
            severity=severity,
            cause=Cause("role_unknown", "another API's role name" if isinstance(role, str) else "no role was written"),
            fixes=(
                Fix(
                    f"role-{better}",
                    f"make it a message of the {better}",
                    (SetField(message, "role", better),),
                    recommended=True,
                    note="its words stay, their role changes",
                ),
            ),
        )
