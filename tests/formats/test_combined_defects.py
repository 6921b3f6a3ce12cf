"""Two and three defects at once in the files of every agent: what is fixed is valid, and nothing real is gone.

`TOOLPAIR_TEST_ROUNDS=20 pytest tests/formats/test_combined_defects.py` tries twenty times as many.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.combined_defects import AGENTS, LISTS, Agent, Combined, combined
from tests.formats.fixing import errors, errors_not_left_to_a_person, fixed, seen_of, sent_messages, told
from tests.rounds import tries
from toolpair.session.session import Session, open_session
from toolpair.source.errors import UnreadableFile

EACH = 12
"""Combinations of each agent in a round."""


def opened(folder: Path, agent: Agent, data: bytes) -> Session:
    path = folder / agent.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


def faults(agent: Agent, planted: Combined, folder: Path) -> list[str]:
    """What is wrong after the recommended fixes."""
    try:
        session = opened(folder, agent, planted.data)
    except UnreadableFile:
        return []  # a document with an error in its middle is refused
    before = told(session)
    refused = seen_of(session).refuses if not errors(session) else None
    data = fixed(session)
    kept = data + b"\n".join(session.conversation.document.aside)
    after = opened(folder, agent, data)
    if refused is not None:
        return [f"refused without an error: {refused}"]
    outputs = {found.decode() for found in agent.output.findall(planted.data)}
    found = [f"{output} is gone" for output in outputs if output.encode() not in kept]
    now = told(after)
    found += [f"{output} is no longer sent" for output in outputs if output in before and output not in now]
    found += [f"{rule} is fixed by a second run" for rule in _not_settled(after, data)]
    if not errors(after):
        refuses = seen_of(after).refuses
        found += [f"not resumed: {refuses}"] if refuses else _broken_pairs(after)
        away = _inactive(after)
        sent = outputs if _hides_none(planted) else set()
        found += [f"{output} is not sent" for output in sent if output.encode() in data and output not in now + away]
    return found


def _hides_none(planted: Combined) -> bool:
    """Whether all that the history has is sent.

    pi can put another text in an output's place, Qwen Code reads no record of an unknown type, Kimi CLI no part of one,
    and Hermes no answer to a prompt of its own.
    """
    return not any(re.search("edited|replaced|type_unknown|another_api|review", name) for name in planted.defects)


def _not_settled(after: Session, data: bytes) -> list[str]:
    rules = errors(after)
    return [*rules, "nothing"] if fixed(after) != data else []


def _inactive(session: Session) -> str:
    """What the file has outside of the history that is sent."""
    found = session.conversation.transcript
    records = {record.uid: bytes(record.body) for record in session.conversation.document.records}
    away = [uid for uid, scope in found.scopes.items() if scope != "active"]
    return " ".join(records[uid].decode("utf-8", "replace") for uid in away if uid in records)


def _results(values: list[Any]) -> Counter[Any]:
    """What tells results apart in each API's spelling: ids, but names to Gemini."""
    blocks = [value for value in values if isinstance(value, dict)]
    keys = ("tool_use_id", "tool_call_id")
    found = [block[key] for block in blocks for key in keys if key in block]
    return Counter(found + [block["functionResponse"].get("name") for block in blocks if "functionResponse" in block])


def _calls(values: list[Any]) -> Counter[Any]:
    """The same of calls."""
    blocks = [value for value in values if isinstance(value, dict)]
    found = [block["id"] for block in blocks if block.get("type") == "tool_use" or "function" in block]
    return Counter(found + [block["functionCall"].get("name") for block in blocks if "functionCall" in block])


def _broken_pairs(session: Session) -> list[str]:
    """Calls and results of the request that do not answer each other, whatever the rules say of it."""
    found: list[str] = []
    waiting: Counter[Any] = Counter()
    for role, values in sent_messages(session):
        results = _results(values)
        found += [f"{id_} is sent as a result without a call" for id_ in results - waiting]
        if role not in ("tool", "user"):
            found += [f"{id_} is sent without a result" for id_ in waiting]
            waiting = Counter()
        waiting -= results
        waiting += _calls(values)
    return found + [f"{id_} is sent without a result" for id_ in waiting]


@pytest.mark.parametrize("name", AGENTS)
def test_several_defects_at_once_are_fixed_and_lose_nothing(name: str, tmp_path: Path) -> None:
    agent = AGENTS[name]
    wrong = {}
    tried = 0
    for seed in range(tries(EACH)):
        planted = combined(agent, seed)
        if planted is not None:
            tried += 1
            if found := faults(agent, planted, tmp_path):
                wrong[seed, planted.defects] = found
    assert wrong == {}
    assert tried >= tries(EACH) // 2


@pytest.mark.parametrize("name", LISTS)
def test_several_defects_of_a_list_are_fixed_and_lose_nothing(name: str, tmp_path: Path) -> None:
    wrong, tried = {}, 0
    for seed in range(tries(4 * EACH)):
        planted = combined(LISTS[name], seed)
        if planted is not None:
            tried += 1
            if found := _faults_of_list(LISTS[name], planted, tmp_path):
                wrong[seed, planted.defects] = found
    assert wrong == {}
    assert tried >= tries(2 * EACH)


def _faults_of_list(agent: Agent, planted: Combined, folder: Path) -> list[str]:
    """Of a list, which is sent as it stands: what is left is said to be left, and nothing is done by a second run."""
    session = opened(folder, agent, planted.data)
    data = fixed(session)
    after = opened(folder, agent, data)
    kept = data + b"\n".join(session.conversation.document.aside)
    found = [f"{said.decode()} is gone" for said in agent.output.findall(planted.data) if said not in kept]
    found += ["a second run changes something"] if fixed(after) != data else []
    return found + [f"{rule} is left, and nothing says why" for rule in errors_not_left_to_a_person(after)]
