"""The model of what goose sends, and repaired sessions, held against the real agent. Opt-in: `pytest -m agents`."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path

import pytest

from tests.agents import goose
from tests.agents.comparing import (
    Row,
    all_differences,
    all_faults,
    errors_of,
    modelled_rows,
    row_difference,
    rows_of,
    skip_for,
    without_prompt,
)
from tests.agents.running import Messages, Resumed
from tests.formats.fixing import errors, seen_of
from tests.goose_sessions import SESSION, Planted, corpus, database, old_file, others, sound
from toolpair.formats.asking import PROMPT
from toolpair.formats.engine.agents.databases import sessions_in
from toolpair.formats.format import SentRequest
from toolpair.session.session import Session, open_session

pytestmark = pytest.mark.agents
PROVIDERS = ("openai", "anthropic")
REAL = os.environ.get("TOOLPAIR_REAL_SESSIONS")
"""A folder with sessions that agents wrote: each `sessions.db` in it is compared, too."""


@pytest.fixture(scope="module", autouse=True)
def _there() -> None:
    skip_for(goose.why_not())


@pytest.fixture(scope="module")
def planted() -> dict[str, Planted]:
    return {"sound": Planted(sound(), ()), **corpus()}


def stored(folder: Path, name: str, found: Planted, provider: str) -> Path:
    path = folder / f"{name}.db"
    path.unlink(missing_ok=True)
    return database(path, found.rows, provider=provider)


def opened(path: Path, session: str = SESSION) -> Session:
    return open_session(f"{path}::{session}")


def without_the_turn(text: str) -> str:
    return re.sub(r"<turn-context>.*?</turn-context>", "", text, flags=re.DOTALL)


def rows(messages: Messages) -> list[Row]:
    return rows_of(messages, without_the_turn)


def difference(seen: SentRequest, resumed: Resumed) -> str | None:
    said = partial(modelled_rows, without=without_the_turn)
    return row_difference(seen, resumed, said, lambda messages: without_prompt(rows(messages)))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_the_model_sees_is_what_is_sent(planted: dict[str, Planted], provider: str, tmp_path: Path) -> None:
    paths = {name: stored(tmp_path, name, found, provider) for name, found in planted.items()}
    sent = goose.resume({name: path.read_bytes() for name, path in paths.items()}, provider=provider)
    assert sum(found.messages is not None for found in sent.values()) > len(planted) / 2
    assert all_differences(sent, lambda name: seen_of(opened(paths[name])), difference) == {}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_repaired_session_is_sent_valid_and_whole(planted: dict[str, Planted], provider: str, tmp_path: Path) -> None:
    paths = {name: stored(tmp_path, name, found, provider) for name, found in planted.items()}
    for path in paths.values():
        session = opened(path)
        if session.stage_recommended() is not None:
            session.save()
    sent = goose.resume({name: path.read_bytes() for name, path in paths.items()}, provider=provider)
    refused = partial(errors_of, folder=tmp_path, format="openai-chat" if provider == "openai" else "anthropic")
    assert all_faults(sent, planted, lambda name: seen_of(opened(paths[name])), difference, refused) == {}


def test_what_goose_writes_next_comes_after_what_was_repaired(planted: dict[str, Planted], tmp_path: Path) -> None:
    path = stored(tmp_path, "result_gone", planted["result_gone"], "openai")
    session = opened(path)
    session.stage_recommended()
    session.save()
    (found,) = goose.resume({"it": path.read_bytes()}).values()
    after = tmp_path / "after.db"
    after.write_bytes(found.after)
    again = opened(after)
    assert errors(again) == []
    texts = [part.value.get("text", "") for message in seen_of(again).messages for part in message.parts]
    assert texts[-1] == "resumed" and PROMPT in texts


def test_an_older_file_is_imported_as_it_is_read(tmp_path: Path) -> None:
    """One with whole lines alone: goose skips the others, and puts them in the order of their times."""
    kinds = {name: found for name, found in corpus().items() if all(row.raw is None for row in found.rows)}
    files = {name: old_file(found.rows) for name, found in kinds.items() if not hidden(found)}
    sent = goose.resume(files, session="20250601_101010")
    differ: dict[str, str | None] = {}
    for name, data in files.items():
        path = tmp_path / "20250601_101010.jsonl"
        path.write_bytes(data)
        differ[name] = difference(seen_of(open_session(path)), sent[name])
    assert {name: found for name, found in differ.items() if found} == {}


def hidden(found: Planted) -> bool:
    return any(row.metadata is not None for row in found.rows)


def test_sessions_that_goose_wrote_are_sent_as_the_model_says() -> None:
    if REAL is None:
        pytest.skip("no folder with sessions (set TOOLPAIR_REAL_SESSIONS)")
    differ: dict[str, str | None] = {}
    for path in Path(REAL).rglob("goose/**/sessions.db"):
        for one in sessions_in(str(path), str(path)).sessions:
            (sent,) = goose.resume({"it": path.read_bytes()}, session=one.id).values()
            differ[f"{path}::{one.id}"] = difference(seen_of(opened(path, one.id)), sent)
    assert differ and {name: found for name, found in differ.items() if found} == {}


def test_the_other_session_is_resumed_as_it_was(planted: dict[str, Planted], tmp_path: Path) -> None:
    path = stored(tmp_path, "call_gone", planted["call_gone"], "openai")
    before = goose.resume({"it": path.read_bytes()}, session=others()[0].session)["it"].messages
    session = opened(path)
    session.stage_recommended()
    session.save()
    after = goose.resume({"it": path.read_bytes()}, session=others()[0].session)["it"].messages
    assert before is not None and after is not None and rows(before) == rows(after)
