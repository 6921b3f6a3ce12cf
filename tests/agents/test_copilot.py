"""The model of what Copilot CLI sends, and repaired sessions, compared with the agent itself. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import copilot
from tests.agents.comparing import all_differences, all_faults, errors_of, row_difference, seen_in, skip_for
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.copilot_sessions import corpus
from tests.formats.fixing import fixed_by_a_person
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
NOT_MODELLED = {
    "id_of_three_calls_and_the_first_result_gone",  # the agent then gives no new ids
}
WRITTEN_ANEW = {"nul_line", "byte_order_mark", "first_line_not_first", "first_line_is_null", "start_of_a_call_torn"}
"""What no rule finds anything wrong with, or what the agent only puts in order."""
_TIME = re.compile(r"<current_datetime>.*?</current_datetime>\s*", re.DOTALL)
_NEW_ID = re.compile(r"call_[0-9a-f]{32}|not known \(use \d+ of .*\)")
Row = tuple[str, str, str]


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    skip_for(copilot.why_not())


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return corpus()


def opened(folder: Path, data: bytes) -> Session:
    path = folder / "events.jsonl"
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
        elif role in ("user", "assistant") and (text or role == "user") and _TIME.sub("", text) != PROMPT:
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
    return row_difference(seen, resumed, modelled, sent)


def test_what_the_model_sees_is_what_copilot_sends(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: found.data for name, found in planted.items()}
    answers = copilot.resume(files)
    assert sum(found.messages is not None for found in answers.values()) > len(planted) / 2
    modelled = {name: resumed for name, resumed in answers.items() if name not in NOT_MODELLED}
    assert all_differences(modelled, seen_in(files, partial(opened, tmp_path)), difference) == {}


def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], tmp_path: Path) -> None:
    files = {name: fixed_by_a_person(opened(tmp_path, found.data)) for name, found in planted.items()}
    answers = copilot.resume(files)
    seen = seen_in(files, partial(opened, tmp_path))
    blank = {"blank_words": answers["blank_words"]}  # the agent sends them as they are
    others = {name: found for name, found in answers.items() if name not in blank}
    refused = partial(errors_of, folder=tmp_path)
    assert all_faults(others, planted, seen, difference, refused) == {}
    assert all_faults(blank, planted, seen, difference, lambda messages: ()) == {}
    kept = {name for name, found in answers.items() if found.after.startswith(files[name].rstrip(b"\n"))}
    assert answers.keys() - kept <= WRITTEN_ANEW
