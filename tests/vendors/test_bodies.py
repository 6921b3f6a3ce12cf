"""Exported bodies, judged by the vendors' own types and by toolpair's rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolpair
from tests.reports import one_of_everything as everything
from tests.reports.through_rules import refused
from tests.rounds import tries
from tests.vendors.bodies import JUDGES

pytestmark = pytest.mark.usefixtures("sdks")

SOURCES: dict[str, Callable[[], Any]] = {
    "anthropic": everything.anthropic,
    "openai-chat": everything.chat,
    "openai-responses": everything.responses,
}


@pytest.mark.parametrize("to", JUDGES)
@pytest.mark.parametrize("source", SOURCES)
def test_one_of_everything_is_valid_everywhere(source: str, to: str) -> None:
    exported = toolpair.export(SOURCES[source](), to=to)
    assert not refused(to, exported.body)
    assert not JUDGES[to](json.loads(exported.json))


@pytest.mark.parametrize("to", JUDGES)
@settings(max_examples=tries(25), deadline=None)
@given(seed=st.integers(0, 10**9))
def test_generated_histories_are_valid_everywhere(to: str, seed: int) -> None:
    exported = toolpair.export(everything.generated(seed)[0], to=to, model="a-model")
    assert not refused(to, exported.body)
    assert not JUDGES[to](json.loads(exported.json))


@pytest.mark.parametrize("to", JUDGES)
def test_the_judges_see_what_is_wrong(to: str) -> None:
    """Types that accept anything would prove nothing."""
    body = json.loads(toolpair.export(everything.anthropic(), to=to).json)
    key = next(key for key in ("messages", "input", "contents") if key in body)
    for spoil in (_no_role, _odd_key, _odd_content):
        spoilt = json.loads(json.dumps(body))
        spoil(spoilt[key][0])
        assert JUDGES[to](spoilt), spoil.__name__


def _no_role(message: Any) -> None:
    message["role"] = "nobody"


def _odd_key(message: Any) -> None:
    message["odd_key"] = 1


def _odd_content(message: Any) -> None:
    message["parts" if "parts" in message else "content"] = 5
