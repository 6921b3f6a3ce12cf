"""The types of `guard`: mypy checks this file, `test_guard.py` runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_type

import toolpair

Message = dict[str, Any]


def check_types(messages: list[Message], frozen: tuple[Message, ...], some: Sequence[Message]) -> None:
    assert_type(toolpair.guard(messages), list[Message])
    assert_type(toolpair.guard(messages, "anthropic", "raise"), list[Message])
    assert_type(toolpair.guard(frozen, profile="anthropic"), tuple[Message, ...])
    assert_type(toolpair.guard(messages, mode="report"), toolpair.Report)
    assert_type(toolpair.guard(frozen, "anthropic", "report"), toolpair.Report)
    assert_type(toolpair.guard(messages, mode="repair"), list[Message])
    assert_type(toolpair.guard(messages, "anthropic", "repair"), list[Message])
    assert_type(toolpair.guard(some, mode="repair"), Sequence[Message])
