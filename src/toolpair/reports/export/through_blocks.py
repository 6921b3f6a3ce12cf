"""Checking bodies of APIs that no session file is written in: their turns in Anthropic's form, by their own rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.dialects.anthropic_content import read_content, role_of, write_messages
from toolpair.dialects.neutral import Turn
from toolpair.reports.export.target import Conversion


def as_blocks(given: Conversion) -> list[Any]:
    """The turns as messages of blocks."""
    return list(write_messages(given.turns, given.say))


def turns_of(messages: Sequence[Any]) -> list[Turn]:
    return [Turn(role_of(message["role"]), read_content(message["content"])) for message in messages]
