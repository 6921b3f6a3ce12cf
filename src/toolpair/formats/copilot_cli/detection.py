"""What shows that a file is a session of GitHub Copilot CLI: JSONL, a log of events. Measured on 1.0.102."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import copilot as dialect

START: Final = "session.start"
ABORT: Final = "abort"
RESUME: Final = "session.resume"
USAGE: Final = "session.usage_record"
CHAT: Final = "openai-chat"
_PROFILES: Final = {"completions": CHAT, "responses": "openai-responses", "messages": "anthropic"}
"""The last word of the address of an API -> the profile that its sessions are checked against."""
ASKED: Final = "tool.user_requested"
_OF_THE_CLI: Final = frozenset(
    {"interactionId", "transformedContent", "originatingMessageId", "toolTelemetry", "apiCallId", "encryptedContent"}
)
_KINDS_OF_THE_CLI: Final = frozenset({"system.message", dialect.SUMMARY, ASKED, ABORT, RESUME, USAGE})


def data_of(value: Any) -> dict[str, Any]:
    found = value.get("data") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _is_clis_start(event: dict[str, Any]) -> bool:
    """VS Code's differs by a key: a damaged one may be that."""
    data = data_of(event)
    return kind_of(event) == START and data.get("producer") == "copilot-agent" and all(map(str.isascii, data))


def _is_clis(event: dict[str, Any]) -> bool:
    """Whether Copilot writes such an event in the terminal and not in VS Code, where its transcript looks the same."""
    return bool(_OF_THE_CLI & data_of(event).keys()) or kind_of(event) in _KINDS_OF_THE_CLI


def kind_of(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def profile_for(values: Sequence[Any]) -> str:
    """That of the API: as the last usage that was counted says, else as the ids of the last calls show."""
    return next(filter(None, map(profile_in, reversed(values))), CHAT)


def profile_in(value: Any) -> str | None:
    """That of which an event tells."""
    if kind_of(value) == USAGE:
        return _PROFILES.get(_endpoint(value))
    calls = data_of(value).get(dialect.CALLS) if kind_of(value) == dialect.RESPONSE else None
    if not isinstance(calls, list) or not calls:
        return None
    id_ = calls[0].get("toolCallId") if isinstance(calls[0], dict) else None
    return "anthropic" if isinstance(id_, str) and id_.startswith("toolu_") else CHAT


def _endpoint(value: Any) -> str:
    """The last word of the address that a response was asked for at."""
    usage = data_of(value).get("usage")
    address = usage.get("apiEndpoint") if isinstance(usage, dict) else None
    return address.rpartition("/")[2] if isinstance(address, str) else ""


def sniff(values: Sequence[Any]) -> int:
    events = [value for value in values if isinstance(value, dict) and isinstance(value.get("data"), dict)]
    if not events or len(events) * 2 < len(values):
        return 0
    if any(map(_is_clis_start, events)):
        return 95
    own = (kind_of(event) in dialect.ROLES and {"id", "parentId", "timestamp"} & event.keys() for event in events)
    named = all("." in kind_of(event) or kind_of(event) == ABORT for event in events)
    return 94 if any(own) and named and any(map(_is_clis, events)) else 0


def knows(value: dict[str, Any]) -> bool:
    return isinstance(value.get("data"), dict) and ("." in kind_of(value) or kind_of(value) == ABORT)
