"""The model of what Qwen Code sends, and repaired sessions, compared with the real agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import qwen_code
from tests.agents.comparing import (
    Row,
    all_differences,
    all_faults,
    errors_of,
    row_difference,
    seen_in,
    skip_for,
    without_prompt,
)
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.formats.fixing import fixed
from tests.qwen_sessions import NAME, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
_ADDED = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
"""What the agent adds to each request by itself."""


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    skip_for(qwen_code.why_not())
    return corpus()


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.write_bytes(data)
    return open_session(path)


def rows(messages: list[dict[str, Any]]) -> list[Row]:
    """Role, kind, id and text of each part. The agent joins the texts of a message: they are one row, without spaces."""
    found: list[Row] = []

    def text(role: str, said: str) -> None:
        said = "".join(_ADDED.sub("", said).split())
        if said and found and found[-1][:2] == (role, "text"):
            found[-1] = (role, "text", "", found[-1][3] + said)
        elif said:
            found.append((role, "text", "", said))

    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            found.append(("user", "result", str(message["tool_call_id"]), text_of(content)))
            continue
        for part in [] if role == "system" else [content] if isinstance(content, str) else content or []:
            text(role, text_of(part))
        for call in message.get("tool_calls") or []:
            said = json.loads(call["function"]["arguments"])
            found.append((role, "call", call["id"], json.dumps(said, sort_keys=True)))
    return found


def model(seen: SentRequest) -> list[Row]:
    """What toolpair says is sent, as messages of Chat Completions."""
    made: list[dict[str, Any]] = []
    for message in seen.messages:
        for part in message.parts:
            match part.value["type"]:
                case "tool_use":
                    called = {"name": part.value["name"], "arguments": json.dumps(part.value["input"])}
                    made.append({"role": message.role, "tool_calls": [{"id": part.value["id"], "function": called}]})
                case "tool_result":
                    id_, said = part.value["tool_use_id"], part.value["content"]
                    made.append({"role": "tool", "tool_call_id": id_, "content": said})
                case "text":
                    made.append({"role": message.role, "content": part.value["text"]})
    return rows(made)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, model, lambda messages: without_prompt(rows(messages)))


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    assert len(planted) >= 60
    files = {name: found.data for name, found in planted.items()}
    sent = qwen_code.resume(files)
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    assert all_differences(sent, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: fixed(opened(tmp_path, found.data)) for name, found in planted.items()}
    sent = qwen_code.resume(files)
    seen, refused = seen_in(files, partial(opened, tmp_path)), partial(errors_of, folder=tmp_path)
    assert all_faults(sent, planted, seen, difference, refused) == {}
    assert [name for name, resumed in sent.items() if not resumed.after.startswith(files[name])] == []
