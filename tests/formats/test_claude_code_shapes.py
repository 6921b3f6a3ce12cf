"""What toolpair says Claude Code would send is what it sent: small sessions with one oddity each, tried on the real
agent.
"""

from __future__ import annotations

import json

from tests.agents.claude_code_requests import modelled
from tests.agents.shapes import SENT, brief, shapes
from toolpair.session.session import open_session

FILES = shapes()
REALLY_SENT: dict[str, str | None] = json.loads(SENT.read_text())


def test_every_shape_was_tried_on_the_agent() -> None:
    assert FILES.keys() == REALLY_SENT.keys()


def test_the_request_matches_the_agents() -> None:
    wrong = {}
    for name, data in FILES.items():
        seen = open_session("session.jsonl", data=data).conversation.judged.seen
        assert seen is not None, name
        sent = brief(modelled(seen)) if seen.refuses is None else None
        if sent != REALLY_SENT[name]:
            wrong[name] = sent
    assert wrong == {}
