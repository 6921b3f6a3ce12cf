"""The model of what opencode and Kilo send, and repaired sessions, held against them. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.agents import opencode
from tests.agents.comparing import all_differences, all_faults, row_difference, skip_for
from tests.agents.running import Messages, Resumed
from tests.formats.fixing import seen_of
from tests.opencode_folders import packed, planted_in, sent_before
from tests.opencode_sessions import ID, Planted, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
Rows = list[tuple[str, str, str, str]]
_ADDED = re.compile(r"<(environment_details|system-reminder)>.*?</\1>", re.DOTALL)
"""What Kilo adds to each request by itself."""
SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "opencode-failed-response.db"
_NO_MODELS_FILE = "image_as_result"
"""The model of these tests takes no images, and the agent says so to it."""
_NEVER_IN_KILO = ("message_that_is_no_json", "question_that_is_no_json", "part_that_is_no_json", "part_cut_off")
"""An index of Kilo's tables takes no row that is not JSON, or none of the kind."""


@pytest.fixture(scope="module", params=["opencode", "kilo", "opencode_before"])
def agent(request: pytest.FixtureRequest) -> str:
    skip_for(opencode.why_not(request.param))
    return str(request.param)


@pytest.fixture(scope="module")
def planted(agent: str) -> dict[str, Planted]:
    left_out = (_NO_MODELS_FILE, *(_NEVER_IN_KILO if agent == "kilo" else ()))
    return {name: found for name, found in corpus().items() if name not in left_out}


def opened(folder: Path, name: str, agent: str, planted: Planted) -> Session:
    if agent == "opencode_before":
        return open_session(f"{planted_in(folder / name, planted)}::{ID}")
    return open_session(f"{planted.write(folder / f'{name}.db', agent == 'kilo')}::{ID}")


def given(folder: Path, names: Iterable[str], agent: str) -> dict[str, bytes]:
    """What the agent is given."""
    if agent == "opencode_before":
        return {name: packed(folder / name / "opencode" / "storage") for name in names}
    return {name: (folder / f"{name}.db").read_bytes() for name in names}


def as_sent_by(planted: dict[str, Planted], agent: str) -> dict[str, Planted]:
    """The same with the words that this agent is to send."""
    if agent != "opencode_before":
        return planted
    return {name: replace(found, words=tuple(sent_before(name, found))) for name, found in planted.items()}


def said(value: Any) -> str:
    """A text, or JSON, whatever its spaces."""
    text = value if isinstance(value, str) else text_of(value)
    try:
        found = json.loads(text)
    except ValueError:
        return text
    parts = isinstance(found, list) and all(isinstance(one, dict) and one.get("type") == "text" for one in found)
    return text_of(found) if parts else json.dumps(found, sort_keys=True)


def of_request(messages: list[dict[str, Any]]) -> Rows:
    """Role, kind, id and text of each part of a request: a message's texts as one, before its calls."""
    found: Rows = []
    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            found.append(("user", "result", str(message["tool_call_id"]), said(content)))
        elif role in ("user", "assistant"):
            text = _ADDED.sub("", text_of(content)).strip()
            found += [(role, "text", "", text)] if text else []
            for call in message.get("tool_calls") or []:
                found.append((role, "call", str(call["id"]), said(call["function"].get("arguments") or "{}")))
    return found


def of_model(seen: SentRequest) -> Rows:
    messages = []
    for one in seen.messages:
        values = [
            part.value if isinstance(part.value, dict) else {"type": "text", "text": part.value} for part in one.parts
        ]
        results = [value for value in values if value["type"] == "tool_result"]
        messages += [{"role": "tool", "tool_call_id": v["tool_use_id"], "content": v["content"]} for v in results]
        calls = [
            {"id": v["id"], "function": {"arguments": json.dumps(v["input"])}}
            for v in values
            if v["type"] == "tool_use"
        ]
        texts = "".join(value["text"] for value in values if value["type"] == "text")
        if texts or calls:
            messages.append({"role": one.role, "content": texts, "tool_calls": calls})
    return of_request(messages)


def without_the_prompt(messages: Messages) -> Rows:
    return [row for row in of_request(messages) if row[3].strip('"') != PROMPT]


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, of_model, without_the_prompt)


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], agent: str, tmp_path: Path) -> None:
    seen = {name: seen_of(opened(tmp_path, name, agent, found)) for name, found in planted.items()}
    sent = opencode.resume(given(tmp_path, planted, agent), agent)
    assert all_differences(sent, seen.__getitem__, difference) == {}


def test_a_repaired_session_is_sent_whole(planted: dict[str, Planted], agent: str, tmp_path: Path) -> None:
    seen: dict[str, SentRequest] = {}
    for name, found in planted.items():
        session = opened(tmp_path, name, agent, found)
        if session.stage_recommended() is not None:
            session.save()
        seen[name] = seen_of(open_session(session.file.address or ""))
    sent = opencode.resume(given(tmp_path, planted, agent), agent)
    assert all_faults(sent, as_sent_by(planted, agent), seen.__getitem__, difference, lambda messages: ()) == {}


def test_the_sample_is_a_database_that_opencode_opens(tmp_path: Path) -> None:
    skip_for(opencode.why_not("opencode"))
    path = tmp_path / SAMPLE.name
    shutil.copyfile(SAMPLE, path)
    session = open_session(path)
    listed, resumed = opencode.open_whole(path.read_bytes())
    assert "Empty carts" in listed
    assert difference(seen_of(session), resumed) is None
    session.stage_recommended()
    session.save()
    listed, resumed = opencode.open_whole(path.read_bytes())
    assert "Empty carts" in listed and resumed.messages is not None
    assert difference(seen_of(open_session(path)), resumed) is None
