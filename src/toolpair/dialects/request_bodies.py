"""What a request body holds besides its messages, for all APIs."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

_GOES_ON_FROM: Final = ("previous_response_id", "conversation")


class RequestFacts(Struct, frozen=True):
    """Facts from a request body; None where it does not say."""

    declared_tools: frozenset[str] | None
    thinking: bool | None
    """Whether the request asks for thinking."""
    model: str | None
    calls_elsewhere: bool
    """The request continues a response stored by the provider, so it may hold outputs without their calls."""


def request_facts(body: dict[str, Any]) -> RequestFacts | None:
    """The facts; None when the body has none of them."""
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
