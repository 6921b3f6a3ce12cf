"""The model of what Copilot CLI sends, and repaired sessions, compared with the agent itself. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.agents import copilot
from tests.agents.copilot import Resumed
from tests.copilot_sessions import Planted, corpus
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
NOT_MODELLED = {
    "event_that_lacks_a_field",  # what each of a hundred types of events must have
    "id_of_three_calls_and_the_first_result_gone",  # the agent then gives no new ids
}
WRITTEN_ANEW = {"nul_line", "byte_order_mark", "first_line_not_first"}
"""What no rule finds anything wrong with, or what the agent only puts in order."""
_TIME = re.compile(r"<current_datetime>.*?</current_datetime>\s*", re.DOTALL)
_NEW_ID = re.compile(r"call_[0-9a-f]{32}")
Row = tuple[str, str, str]


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    reason = copilot.why_not()
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return corpus()


def opened(folder: Path, name: str, data: bytes) -> Session:
    path = folder / name / "events.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return open_session(path)


def sent(messages: Iterable[dict[str, Any]]) -> list[Row]:
    """Kind, id and text of each part of a request of the Chat Completions API, without its system prompt and the prompt."""
    found: list[Row] = []
    for message in messages:
        role, content = message["role"], message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}] if content is not None else []
        text = "".join(str(part.get("text", "")) for part in parts)
        if role == "tool":
            found.append(("result", message["tool_call_id"], text))
        elif role in ("user", "assistant") and (text or role == "user") and _TIME.sub("", text) != copilot.PROMPT:
            found.append((role, "", _TIME.sub("", text)))
        for call in message.get("tool_calls") or ():
            found.append(("call", call["id"], json.dumps(json.loads(call["function"]["arguments"]), sort_keys=True)))
    return _without_new_ids(found)


def modelled(seen: SentRequest) -> list[Row]:
    found: list[Row] = []
    for message in seen.messages:
        for part in message.parts:
            match part.value:
                case {"type": "tool_use"} as call:
                    found.append(("call", call["id"], json.dumps(call["input"], sort_keys=True)))
                case {"type": "tool_result"} as result:
                    found.append(("result", result["tool_use_id"], result["content"]))
                case text:
                    found.append((message.role, "", _TIME.sub("", text)))
    return _without_new_ids(found)


def _without_new_ids(rows: Iterable[Row]) -> list[Row]:
    """The digits of ids that the agent gives out are its own: they count by their order."""
    known: dict[str, str] = {}
    return [
        (kind, known.setdefault(id_, f"new {len(known)}") if _NEW_ID.fullmatch(id_) else id_, text)
        for kind, id_, text in rows
    ]


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    if resumed.messages is None or seen.refuses is not None:
        agree = (resumed.messages is None) == (seen.refuses is not None)
        return None if agree else f"the model says {seen.refuses!r}, the agent says {resumed.note!r}"
    really, said = sent(resumed.messages), modelled(seen)
    first = next((n for n, (a, b) in enumerate(zip(said, really, strict=False)) if a != b), min(len(said), len(really)))
    return None if said == really else f"row {first}: {said[first : first + 2]} is sent as {really[first : first + 2]}"


def errors_of(messages: list[dict[str, Any]], folder: Path) -> list[str]:
    """What the provider has against a request, judged as a list of its own."""
    path = folder / "sent.json"
    path.write_text(json.dumps(messages))
    return [
        problem.rule for problem in open_session(path, format="openai-chat").problems if problem.severity == "error"
    ]


def test_what_the_model_sees_is_what_copilot_sends(planted: dict[str, Planted], tmp_path: Path) -> None:
    answers = copilot.resume({name: found.data for name, found in planted.items()})
    assert sum(found.messages is not None for found in answers.values()) > len(planted) / 2
    wrong = {}
    for name, resumed in answers.items():
        seen = opened(tmp_path, name, planted[name].data).conversation.judged.seen
        assert seen is not None
        if name not in NOT_MODELLED and (found := difference(seen, resumed)):
            wrong[name] = found
    assert wrong == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
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
    for name, resumed in copilot.resume(repaired).items():
        if name == "event_that_lacks_a_field":
            continue
        if resumed.messages is None:
            wrong[name] = f"does not resume: {resumed.note}"
            continue
        text = json.dumps(resumed.messages)
        gone = [said for said in planted[name].words if said not in text]
        errors, differs = errors_of(resumed.messages, tmp_path), difference(expected[name], resumed)
        if name == "blank_words":  # the agent sends them as they are
            errors = []
        if not resumed.after.startswith(repaired[name].rstrip(b"\n")) and name not in WRITTEN_ANEW:
            differs = f"{differs}, and the agent wrote the file anew"
        if gone or errors or differs:
            wrong[name] = f"lost {gone}, refused for {errors}, {differs}"
    assert wrong == {}
