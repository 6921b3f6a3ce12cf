"""The model of what Kimi CLI sends, and repaired sessions, compared with the real agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents import kimi
from tests.agents.kimi import Resumed
from tests.broken_sessions import Planted
from tests.kimi_sessions import BY_HAND, NAME, corpus
from toolpair.dialects.block_texts import text_of
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
READ_ALL_THE_SAME = {"control_characters", "control_characters_in_a_result_of_another_role"}
"""What Kimi CLI reads and toolpair does not, before it is repaired."""
Row = tuple[str, str, str, str]


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    reason = kimi.why_not()
    if reason is not None:
        pytest.skip(reason)
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
        said = [text for text in texts if text and text != kimi.PROMPT]
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
    if resumed.messages is None or seen.refuses is not None:
        agree = (resumed.messages is None) == (seen.refuses is not None)
        return None if agree else f"the model says {seen.refuses!r}, Kimi CLI says {resumed.note!r}"
    sent, said = rows(resumed.messages), model(seen)
    first = next((n for n, (a, b) in enumerate(zip(said, sent, strict=False)) if a != b), min(len(said), len(sent)))
    return None if said == sent else f"row {first}: {said[first : first + 2]} is sent as {sent[first : first + 2]}"


def test_what_the_model_sees_is_what_kimi_sends(planted: dict[str, Planted], tmp_path: Path) -> None:
    sent = kimi.resume({name: found.data for name, found in planted.items()})
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    wrong = {}
    for name, resumed in sent.items():
        session = opened(tmp_path, planted[name].data)
        seen = session.conversation.judged.seen
        assert seen is not None
        if name == "lone_surrogate":  # read, and then refused by the writer of the request
            assert resumed.messages is None
        elif name == "commas_at_the_ends":  # nothing is left
            assert seen.refuses is not None and resumed.messages is not None and rows(resumed.messages) == []
        elif name not in READ_ALL_THE_SAME and (found := difference(seen, resumed)):
            wrong[name] = found
    assert wrong == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    repaired: dict[str, bytes] = {}
    expected: dict[str, SentRequest] = {}
    for name, found in planted.items():
        if name in BY_HAND:
            continue
        session = opened(tmp_path, found.data)
        session.stage_recommended()
        repaired[name] = session.to_bytes()
        seen = opened(tmp_path, repaired[name]).conversation.judged.seen
        assert seen is not None
        expected[name] = seen
    wrong: dict[str, str] = {}
    for name, resumed in kimi.resume(repaired).items():
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = [said for said in planted[name].words if said not in text]
        path = tmp_path / "sent.json"
        path.write_text(text)
        errors = [
            found.rule
            for found in open_session(path, format="openai-chat", profile="moonshot").problems
            if found.severity == "error"
        ]
        differs = difference(expected[name], resumed)
        after = [found.rule for found in opened(tmp_path, resumed.after).problems if found.severity == "error"]
        if gone or errors or differs or after:
            wrong[name] = f"lost {gone}, refused for {errors}, {differs}, afterwards {after}"
    assert wrong == {}
