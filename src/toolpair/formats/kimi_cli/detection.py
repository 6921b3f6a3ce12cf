"""What shows that a file is a session of Kimi CLI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.dialects import kimi as dialect


def role_of(value: Any) -> Any:
    return value.get("role") if isinstance(value, dict) else None


def sniff(values: Sequence[Any]) -> int:
    own = sum(map(is_own, values))
    spoken = sum(isinstance(role := role_of(value), str) and role in dialect.ROLES for value in values)
    return 93 if own and (own + spoken) * 2 >= len(values) else 0


def profile_for(values: Sequence[Any]) -> str:
    """Whether they were written with Anthropic's API shows in the ids of calls."""
    calls = (
        call
        for v in values
        if isinstance(v, dict) and isinstance(v.get("tool_calls"), list)
        for call in v["tool_calls"]
    )
    ids = [call.get("id") for call in calls if isinstance(call, dict)]
    of_anthropic = any(isinstance(id_, str) and id_.startswith("toolu_") for id_ in ids[-1:])
    return "anthropic" if of_anthropic else "moonshot"


def is_own(value: Any) -> bool:
    """Whether it is a line that only Kimi CLI writes."""
    match role_of(value):
        case "_system_prompt":
            return isinstance(value.get("content"), str) and value.keys() == {"role", "content"}
        case "_checkpoint":
            return isinstance(value.get("id"), int)
        case "_usage":
            return isinstance(value.get("token_count"), int)
    return False
