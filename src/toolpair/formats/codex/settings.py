"""What a rollout says of its requests besides their history: base instructions, model, effort, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.engine.reading.clock import count_in
from toolpair.formats.format import Item, KeptRequest, Usage


def request_kept(items: Sequence[Item], response: int | None) -> KeptRequest:
    """The settings in force at a response (the uid of one of its records), or at the end."""
    system: Any = None
    model: str | None = None
    parameters: dict[str, Any] = {}
    for item in items:
        value = item.value if isinstance(item.value, dict) else {}
        payload = value.get("payload")
        if isinstance(payload, dict) and value.get("type") == "session_meta" and system is None:
            given = payload.get("base_instructions", payload.get("instructions"))
            said = given.get("text") if isinstance(given, dict) else given
            system = said if isinstance(said, str) and said else None
        elif isinstance(payload, dict) and value.get("type") == "turn_context":
            found = payload.get("model")
            model = found if isinstance(found, str) and found else model
            effort = payload.get("effort")
            parameters = {"reasoning": {"effort": effort}} if isinstance(effort, str) and effort else {}
        if response is not None and item.uid == response:
            break
    return KeptRequest(system, model=model, parameters=parameters, api="openai-responses")


def usage(value: Any) -> Usage | None:
    payload = value.get("payload") if isinstance(value, dict) and value.get("type") == "event_msg" else None
    info = payload.get("info") if isinstance(payload, dict) and payload.get("type") == "token_count" else None
    if not isinstance(info, dict):
        return None
    last = info.get("last_token_usage")
    total = count_in(last, "total_tokens")
    limit = count_in(info, "model_context_window")
    return Usage(total, count_in(last, "output_tokens"), limit or None) if total else None
