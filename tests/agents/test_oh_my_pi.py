"""The model of what oh-my-pi sends, and repaired sessions, compared with the real one. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents import oh_my_pi
from tests.agents.oh_my_pi import Resumed
from tests.broken_sessions import Planted
from tests.oh_my_pi_sessions import corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
Rows = list[tuple[str, str, str, str]]
_ADDED = ("<system-reminder>", "Continue.")
"""How texts begin that it adds to a request by itself."""
_LEFT_OUT = ("thinking", "another_model_before", "thinking_beside_a_call_that_is_left_out")
"""How thinking that is not signed is sent depends on the model, and that of these tests is none that it knows."""

_WRITTEN_ANEW = ("first_version", "title_torn")
"""It writes these anew: ids and links, a line with the title."""
_STILL_DAMAGED = ("last_line_torn", "nul_line")
"""Nothing is lost with these lines, so that no fix is recommended: the agent deletes them."""


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    reason = oh_my_pi.why_not()
    if reason is not None:
        pytest.skip(reason)
    return corpus()


def opened(folder: Path, name: str, data: bytes) -> Session:
    path = folder / f"{name}.jsonl"
    path.write_bytes(data)
    return open_session(path)


def rows(messages: Any) -> Rows:
    """Role, kind, id and text of each block; neighbouring texts of one role are one."""
    found: Rows = []
    for message in messages:
        content = message["content"]
        for part in [content] if isinstance(content, str) else content:
            part = {"type": "text", "text": part} if isinstance(part, str) else part
            kind, id_ = part["type"], str(part.get("id", part.get("tool_use_id", "")))
            said = (
                json.dumps(part["input"], sort_keys=True)
                if kind == "tool_use"
                else text_of(part.get("content", part.get("text", part.get("thinking", part.get("data", "")))))
            )
            if not (kind == "text" and said.startswith(_ADDED)):
                if kind == "text" and found and found[-1][:2] == (message["role"], "text"):
                    said = f"{found.pop()[3]}\n{said}"
                found.append((message["role"] + ("!" if part.get("is_error") else ""), kind, id_, said))
    return found


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    if resumed.messages is None or seen.refuses is not None:
        agree = (resumed.messages is None) == (seen.refuses is not None)
        return None if agree else f"the model says {seen.refuses!r}, the agent says {resumed.note!r}"
    *sent, (*last, prompt) = rows(resumed.messages)
    if words := prompt.removesuffix(oh_my_pi.PROMPT).strip():
        sent.append((last[0], last[1], last[2], words))
    said = rows({"role": one.role, "content": [part.value for part in one.parts]} for one in seen.messages)
    first = next((n for n, (a, b) in enumerate(zip(said, sent, strict=False)) if a != b), min(len(said), len(sent)))
    return None if said == sent else f"row {first}: {said[first : first + 2]} is sent as {sent[first : first + 2]}"


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    wrong = {}
    for name, resumed in oh_my_pi.resume({name: found.data for name, found in planted.items()}).items():
        seen = opened(tmp_path, name, planted[name].data).conversation.judged.seen
        assert seen is not None
        if name not in _LEFT_OUT and (found := difference(seen, resumed)):
            wrong[name] = found
    assert wrong == {}


def test_a_repaired_session_is_sent_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    repaired: dict[str, bytes] = {}
    expected: dict[str, SentRequest] = {}
    for name, found in planted.items():
        session = opened(tmp_path, name, found.data)
        session.stage_recommended()
        repaired[name] = session.to_bytes()
        seen = opened(tmp_path, name, repaired[name]).conversation.judged.seen
        assert seen is not None
        expected[name] = seen
    wrong: dict[str, str] = {}
    for name, resumed in oh_my_pi.resume(repaired).items():
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = [said for said in planted[name].words if said not in text]
        differs = None if name in _LEFT_OUT else difference(expected[name], resumed)
        if gone or differs:
            wrong[name] = f"lost {gone}, {differs}"
        elif not resumed.after.startswith(repaired[name]) and name not in (*_STILL_DAMAGED, *_WRITTEN_ANEW):
            wrong[name] = "it was written anew"
    assert wrong == {}
