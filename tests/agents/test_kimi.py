"""The model of what Kimi CLI sends, and repaired sessions, compared with the real agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import kimi
from tests.agents.comparing import Row, all_differences, all_faults, errors_of, row_difference, seen_in, skip_for
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.formats.fixing import errors, fixed
from tests.kimi_sessions import BY_HAND, NAME, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
READ_ALL_THE_SAME = {"control_characters", "control_characters_in_a_result_of_another_role"}
"""What Kimi CLI reads and toolpair does not, before it is repaired."""


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    skip_for(kimi.why_not())
    return corpus()


def opened(folder: Path, data: bytes) -> Session:
    path = folder / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


def rows(messages: Any) -> list[Row]:
    """Role, kind, id and text of each message; the prompt is left out."""
    found: list[Row] = []
    for message in messages:
        role, content = str(message["role"]), message.get("content")
        if role == "tool":
            found.append((role, "result", str(message.get("tool_call_id")), text_of(content)))
            continue
        texts = [content] if isinstance(content, str) else [text_of([part]) for part in content or []]
        said = [text for text in texts if text and text != PROMPT]
        if said:
            found.append((role, "text", "", "\n".join(said)))
        for call in message.get("tool_calls") or []:
            found.append((role, "call", str(call.get("id")), str(call["function"].get("arguments"))))
    return found


def model(seen: SentRequest) -> list[Row]:
    made = []
    for message in seen.messages:
        blocks = [(part.block.kind if part.block is not None else "text", part.value) for part in message.parts]
        if [kind for kind, _ in blocks] == ["result"]:
            made.append({**blocks[0][1], "role": message.role})
            continue
        calls = [value for kind, value in blocks if kind == "call"]
        content = [value for kind, value in blocks if kind != "call"]
        made.append({"role": message.role, "content": content, "tool_calls": calls})
    return rows(made)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, model, rows)


def test_what_the_model_sees_is_what_kimi_sends(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: found.data for name, found in planted.items()}
    sent = kimi.resume(files)
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    seen = seen_in(files, partial(opened, tmp_path))
    assert sent["lone_surrogate"].messages is None, "it is read, and then refused by the writer of the request"
    nothing_left = sent["commas_at_the_ends"].messages
    assert seen("commas_at_the_ends").refuses is not None and nothing_left is not None and rows(nothing_left) == []
    otherwise = {"lone_surrogate", "commas_at_the_ends"} | READ_ALL_THE_SAME
    others = {name: resumed for name, resumed in sent.items() if name not in otherwise}
    assert all_differences(others, seen, difference) == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: fixed(opened(tmp_path, planted[name].data)) for name in planted.keys() - BY_HAND}
    sent = kimi.resume(files)
    refused = partial(errors_of, folder=tmp_path, profile="moonshot")
    assert all_faults(sent, planted, seen_in(files, partial(opened, tmp_path)), difference, refused) == {}
    afterwards = {name: errors(opened(tmp_path, resumed.after)) for name, resumed in sent.items()}
    assert {name: found for name, found in afterwards.items() if found} == {}
