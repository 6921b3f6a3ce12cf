"""Id shapes and who generates them: shows that a history was begun with another provider."""

from __future__ import annotations

import re
from typing import Any, Final

from msgspec import Struct


class Maker(Struct, frozen=True):
    """Who generates ids of a shape, and the profiles where such ids are native."""

    name: str
    pattern: re.Pattern[str]
    profiles: frozenset[str]


def _maker(name: str, pattern: str, *profiles: str) -> Maker:
    return Maker(name, re.compile(pattern), frozenset(profiles))


MAKERS: Final = (
    _maker("Anthropic on Vertex AI", r"toolu_vrtx_[A-Za-z0-9]+", "vertex-anthropic", "anthropic"),
    _maker("Anthropic on Bedrock", r"toolu_bdrk_[A-Za-z0-9]+", "bedrock-converse", "anthropic"),
    _maker("Anthropic", r"toolu_[A-Za-z0-9]+", "anthropic", "vertex-anthropic"),
    _maker("Bedrock", r"tooluse_[A-Za-z0-9_-]+", "bedrock-converse"),
    _maker("OpenAI's Responses API", r"call_[A-Za-z0-9_-]+\|fc_[A-Za-z0-9_-]+", "openai-responses"),
    _maker("DeepSeek", r"call_\d\d_[A-Za-z0-9]{10,}", "deepseek"),
    _maker("OpenAI", r"call_[A-Za-z0-9]{24}", "openai-chat", "azure-openai", "openai-responses"),
    _maker("Kimi", r"functions\.[A-Za-z0-9_-]+:\d+", "moonshot"),
    _maker("vLLM", r"chatcmpl-tool-[0-9a-f]{16,32}"),
    _maker("Mistral", r"(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{9}", "mistral"),
)
"""The first match counts."""


def maker_of(id_: Any) -> Maker | None:
    """Who generates ids of this shape; None when the shape belongs to nobody in particular."""
    if not isinstance(id_, str) or len(id_) > 200:
        return None
    return next((maker for maker in MAKERS if maker.pattern.fullmatch(id_) is not None), None)
