"""The model of what Mistral Vibe sends, and repaired sessions, held against the agent. Opt-in: `pytest -m agents`.

A session takes it ten seconds, so the tests try some of the broken ones.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agents import vibe
from tests.agents.comparing import (
    Row,
    all_differences,
    all_faults,
    errors_of,
    row_difference,
    rows_of,
    seen_in,
    skip_for,
)
from tests.agents.running import Messages, Resumed
from tests.broken_sessions import Planted
from tests.formats.fixing import fixed, seen_of
from tests.formats.test_vibe import READ_OTHERWISE
from tests.rounds import some
from tests.vibe_sessions import NAME, corpus, together
from toolpair.dialects.block_texts import text_of
from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest
from toolpair.formats.vibe.format import BEFORE, NEWEST
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return dict(some(sorted((corpus() | together()).items()), 8))


def opened(folder: Path, version: str, data: bytes) -> Session:
    path = folder / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return open_session(path, agent_version=version)


def rows(messages: Any) -> list[Row]:
    """Without the prompt, which ends them, or is joined with what the user said last."""
    found = rows_of(messages)
    role, kind, id_, text = found[-1] if found else ("", "", "", "")
    said = text.removesuffix("".join(PROMPT.split()))
    return [*found[:-1], *([(role, kind, id_, said)] if said else [])]


def model(seen: SentRequest) -> list[Row]:
    made = []
    for message in seen.messages:
        values = [part.value for part in message.parts]
        if message.role == "tool":
            made.append(values[0])
            continue
        calls = [value for value in values if isinstance(value, dict) and "function" in value]
        said = [
            {"type": "text", "text": value} if isinstance(value, str) else value
            for value in values
            if value not in calls
        ]
        made.append({"role": message.role, "content": said, "tool_calls": calls})
    return rows_of(made)


def refused(messages: Messages, folder: Path) -> list[str]:
    """What Mistral's API has against a request. The prompt right after the results that end a session is Vibe's doing."""
    ends = messages[-1]["content"] == PROMPT and messages[-2]["role"] == "tool"
    return errors_of(messages[:-1] if ends else messages, folder, profile="mistral")


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, model, rows)


@pytest.mark.parametrize(("before", "version"), [(False, NEWEST), (True, BEFORE)])
def test_what_the_model_sees_is_what_vibe_sends(
    before: bool, version: str, planted: dict[str, Planted], tmp_path: Path
) -> None:
    skip_for(vibe.why_not(before))
    files = {name: found.data for name, found in planted.items() if name not in READ_OTHERWISE}
    sent = vibe.resume(files, before)
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    assert all_differences(sent, seen_in(files, partial(opened, tmp_path, version)), difference) == {}


@pytest.mark.parametrize(("before", "version"), [(False, NEWEST), (True, BEFORE)])
def test_a_repaired_session_is_sent_valid_and_whole(
    before: bool, version: str, planted: dict[str, Planted], tmp_path: Path
) -> None:
    skip_for(vibe.why_not(before))
    files = {name: fixed(opened(tmp_path, version, planted[name].data)) for name in planted.keys() - READ_OTHERWISE}
    sent = vibe.resume(files, before)
    seen = seen_in(files, partial(opened, tmp_path, version))
    assert all_faults(sent, planted, seen, difference, partial(refused, folder=tmp_path)) == {}


def test_what_the_model_sees_of_a_store_is_what_vibe_sends(planted: dict[str, Planted], tmp_path: Path) -> None:
    """Of sessions that it has taken over, with what is broken in them."""
    skip_for(vibe.why_not(False))
    some_of = dict(some(sorted((name, one.data) for name, one in planted.items() if name not in READ_OTHERWISE), 6))
    stores = vibe.taken_over(some_of, tmp_path)
    assert len(stores) > 2
    sent = vibe.resume_stored(stores)
    assert all_differences(sent, lambda name: seen_of(open_session(stores[name])), stored_difference) == {}


def stored_difference(seen: SentRequest, resumed: Resumed) -> str | None:
    return row_difference(seen, resumed, modelled_of_store, rows)


def modelled_of_store(seen: SentRequest) -> list[Row]:
    values = ((one.role, [part.value for part in one.parts]) for one in seen.messages)
    return rows_of({"role": role, "content": list(map(_flat, parts))} for role, parts in values)


def _flat(value: Any) -> Any:
    is_result = isinstance(value, dict) and value.get("type") == "tool_result"
    return {**value, "content": text_of(value["content"])} if is_result else value
