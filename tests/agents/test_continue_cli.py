"""The model of what Continue sends, and repaired sessions, held against the real agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents import continue_cli
from tests.agents.continue_cli import Resumed
from tests.continue_sessions import NAME, Planted, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, SessionError, open_session

pytestmark = pytest.mark.agents
UNREADABLE = {"control_character", "nul_in_a_text"}
BY_HAND = {"byte_order_mark"}
Row = tuple[str, str, str, str]


@pytest.fixture(scope="module", autouse=True)
def _there() -> None:
    reason = continue_cli.why_not()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return corpus()


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.write_bytes(data)
    return open_session(path)


def rows(messages: Any) -> list[Row]:
    """Role, kind, id and text of each block; the prompt is left out, and texts of one role in a row are one."""
    found: list[Row] = []
    for message in messages:
        role, content = str(message["role"]), message.get("content")
        if role == "tool":
            found.append((role, "result", str(message.get("tool_call_id")), text_of(content)))
            continue
        for part in [content] if isinstance(content, str) else content or []:
            _say(found, role, part if isinstance(part, str) else part.get("text", part.get("type", "")))
        for call in message.get("tool_calls") or []:
            found.append((role, "call", str(call.get("id")), str(call["function"].get("arguments"))))
    return found


def _say(found: list[Row], role: str, text: str) -> None:
    text = text.removesuffix(continue_cli.PROMPT).strip()
    if text and found and found[-1][:2] == (role, "text"):
        found[-1] = (role, "text", "", f"{found[-1][3]}\n{text}")
    elif text:
        found.append((role, "text", "", text))


def model(seen: SentRequest) -> list[Row]:
    return rows(map(_message, seen.messages))


def _message(message: Any) -> dict[str, Any]:
    values = [part.value for part in message.parts]
    if message.role == "tool":
        return dict(values[0])
    calls = [value for value in values if isinstance(value, dict) and "function" in value]
    return {"role": message.role, "content": [v for v in values if v not in calls], "tool_calls": calls}


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    if resumed.messages is None or seen.refuses is not None:
        agree = (resumed.messages is None) == (seen.refuses is not None)
        return None if agree else f"the model says {seen.refuses!r}, Continue says {resumed.note!r}"
    sent, said = rows(resumed.messages), model(seen)
    first = next((n for n, (a, b) in enumerate(zip(said, sent, strict=False)) if a != b), min(len(said), len(sent)))
    return None if said == sent else f"row {first}: {said[first : first + 2]} is sent as {sent[first : first + 2]}"


def test_what_the_model_sees_is_what_continue_sends(planted: dict[str, Planted], tmp_path: Path) -> None:
    assert len(planted) >= 75
    sent = continue_cli.resume({name: found.data for name, found in planted.items()})
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    wrong = {}
    for name, resumed in sent.items():
        if name in UNREADABLE:
            assert resumed.messages is not None and rows(resumed.messages) == [], name  # a session is begun anew
            continue
        seen = opened(tmp_path, planted[name].data).conversation.judged.seen
        assert seen is not None
        if found := difference(seen, resumed):
            wrong[name] = found
    assert wrong == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    repaired: dict[str, bytes] = {}
    expected: dict[str, SentRequest] = {}
    for name, found in planted.items():
        if name in UNREADABLE | BY_HAND:
            continue
        session = opened(tmp_path, found.data)
        session.stage_recommended()
        repaired[name] = session.to_bytes()
        seen = opened(tmp_path, repaired[name]).conversation.judged.seen
        assert seen is not None
        expected[name] = seen
    wrong: dict[str, str] = {}
    for name, resumed in continue_cli.resume(repaired).items():
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = [said for said in planted[name].words if said not in text]
        path = tmp_path / "sent.json"
        path.write_text(text)
        errors = [
            found.rule for found in open_session(path, format="openai-chat").problems if found.severity == "error"
        ]
        differs = difference(expected[name], resumed)
        if gone or errors or differs:
            wrong[name] = f"lost {gone}, refused for {errors}, {differs}"
    assert wrong == {}


def test_continue_goes_on_writing_to_a_repaired_session(planted: dict[str, Planted], tmp_path: Path) -> None:
    repaired = {}
    for name in ("still_calling", "state_gone", "state_two_turns_late", "ids_differ", "cut_off_in_an_output"):
        session = opened(tmp_path, planted[name].data)
        session.stage_recommended()
        repaired[name] = session.to_bytes()
    for name, resumed in continue_cli.resume(repaired).items():
        try:
            session = opened(tmp_path, resumed.after)
        except SessionError as failed:
            pytest.fail(f"{name}: {failed}")
        assert [problem.rule for problem in session.problems if problem.severity == "error"] == [], name
        assert len(json.loads(resumed.after)["history"]) == len(json.loads(repaired[name])["history"]) + 2, name
