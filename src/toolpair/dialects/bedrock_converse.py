"""Bedrock's Converse API: what its results may hold besides the parts that Anthropic's have."""

from __future__ import annotations

import json
from typing import Any

from toolpair.dialects.block_values import text_part


def holds_json(part: Any) -> bool:
    """Whether it is a part of the API's own kind `json`."""
    return isinstance(part, dict) and "json" in part


def is_json_object(part: dict[str, Any]) -> bool:
    """Whether such a part holds an object, as it has to."""
    return isinstance(part["json"], dict)


def json_as_text(part: dict[str, Any]) -> dict[str, Any]:
    return text_part(json.dumps(part["json"], ensure_ascii=False))
