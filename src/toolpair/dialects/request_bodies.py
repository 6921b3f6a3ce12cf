"""What a request body says beside its messages, in the words of all APIs."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

_GOES_ON_FROM: Final = ("previous_response_id", "conversation")


class RequestFacts(Struct, frozen=True):
    """None where the body does not say."""

    declared_tools: frozenset[str] | None
    thinking: bool | None
    """Whether it asks for thinking."""
    model: str | None
    calls_elsewhere: bool
    """It goes on from a response that the provider keeps, and that may hold calls whose outputs alone are sent."""


def request_facts(body: dict[str, Any]) -> RequestFacts | None:
    """None when it says nothing of all this."""
    tools = body.get("tools")
    declared: frozenset[str] | None = None
    if isinstance(tools, list):
        names = [_tool_name(tool) for tool in tools]
        declared = frozenset(name for name in names if name)
    thinking: bool | None = None
    asked = body.get("thinking")
    if isinstance(asked, dict):
        thinking = asked.get("type") in ("enabled", "adaptive")
    model = body.get("model") if isinstance(body.get("model"), str) else None
    stored = isinstance(body.get("input"), list) and any(body.get(key) for key in _GOES_ON_FROM)
    if declared is None and thinking is None and model is None and not stored:
        return None
    return RequestFacts(declared, thinking, model, stored)


def _tool_name(tool: Any) -> str | None:
    if not isinstance(tool, dict):
        return None
    holder = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    name = holder.get("name") if isinstance(holder, dict) else None
    return name if isinstance(name, str) else None
