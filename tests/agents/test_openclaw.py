"""The model of what OpenClaw sends, and repaired sessions, held against it. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.agents import openclaw
from tests.agents.openclaw import Resumed
from tests.openclaw_databases import ID, Planted, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
Rows = list[tuple[str, str, str, str]]
_ADDED = re.compile(
    r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*|^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d [^\]]*\] |\n\nRuntime: agent=.*"
    r"|\[Queued user message from a previous active turn[^\]]*\]\s",
    re.DOTALL | re.MULTILINE,
)
"""What OpenClaw adds to each request by itself."""
_LEFT_OUT = ("thinking", "another_model_before")
"""Whether thinking is sent depends on the model, and that of these tests does not think."""
_WITH_LONGER_NAMES = re.compile(r"[^A-Za-z0-9]")


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    reason = openclaw.why_not()
    if reason is not None:
        pytest.skip(reason)
    # Packed rows of these tests have no more beside them than the database asks for.
    return {name: found for name, found in corpus().items() if name not in _LEFT_OUT and not found.packed}


def opened(folder: Path, name: str, planted: Planted) -> Session:
    return open_session(f"{planted.write(folder / f'{name}.sqlite')}::{ID}")


def plain(messages: Iterable[Any]) -> Rows:
    """Role, kind, id and text of each block; neighbouring texts of one role are one."""
    found: Rows = []
    for message in messages:
        content = message["content"]
        for part in [content] if isinstance(content, str) else content:
            part = {"type": "text", "text": part} if isinstance(part, str) else part
            kind, id_ = part["type"], _WITH_LONGER_NAMES.sub("", str(part.get("id", part.get("tool_use_id", ""))))
            said = json.dumps(part["input"]) if kind == "tool_use" else text_of(part.get("content", part.get("text")))
            if kind == "text":
                said = _ADDED.sub("", said).strip()
                if not said:
                    continue
                if found and found[-1][:2] == (message["role"], "text"):
                    said = f"{found.pop()[3]}\n{said}"
            found.append((message["role"], kind, id_, said))
    return found


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    if resumed.messages is None or seen.refuses is not None:
        agree = (resumed.messages is None) == (seen.refuses is not None)
        return None if agree else f"the model says {seen.refuses!r}, the agent says {resumed.note!r}"
    sent = plain(resumed.messages)
    said = sent[-1][3].removesuffix(openclaw.PROMPT).strip()
    sent = [*sent[:-1], (*sent[-1][:3], said)] if said else sent[:-1]
    told = plain({"role": one.role, "content": [part.value for part in one.parts]} for one in seen.messages)
    first = next((n for n, (a, b) in enumerate(zip(told, sent, strict=False)) if a != b), min(len(told), len(sent)))
    return None if told == sent else f"row {first}: {told[first : first + 2]} is sent as {sent[first : first + 2]}"


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    seen = {name: opened(tmp_path, name, found).conversation.judged.seen for name, found in planted.items()}
    wrong = {}
    for name, resumed in openclaw.resume({name: (tmp_path / f"{name}.sqlite").read_bytes() for name in seen}).items():
        told = seen[name]
        assert told is not None
        if found := difference(told, resumed):
            wrong[name] = found
    assert wrong == {}


def test_a_repaired_session_is_sent_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    expected: dict[str, SentRequest] = {}
    for name, found in planted.items():
        session = opened(tmp_path, name, found)
        if session.stage_recommended() is not None:
            session.save()
        told = open_session(f"{tmp_path / name}.sqlite::{ID}").conversation.judged.seen
        assert told is not None
        expected[name] = told
    files = {name: (tmp_path / f"{name}.sqlite").read_bytes() for name in planted}
    wrong: dict[str, str] = {}
    for name, resumed in openclaw.resume(files).items():
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = [word for word in planted[name].words if word not in text]
        differs = difference(expected[name], resumed)
        if gone or differs:
            wrong[name] = f"lost {gone}, {differs}"
    assert wrong == {}
