"""What toolpair says Claude Code would send is what it sent: small sessions with one oddity each, tried on the real
agent.
"""

from __future__ import annotations

import json

import pytest

from tests.agents.claude_code_requests import modelled
from tests.agents.shapes import SENT, brief, shapes
from toolpair.session.session import open_session

FILES = shapes()
REALLY_SENT: dict[str, str | None] = json.loads(SENT.read_text())


def test_every_shape_was_tried_on_the_agent() -> None:
    assert FILES.keys() == REALLY_SENT.keys()


@pytest.mark.parametrize("name", FILES)
def test_the_request_matches_the_agents(name: str) -> None:
    seen = open_session("session.jsonl", data=FILES[name]).conversation.judged.seen
    assert seen is not None
    assert (brief(modelled(seen)) if seen.refuses is None else None) == REALLY_SENT[name]
