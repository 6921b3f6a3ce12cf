"""The model of what Hermes Agent sends, and repaired sessions, held against the real agent. Opt-in: `pytest -m agents`.

A session takes it ten seconds, so the tests try some of the broken ones.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import hermes
from tests.agents.comparing import (
    Row,
    all_differences,
    all_faults,
    errors_of,
    row_difference,
    rows_of,
    skip_for,
    without_prompt,
)
from tests.agents.running import Resumed
from tests.broken_sessions import Planted
from tests.formats.fixing import errors, seen_of
from tests.hermes_sessions import ID, corpus, database, together
from tests.rounds import some
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
GUESSES = {"id_elsewhere", "calls_torn"}
PROVIDERS = {"openrouter": "openai-chat", "anthropic": "anthropic", "openai-codex": "openai-responses"}
SPELLED_OTHERWISE = {"result_as_list"}
"""Its image is, for Anthropic's API."""


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    skip_for(hermes.why_not())
    return dict([*some(sorted(corpus().items()), 12), *some(sorted(together().items()), 6)])


def opened(path: Path) -> Session:
    return open_session(f"{path}::{ID}")


def rows(messages: Any) -> list[Row]:
    return rows_of([_comparable(_as_chat(message)) for message in messages])


def _as_chat(item: Any) -> Any:
    """An item of the Responses API as a message."""
    if item.get("type") == "function_call":
        function = {"name": item["name"], "arguments": item["arguments"]}
        call = {"id": item["call_id"], "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}
    if item.get("type") == "function_call_output":
        return {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
    return item


def _comparable(message: Any) -> dict[str, Any]:
    """Hermes sorts the arguments of a call."""
    calls = [json.loads(json.dumps(call)) for call in message.get("tool_calls") or ()]
    for call in calls:
        call["function"]["arguments"] = json.dumps(json.loads(call["function"]["arguments"]), sort_keys=True)
    content = message.get("content")
    return {**message, "content": "" if content is None else content, "tool_calls": calls}


def model(seen: SentRequest) -> list[Row]:
    made = []
    for message in seen.messages:
        first = message.parts[0].value
        if isinstance(first, dict) and first.get("role") == "tool":
            made.append(first)
            continue
        values = [part.value for part in message.parts]
        said = [{"type": "text", "text": value} if isinstance(value, str) else value for value in values]
        calls = [value for value in said if "function" in value]
        content = [value for value in said if "function" not in value]
        made.append({"role": message.role, "content": content, "tool_calls": calls})
    return rows(made)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, model, lambda messages: without_prompt(rows(messages)))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], provider: str, tmp_path: Path) -> None:
    names = planted.keys() - (SPELLED_OTHERWISE if provider == "anthropic" else set())
    paths = {name: database(tmp_path / f"{name}.db", planted[name].data, provider=provider) for name in names}
    sent = hermes.resume({name: path.read_bytes() for name, path in paths.items()}, PROVIDERS[provider])
    assert all_differences(sent, lambda name: seen_of(opened(paths[name])), difference) == {}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], provider: str, tmp_path: Path) -> None:
    names = planted.keys() - GUESSES - (SPELLED_OTHERWISE if provider == "anthropic" else set())
    paths = {name: database(tmp_path / f"{name}.db", planted[name].data, provider=provider) for name in names}
    for path in paths.values():
        session = opened(path)
        if session.stage_recommended() is not None:
            session.save()
        assert opened(path).stage_recommended() is None
    sent = hermes.resume({name: path.read_bytes() for name, path in paths.items()}, PROVIDERS[provider])
    refused = partial(errors_of, folder=tmp_path, format=PROVIDERS[provider])
    assert all_faults(sent, planted, lambda name: seen_of(opened(paths[name])), difference, refused) == {}
    (name, first), *_ = sent.items()
    after = tmp_path / "after.db"
    after.write_bytes(first.after)
    again = opened(after)
    assert errors(again) == [] and PROMPT in str([part.value for part in seen_of(again).messages[-2].parts]), name
