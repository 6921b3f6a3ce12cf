"""The model of what Gemini CLI sends, and repaired sessions, held against the agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.agents import gemini
from tests.agents.gemini import Resumed
from tests.gemini_sessions import NAME, Planted, corpus
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
_CONTEXT = re.compile(r"<session_context>.*?</session_context>", re.DOTALL)
IN_PROGRESS = {"ends_at_a_call"}
"""A call at the very end is one that runs, and stays as it is."""
Row = tuple[str, str, str, str]


@pytest.fixture(scope="module", autouse=True)
def _agent() -> None:
    reason = gemini.why_not()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return corpus()


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.write_bytes(data)
    return open_session(path)


def seen_in(folder: Path, data: bytes) -> SentRequest:
    seen = opened(folder, data).conversation.judged.seen
    assert seen is not None
    return seen


def repaired(folder: Path, data: bytes) -> bytes:
    session = opened(folder, data)
    session.stage_recommended()
    return session.to_bytes()


def rows(contents: list[dict[str, Any]]) -> list[Row]:
    """Role, kind, id and text of each part, without what the agent adds to each request."""
    found: list[Row] = []
    for content in contents:
        for part in content["parts"]:
            for key in ("functionCall", "functionResponse"):
                if key in part:
                    said = part[key].get("args", part[key].get("response"))
                    found.append((content["role"], key, part[key]["id"], json.dumps(said, sort_keys=True)))
                    break
            else:
                text = _CONTEXT.sub("", part.get("text", json.dumps(part)))
                if text.strip() and text.strip() != gemini.PROMPT:
                    found.append((content["role"], "text", "", text))
    return found


def model(seen: SentRequest) -> list[Row]:
    roles = {"assistant": "model"}
    return rows([{"role": roles.get(m.role, m.role), "parts": [part.value for part in m.parts]} for m in seen.messages])


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    sent = rows(resumed.contents or [])
    if seen.refuses is not None:
        return None if not sent else f"the model says {seen.refuses!r}, the agent sends {sent[:2]}"
    said = model(seen)
    first = next((n for n, (a, b) in enumerate(zip(said, sent, strict=False)) if a != b), min(len(said), len(sent)))
    return None if said == sent else f"row {first}: {said[first : first + 2]} is sent as {sent[first : first + 2]}"


def counts(contents: list[dict[str, Any]]) -> list[str]:
    """Where a turn has not as many responses as the one before it has calls."""
    wrong, calls = [], 0
    for number, content in enumerate(contents):
        answers = sum("functionResponse" in part for part in content["parts"])
        if answers != calls:
            wrong.append(f"content {number}: {answers} responses for {calls} calls")
        calls = sum("functionCall" in part for part in content["parts"])
    return wrong


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    assert len(planted) >= 60
    sent = gemini.resume({name: found.data for name, found in planted.items()})
    assert all(found.contents is not None for found in sent.values())
    wrong = {}
    for name, resumed in sent.items():
        if found := difference(seen_in(tmp_path, planted[name].data), resumed):
            wrong[name] = found
    assert wrong == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: repaired(tmp_path, found.data) for name, found in planted.items()}
    wrong: dict[str, str] = {}
    for name, resumed in gemini.resume(files).items():
        if resumed.contents is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.contents)
        gone = [said for said in planted[name].words if said not in text]
        differs = difference(seen_in(tmp_path, files[name]), resumed)
        errors = [] if name in IN_PROGRESS else counts(resumed.contents)
        if gone or errors or differs:
            wrong[name] = f"lost {gone}, refused for {errors}, {differs}"
    assert wrong == {}


def test_the_agent_goes_on_writing_to_a_repaired_session(planted: dict[str, Planted], tmp_path: Path) -> None:
    names = ("result_gone", "every_result_twice", "first_line_gone", "result_gone_in_the_list", "glued")
    files = {name: repaired(tmp_path, planted[name].data) for name in names}
    for name, resumed in gemini.resume(files).items():
        assert resumed.after.startswith(files[name]), name
        assert len(resumed.after) > len(files[name]), name
        session = opened(tmp_path, resumed.after)
        errors = {problem.rule for problem in session.problems if problem.severity == "error"}
        assert errors <= {"result.duplicate"}, name  # the agent doubles results by itself, whatever it resumes
        session.stage_recommended()
        assert not [problem for problem in session.problems if problem.severity == "error"], name
