"""The model of what Cline's command line sends, and repaired sessions, held against it. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.agents import cline
from tests.agents.cline import Resumed
from tests.cline_sessions import ID, NAME, Planted, corpus, sound
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
NEEDS_YOU = {"message_is_text"}
UNREADABLE = {"nul_bytes_in_a_message"}
Row = tuple[str, str, str, str]


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    reason = cline.why_not()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    every = tuple(f"word-{name}-word" for name in ("one", "two", "three", "four", "five"))
    return {"sound": Planted(sound().data(), every), **{n: p for n, p in corpus().items() if n not in UNREADABLE}}


def opened(folder: Path, data: bytes) -> Session:
    path = folder / ID / NAME
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


def seen_of(session: Session) -> SentRequest:
    seen = session.conversation.judged.seen
    assert seen is not None
    return seen


def rows(messages: Iterable[dict[str, Any]]) -> list[Row]:
    """Role, kind, id and text of each block, in chat's form or in blocks; what is said in a row is one text."""
    found: list[Row] = []

    def add(role: str, kind: str, id_: Any, text: Any) -> None:
        said = "".join((text if isinstance(text, str) else json.dumps(text)).split())
        if kind == "text" and found and found[-1][:2] == (role, "text"):
            found[-1] = (role, "text", "", found[-1][3] + said)
        elif said or kind != "text":
            found.append((role, kind, str(id_), said))

    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            add("user", "result", message.get("tool_call_id"), content)
        elif role != "system":
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
            parts += message.get("tool_calls") or []
            for part in sorted(parts, key=lambda part: part["type"] == "function"):
                if part["type"] == "tool_result":
                    add(role, "result", part["tool_use_id"], part["content"])
                elif part["type"] == "function":
                    add(role, "call", part["id"], part["function"]["arguments"])
                elif part["type"] in ("text", "image", "image_url"):
                    add(role, part["type"][:5], "", part.get("text", ""))
    return found


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    if resumed.messages is None or seen.refuses is not None:
        agree = (resumed.messages is None) == (seen.refuses is not None)
        return None if agree else f"the model says {seen.refuses!r}, the agent shows {resumed.note!r}"
    sent = rows(resumed.messages)
    prompt = "".join(cline.PROMPT.split())
    assert sent[-1][3].endswith(prompt)
    last = (*sent[-1][:3], sent[-1][3].removesuffix(prompt))
    sent = [*sent[:-1], *([last] if last[3] else [])]
    said = rows({"role": one.role, "content": [part.value for part in one.parts]} for one in seen.messages)
    first = next((n for n, (a, b) in enumerate(zip(said, sent, strict=False)) if a != b), min(len(said), len(sent)))
    return None if said == sent else f"row {first}: {said[first : first + 2]} is sent as {sent[first : first + 2]}"


def is_valid(messages: list[dict[str, Any]], folder: Path) -> bool:
    path = folder / "sent.json"
    path.write_text(json.dumps([message for message in messages if message["role"] != "system"]))
    session = open_session(path, format="openai-chat")
    return not [problem for problem in session.problems if problem.severity == "error"]


def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], tmp_path: Path) -> None:
    sent = cline.resume({name: found.data for name, found in planted.items()})
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    differ = {name: difference(seen_of(opened(tmp_path, planted[name].data)), found) for name, found in sent.items()}
    assert {name: found for name, found in differ.items() if found} == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    repaired: dict[str, bytes] = {}
    for name in planted.keys() - NEEDS_YOU:
        session = opened(tmp_path, planted[name].data)
        session.stage_recommended()
        repaired[name] = session.to_bytes()
    wrong: dict[str, str] = {}
    for name, resumed in cline.resume(repaired).items():
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = [said for said in planted[name].words if said not in text]
        differs = difference(seen_of(opened(tmp_path, repaired[name])), resumed)
        if gone or differs or not is_valid(resumed.messages, tmp_path):
            wrong[name] = f"lost {gone}, {differs}"
    assert wrong == {}
