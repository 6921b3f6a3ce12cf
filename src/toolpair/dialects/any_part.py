"""A part of a request as Anthropic's block, whichever API spelled it: agents send other spellings than they write."""

from __future__ import annotations

import json
from typing import Any

from toolpair.dialects import gemini


def as_block(value: Any) -> Any:
    """The block that a part is; the part itself where there is none like it."""
    if not isinstance(value, dict):
        return value
    if value.get("role") == "tool":
        return {"type": "tool_result", "tool_use_id": value.get("tool_call_id"), "content": value.get("content")}
    function = value.get("function")
    if value.get("type") == "function" and isinstance(function, dict):
        given = _arguments(function.get("arguments"))
        return {"type": "tool_use", "id": value.get("id"), "name": function.get("name"), "input": given}
    return gemini.spelled(value) if "type" not in value else value


def _arguments(text: Any) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        given = None
    return given if isinstance(given, dict) else {"arguments": text}
