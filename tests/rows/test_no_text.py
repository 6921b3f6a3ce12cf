"""A text of a database that is not UTF-8: told wherever it is, left as it is by every other fix, replaced when asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests import docker_agent_databases, goose_sessions, hermes_sessions
from tests.formats import test_agents_sdk, test_crush
from tests.formats.fixing import seen_of
from toolpair.session.session import open_session

RULE = "record.bad_utf8"


def hermes(path: Path) -> str:
    return f"{hermes_sessions.database(path, hermes_sessions.corpus()['result_gone'].data)}::{hermes_sessions.ID}"


def goose(path: Path) -> str:
    return f"{goose_sessions.database(path, goose_sessions.sound())}::{goose_sessions.SESSION}"


def docker_agent(path: Path) -> str:
    words = [docker_agent_databases.message("user", "begin"), docker_agent_databases.message("assistant", "done")]
    return f"{docker_agent_databases.database_of(path, it=words)}::it"


def crush(path: Path) -> str:
    return f"{test_crush.database(path, test_crush.SOUND)}::{test_crush.ID}"


def agents_sdk(path: Path) -> str:
    return f"{test_agents_sdk.database(path, it=test_agents_sdk.SOUND)}::it"


BYTE = b"\xe9"


def texts(path: Path, table: str, column: str) -> list[bytes]:
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        return [row[0] for row in db.execute(f"SELECT {column} FROM {table}") if row[0]]


@pytest.mark.parametrize(
    ("made", "table", "column", "word", "says"),
    [
        (hermes, "messages", "content", "I loo", "Hermes Agent does not load this session"),
        (hermes, "messages", "tool_calls", "echo on", "Hermes Agent does not load this session"),
        (hermes, "sessions", "model", "gpt", "Hermes Agent does not load this session"),
        (goose, "messages", "message_id", "msg_00000003", "goose crashes at it"),
        (goose, "messages", "content_json", "Begin", "goose crashes at it"),
        (goose, "sessions", "name", "The broken", "goose resumes without the text"),
        (goose, "sessions", "working_dir", "/home", "goose does not find this session"),
        (agents_sdk, "agent_messages", "message_data", "begi", "the Agents SDK does not load this session"),
        (docker_agent, "session_items", "message_json", "beg", "docker-agent replaces them"),
        (crush, "messages", "parts", "Begin", "Crush replaces them"),
        (crush, "messages", "model", "gpt", "Crush replaces them"),
    ],
)
def test_it_is_told_kept_and_replaced_when_asked(
    made: Callable[[Path], str], table: str, column: str, word: str, says: str, tmp_path: Path
) -> None:
    address = made(path := tmp_path / "sessions.db")
    good = word.encode()
    with closing(sqlite3.connect(path)) as db:
        for text in set(texts(path, table, column)):
            if good in text:
                spoilt = text.replace(good, good + BYTE), text.decode()
                db.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE {column} = ?", spoilt)
        db.commit()
    before = texts(path, table, column)
    session = open_session(address)
    told = [problem for problem in session.problems if problem.rule == RULE]
    assert told and all(says in problem.text for problem in told), session.problems
    stops = "replaces" not in says and "resumes" not in says
    assert {problem.impact for problem in told} == {"stops" if stops else "harmless"}
    assert made is agents_sdk or (seen_of(session).refuses is not None) == stops
    for problem in session.problems:
        if problem.rule != RULE:
            session.stage(problem, problem.fixes[0])
    if session.changed:
        session.save()
        assert [text for text in texts(path, table, column) if BYTE in text] == [one for one in before if BYTE in one]
        session = open_session(address)
    if not session.problems[0].fixes:
        return  # nothing is written for this agent
    while told := [problem for problem in session.problems if problem.rule == RULE]:
        session.stage(told[0], told[0].fixes[0])
    session.save()
    after = texts(path, table, column)
    wanted = [text.replace(BYTE, "\ufffd".encode()) for text in before]
    assert set(wanted) <= set(after)
    assert session.problems == open_session(address).problems
