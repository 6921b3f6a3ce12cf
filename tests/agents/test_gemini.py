"""The model of what Gemini CLI sends, and repaired sessions, held against the agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import gemini
from tests.agents.comparing import Row, all_differences, all_faults, first_difference, seen_in, skip_for
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.formats.fixing import errors, fixed, seen_of
from tests.gemini_sessions import NAME, corpus
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
WITHOUT_A_HEADER = {"first_line_torn", "first_line_gone", "mark_in_front"}
_CONTEXT = re.compile(r"<session_context>.*?</session_context>", re.DOTALL)


@pytest.fixture(scope="module", autouse=True)
def _agent() -> None:
    skip_for(gemini.why_not())


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return corpus()


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.write_bytes(data)
    return open_session(path)


def mended(folder: Path, data: bytes) -> bytes:
    return fixed(opened(folder, data))


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
                text = _CONTEXT.sub("", part.get("text", json.dumps(part, sort_keys=True)))
                if text.strip() and text.strip() != PROMPT:
                    found.append((content["role"], "text", "", text))
    return found


def model(seen: SentRequest) -> list[Row]:
    roles = {"assistant": "model"}
    return rows([{"role": roles.get(m.role, m.role), "parts": [part.value for part in m.parts]} for m in seen.messages])


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    sent = rows(resumed.messages or [])
    if seen.refuses is not None:
        return None if not sent else f"the model says {seen.refuses!r}, the agent sends {sent[:2]}"
    return first_difference(model(seen), sent)


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
    files = {name: found.data for name, found in planted.items()}
    sent = gemini.resume(files)
    assert all(found.messages is not None for found in sent.values())
    assert all_differences(sent, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_a_file_named_on_the_command_line_is_sent_the_same(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: found.data for name, found in planted.items()}
    sent = gemini.resume(files, by_path=True)
    assert {name for name, resumed in sent.items() if resumed.messages is None} == WITHOUT_A_HEADER
    others = {name: resumed for name, resumed in sent.items() if name not in WITHOUT_A_HEADER}
    assert all_differences(others, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_words_that_a_resume_left_out_are_brought_back(planted: dict[str, Planted], tmp_path: Path) -> None:
    names = ("path_in_between", "question_as_text", "comment_with_an_image")
    resumed = gemini.resume({name: planted[name].data for name in names})
    files = {name: mended(tmp_path, found.after) for name, found in resumed.items()}
    for name, found in gemini.resume(files).items():
        said = planted[name].words[-1]
        assert said not in json.dumps(resumed[name].messages) and said in json.dumps(found.messages), name
        assert difference(seen_of(opened(tmp_path, files[name])), found) is None, name
        assert counts(found.messages or []) == [], name


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: mended(tmp_path, found.data) for name, found in planted.items()}
    sent = gemini.resume(files)
    assert all_faults(sent, planted, seen_in(files, partial(opened, tmp_path)), difference, counts) == {}


def test_the_agent_goes_on_writing_to_a_repaired_session(planted: dict[str, Planted], tmp_path: Path) -> None:
    names = ("result_gone", "every_result_twice", "first_line_gone", "result_gone_in_the_list", "glued")
    files = {name: mended(tmp_path, planted[name].data) for name in names}
    for name, resumed in gemini.resume(files).items():
        assert resumed.after.startswith(files[name]), name
        assert len(resumed.after) > len(files[name]), name
        session = opened(tmp_path, resumed.after)
        # The agent doubles results by itself, whatever it resumes.
        assert set(errors(session)) <= {"result.duplicate"}, name
        session.stage_recommended()
        assert errors(session) == [], name
