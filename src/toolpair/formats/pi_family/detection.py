"""What shows that records are written as pi writes them, and by which agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects import pi as dialect
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import profile_of
from toolpair.transcript.model import Block

_PROFILES: Final = {
    "openai-completions": "openai-chat",
    "mistral-conversations": "mistral",
    "openai-responses": "openai-responses",
    "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses",
    "google-generative-ai": "gemini",
    "google-gemini-cli": "gemini",
    "google-vertex": "gemini",
    "bedrock-converse-stream": "bedrock-converse",
}
"""`api` of a response -> the profile that its session is checked against."""
_KINDS: Final = (
    "compaction",
    "compactionSummary",
    "branch_summary",
    "branchSummary",
    "context_edit",
    "custom",
    "custom_message",
    "label",
    "model_change",
    "session_info",
    "thinking_level_change",
)
"""Types of records that only pi's files have, besides messages; all files have one of them, or a message."""
ROLES: Final = ("user", "assistant", dialect.RESULT)
_NOT_SESSIONS: Final = ("agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_end")
"""Records of what `pi --mode json` prints, which begins as a session does."""
_OF_OH_MY_PI: Final = (
    "reset_boundary",
    "ttsr_injection",
    "title_change",
    "credential_pin",
    "service_tier_change",
    "model_usage",
    "mode_change",
    "session_init",
)
"""Types of records that only oh-my-pi writes."""
OPENCLAW_NO_RESULT: Final = (
    "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."
)
"""What OpenClaw writes as the result of a call that has none."""
_OPENCLAW_BEGINS: Final = OPENCLAW_NO_RESULT.partition(";")[0]
_OF_OPENCLAW: Final = re.compile(r"\.(?:openclaw|clawdbot|moltbot)(?:-[^/\\]+)?")
"""The folder, under its present and its former names, in which OpenClaw keeps its workspaces."""
_OPENCLAWS_TABLES: Final = frozenset({"transcript_events", "session_transcript_index_state", "session_windows"})
_FOLDERS: Final = re.compile(r"[/\\]")


def message_in(value: Any) -> dict[str, Any]:
    found = value.get("message") if isinstance(value, dict) and value.get("type") == "message" else None
    return found if isinstance(found, dict) else {}


def sniff_pi(values: Sequence[Any]) -> int:
    return 0 if has_marks(values) or has_own_records(values) else looks(values)


def sniff_oh_my_pi(values: Sequence[Any]) -> int:
    if not has_own_records(values):
        return 0
    return looks([value for value in values if not is_title(value)])


def sniff_openclaw(values: Sequence[Any]) -> int:
    if any(row_of(value, "transcript_events") for value in values):
        return 95
    return looks(values) if has_marks(values) else 0


def looks(values: Sequence[Any]) -> int:
    """How surely these are records as pi writes them, whichever agent did."""
    records = [value for value in values if isinstance(value, dict)]
    if any(record.get("type") in _NOT_SESSIONS for record in records):
        return 0
    first, others = (records[0], records[1:]) if records else ({}, [])
    if _is_session(first) and (isinstance(first.get("cwd"), str) or "version" in first):
        begun = not others and isinstance(first.get("timestamp"), str)
        if begun or any(map(_is_own, others)) or has_own_records(others):
            return 95
    return 93 if any(map(_is_turn, records)) and not any(map(_has_others_parts, records)) else 0


def knows(value: dict[str, Any]) -> bool:
    return _is_own(value) or is_title(value) or _is_of_oh_my_pi(value)


def knows_openclaw(value: dict[str, Any]) -> bool:
    return knows(value) or bool(value.keys() & _OPENCLAWS_TABLES)


def profile_for(values: Sequence[Any]) -> str:
    """That of the API that the last of these responses came from."""
    messages = (message_in(value) for value in reversed(values))
    api = next((message.get("api") for message in messages if message.get("role") == "assistant"), None)
    return profile_of(api, _PROFILES, "anthropic")


def _is_session(value: dict[str, Any]) -> bool:
    return value.get("type") == "session" and isinstance(value.get("id"), str)


def _is_own(value: dict[str, Any]) -> bool:
    """Whether pi, or an agent that writes its files, writes such records."""
    if value.get("type") == "message":
        return bool(message_in(value))
    return type_name(value) in _KINDS or (_is_session(value) and isinstance(value.get("timestamp"), str))


def _is_turn(value: dict[str, Any]) -> bool:
    """Whether only such an agent writes this message: others have linked ones, too, but with no time in them."""
    message = message_in(value)
    return message.get("role") in ROLES and "timestamp" in message and {"id", "parentId"} <= value.keys()


def _has_others_parts(record: dict[str, Any]) -> bool:
    """Whether its message has calls or results as Anthropic spells them: other agents have such envelopes, too."""
    content = message_in(record).get("content")
    return isinstance(content, list) and any(type_name(part) in ("tool_use", "tool_result") for part in content)


def is_title(value: Any) -> bool:
    """Whether it is oh-my-pi's line with the title, which it takes off before it reads the others."""
    if not isinstance(value, dict) or value.get("type") != "title" or value.get("v") != 1:
        return False
    texts = all(isinstance(value.get(key), str) for key in ("title", "updatedAt", "pad"))
    return texts and value.get("source", "user") in ("auto", "user")


def has_own_records(values: Iterable[Any]) -> bool:
    """Whether oh-my-pi wrote some of the records: its files are pi's but for these."""
    return any(_is_of_oh_my_pi(value) for value in values if isinstance(value, dict))


def _is_of_oh_my_pi(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if kind == "model_change":
        return isinstance(value.get("model"), str) and "modelId" not in value
    if kind == "title":
        return isinstance(value.get("title"), str)
    if kind == "thinking_level_change":
        return "configured" in value
    return isinstance(kind, str) and kind in _OF_OH_MY_PI and "id" in value and "parentId" in value


def has_marks(values: Sequence[Any]) -> bool:
    """Whether OpenClaw wrote some of the records: its files are pi's but for its own records, folder and texts."""
    return any(_is_of_openclaw(value) for value in values if isinstance(value, dict))


def _is_of_openclaw(value: dict[str, Any]) -> bool:
    kind, folder = value.get("customType"), value.get("cwd")
    if isinstance(kind, str) and (kind.startswith("openclaw") or kind == "model-snapshot"):
        return True
    if _is_session(value) and isinstance(folder, str):
        return any(_OF_OPENCLAW.fullmatch(name) for name in _FOLDERS.split(folder))
    message = message_in(value)
    return message.get("role") == dialect.RESULT and is_openclaws_placeholder(dialect.result_block(message, 0, ()))


def is_openclaws_placeholder(result: Block) -> bool:
    return result.text.lstrip().startswith(_OPENCLAW_BEGINS)
