"""The real Claude Code still sends for the small sessions of `shapes.py` what is written down of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from tests.agents import claude_code
from tests.agents.claude_code_requests import really_sent
from tests.agents.running import Resumed
from tests.agents.shapes import SENT, brief, shapes

pytestmark = [pytest.mark.agents, pytest.mark.usefixtures("claude")]

FILES = shapes()
WRITTEN_DOWN: dict[str, str | None] = json.loads(SENT.read_text())


@pytest.fixture(scope="module")
def resumed() -> Mapping[str, Resumed]:
    return claude_code.resume(FILES)


@pytest.mark.parametrize("name", FILES)
def test_the_agent_sends_what_is_written_down(name: str, resumed: Mapping[str, Resumed]) -> None:
    messages = resumed[name].messages
    assert (brief(really_sent(messages)) if messages is not None else None) == WRITTEN_DOWN[name]
