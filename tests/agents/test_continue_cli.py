"""The model of what Continue sends, and repaired sessions, held against the real agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import continue_cli
from tests.agents.comparing import Row, all_differences, all_faults, errors_of, row_difference, seen_in, skip_for
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.continue_sessions import NAME, corpus
from tests.formats.fixing import errors, fixed_by_a_person
from tests.formats.test_continue import HELD_BACK
from toolpair.dialects.block_texts import text_of
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, SessionError, open_session

pytestmark = pytest.mark.agents
UNREADABLE = {"control_character", "nul_in_a_text"}
BY_HAND = {"byte_order_mark"}


@pytest.fixture(scope="module", autouse=True)
def _there() -> None:
    skip_for(continue_cli.why_not())


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
    text = text.removesuffix(PROMPT).strip()
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
    return row_difference(seen, resumed, model, rows)


def test_what_the_model_sees_is_what_continue_sends(planted: dict[str, Planted], tmp_path: Path) -> None:
    assert len(planted) >= 75
    files = {name: found.data for name, found in planted.items()}
    sent = continue_cli.resume(files)
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    anew = {name: resumed.messages for name, resumed in sent.items() if name in UNREADABLE}
    assert all(messages is not None and rows(messages) == [] for messages in anew.values())
    others = {name: resumed for name, resumed in sent.items() if name not in UNREADABLE}
    assert all_differences(others, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    names = planted.keys() - UNREADABLE - BY_HAND - HELD_BACK
    files = {name: fixed_by_a_person(opened(tmp_path, planted[name].data)) for name in names}
    seen, refused = seen_in(files, partial(opened, tmp_path)), partial(errors_of, folder=tmp_path)
    assert all_faults(continue_cli.resume(files), planted, seen, difference, refused) == {}


def test_continue_goes_on_writing_to_a_repaired_session(planted: dict[str, Planted], tmp_path: Path) -> None:
    names = ("still_calling", "state_gone", "state_two_turns_late", "ids_differ", "cut_off_in_an_output")
    files = {name: fixed_by_a_person(opened(tmp_path, planted[name].data)) for name in names}
    for name, resumed in continue_cli.resume(files).items():
        try:
            session = opened(tmp_path, resumed.after)
        except SessionError as failed:
            pytest.fail(f"{name}: {failed}")
        assert errors(session) == [], name
        assert len(json.loads(resumed.after)["history"]) == len(json.loads(files[name])["history"]) + 2, name
