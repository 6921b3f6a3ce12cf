"""Bedrock's Converse API: the part of a result that Anthropic's API does not have."""

from __future__ import annotations

import json
from typing import Any

from toolpair.dialects.block_values import text_part


def holds_json(part: Any) -> bool:
    """Whether it is a `json` part, which only this API has."""
    return isinstance(part, dict) and "json" in part


def is_json_object(part: dict[str, Any]) -> bool:
    """Whether a `json` part holds an object, as the API requires."""
    return isinstance(part["json"], dict)


def json_as_text(part: dict[str, Any]) -> dict[str, Any]:
    return text_part(json.dumps(part["json"], ensure_ascii=False))
