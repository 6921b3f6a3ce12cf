"""What shows that a list of messages is a session of Cline's command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.detection.list_evidence import OF_ROO
from toolpair.formats.format import profile_of

_ROLES: Final = ("user", "assistant")
_PROFILES: Final = {
    "anthropic": "anthropic",
    "claude-code": "anthropic",
    "minimax": "anthropic",
    "vertex": "vertex-anthropic",
    "bedrock": "bedrock-converse",
    "gemini": "gemini",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "groq": "groq",
    "moonshot": "moonshot",
    "openai-native": "openai-responses",
    "openai-codex": "openai-responses",
}
"""`modelInfo.provider` of a response -> the profile that its session is checked against; the others speak chat."""


def is_own(value: Any) -> bool:
    """Whether it is a message as the agent writes it: with an id and a time in milliseconds."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES or not isinstance(value.get("id"), str):
        return False
    time, content = value.get("ts"), value.get("content")
    return isinstance(time, int) and time > 10**11 and (isinstance(content, (list, str)) or "content" not in value)


def model_of(value: Any) -> dict[str, Any]:
    found = value.get("modelInfo") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def sniff(values: Sequence[Any]) -> int:
    messages = [value for value in values if isinstance(value, dict)]
    own = sum(map(is_own, messages))
    if not own or own * 2 < len(messages):
        return 0
    return 0 if any(key in message for message in messages for key in OF_ROO if key != "ts") else 96


def profile_for(values: Sequence[Any]) -> str:
    """That of the provider that the last of these responses came from."""
    provider = next((found for value in reversed(values) if (found := model_of(value).get("provider"))), None)
    return profile_of(provider, _PROFILES) if provider is not None else "anthropic"
