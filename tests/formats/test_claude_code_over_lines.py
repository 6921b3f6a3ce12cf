"""A record written over several lines: the agent reads it, so it counts, and every edit keeps it whole."""

from __future__ import annotations

import json
import random

import pytest

from tests.agents import planted
from tests.rounds import some
from toolpair.dialects.block_texts import result_text
from toolpair.session.session import Session, open_session

CORPUS = planted.corpus()
PARTS = 3


def opened(data: bytes) -> Session:
    return open_session("session.jsonl", data=data)


def spread(data: bytes, name: str) -> bytes:
    """The file with some readable records written over several lines; never the first one."""
    lines = data.split(b"\n")
    places = []
    for place, line in enumerate(lines[1:], 1):
        try:
            if isinstance(json.loads(line), dict) and line.isascii():
                places.append(place)
        except ValueError:
            continue
    for place in random.Random(name).sample(places, min(PARTS, len(places))):
        lines[place] = json.dumps(json.loads(lines[place]), indent=1).encode()
    return b"\n".join(lines)


def rules(session: Session) -> list[str]:
    return sorted(problem.rule for problem in session.problems if problem.severity == "error")


def outputs(session: Session) -> list[str]:
    return [result_text(block) for message in session.conversation.transcript.messages for block in message.results]


@pytest.mark.parametrize("name", some(CORPUS, 40))
def test_it_is_checked_and_fixed_as_if_on_one_line(name: str) -> None:
    plain, wide = opened(CORPUS[name]), opened(spread(CORPUS[name], name))
    assert rules(wide) == rules(plain) and outputs(wide) == outputs(plain)
    assert wide.conversation.verdict.outputs_seen == plain.conversation.verdict.outputs_seen
    plain.stage_recommended()
    wide.stage_recommended()
    data = wide.to_bytes()
    again = opened(data)
    assert rules(again) == rules(wide) == rules(plain)
    assert outputs(again) == outputs(wide) == outputs(plain)
    assert again.stage_recommended() is None and again.to_bytes() == data


def test_an_unchanged_record_keeps_its_bytes() -> None:
    data = spread(CORPUS["sound"], "sound")
    session = opened(data)
    torn = [problem for problem in session.problems if problem.rule == "record.torn"]
    assert [problem.severity for problem in torn] == ["warning"] * PARTS and not rules(session)
    session.stage_recommended()
    assert session.to_bytes() == data
