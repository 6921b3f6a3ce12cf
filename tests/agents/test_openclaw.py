"""The model of what OpenClaw sends, and repaired sessions, held against it. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.agents import openclaw
from tests.agents.comparing import Row, all_differences, all_faults, row_difference, skip_for, without_prompt
from tests.agents.running import Resumed
from tests.formats.fixing import seen_of
from tests.openclaw_databases import ID, Planted, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
Rows = list[Row]
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
    skip_for(openclaw.why_not())
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


def model(seen: SentRequest) -> Rows:
    return plain({"role": one.role, "content": [part.value for part in one.parts]} for one in seen.messages)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, model, lambda messages: without_prompt(plain(messages)))


def asked(folder: Path, names: Iterable[str]) -> dict[str, Resumed]:
    """What OpenClaw makes of the databases in the folder."""
    return openclaw.resume({name: (folder / f"{name}.sqlite").read_bytes() for name in names})


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    seen = {name: seen_of(opened(tmp_path, name, found)) for name, found in planted.items()}
    assert all_differences(asked(tmp_path, planted), seen.__getitem__, difference) == {}


def test_a_repaired_session_is_sent_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    seen: dict[str, SentRequest] = {}
    for name, found in planted.items():
        session = opened(tmp_path, name, found)
        if session.stage_recommended() is not None:
            session.save()
        seen[name] = seen_of(open_session(session.file.address or ""))
    assert all_faults(asked(tmp_path, planted), planted, seen.__getitem__, difference, lambda messages: ()) == {}
