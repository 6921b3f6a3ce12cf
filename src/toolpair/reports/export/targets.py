"""The APIs that a session can be exported to. A new one is a module with its TARGET and a line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from toolpair.reports.export.target import Target

TARGETS: Final = {
    "anthropic": "toolpair.reports.export.to_anthropic",
    "openai-chat": "toolpair.reports.export.to_openai_chat",
    "openai-responses": "toolpair.reports.export.to_openai_responses",
    "gemini": "toolpair.reports.export.to_gemini",
    "bedrock-converse": "toolpair.reports.export.to_bedrock_converse",
}
"""Id, which is that of the provider's profile -> the module."""


@cache
def target(id_: str) -> Target:
    """Raises KeyError for an unknown one."""
    found: Target = import_module(TARGETS[id_]).TARGET
    return found
