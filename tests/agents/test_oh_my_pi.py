"""The model of what oh-my-pi sends, and repaired sessions, compared with the real one. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import oh_my_pi
from tests.agents.comparing import Row, all_differences, all_faults, row_difference, seen_in, skip_for, without_prompt
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.formats.fixing import fixed
from tests.oh_my_pi_sessions import NAME, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
Rows = list[Row]
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
    skip_for(oh_my_pi.why_not())
    return corpus()


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
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


def model(seen: SentRequest) -> Rows:
    return rows({"role": one.role, "content": [part.value for part in one.parts]} for one in seen.messages)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, model, lambda messages: without_prompt(rows(messages)))


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: found.data for name, found in planted.items()}
    sent = {name: resumed for name, resumed in oh_my_pi.resume(files).items() if name not in _LEFT_OUT}
    assert all_differences(sent, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_a_repaired_session_is_sent_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: fixed(opened(tmp_path, found.data)) for name, found in planted.items()}
    sent = oh_my_pi.resume(files)
    left_out = {name: sent[name] for name in _LEFT_OUT}
    others = {name: resumed for name, resumed in sent.items() if name not in left_out}
    seen = seen_in(files, partial(opened, tmp_path))
    assert all_faults(others, planted, seen, difference, lambda messages: ()) == {}
    assert all_faults(left_out, planted, seen, lambda told, resumed: None, lambda messages: ()) == {}
    anew = {name for name, resumed in sent.items() if not resumed.after.startswith(files[name])}
    assert anew <= {*_STILL_DAMAGED, *_WRITTEN_ANEW}
