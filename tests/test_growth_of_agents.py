"""Twice the records are twice the work in the sessions of each agent that keeps them in JSON, in rows or in files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import generate
from benchmarks.sessions.options import DATABASES, Options
from tests import opencode_sessions
from tests.long_sessions import AGENTS, BREAKS, pi
from tests.rounds import some
from tests.test_growth import all_that_is_asked
from tests.work import growing
from toolpair.formats.engine.agents.databases import sessions_in
from toolpair.session.session import Session, open_session
from toolpair.transcript.edits import Reorder

SIZES = (8, 16, 32)
LARGER = (32, 64, 128)
"""From where on a document of much text is read in the one way that long ones are."""
OF_AGENTS = ("formats/", "source/rows/", "source/folders/")
"""Where what belongs to an agent is. How much work a text is depends on what it says, too."""


def _in_formats(found: list[str]) -> list[str]:
    return [one for one in found if one.startswith(OF_AGENTS)]


def _made(folder: Path, **options: Any) -> Path:
    path = folder / f"{options['format']}-{options['pairs']}.db"
    if not path.exists():
        _generated(Options(shape="small", **options), path)
    return path


def _generated(options: Options, path: Path) -> None:
    """Long ago: what has just been written is looked at twice, and how much of it that is depends on the machine."""
    generate(options, path)
    for file in (path, *path.rglob("*")):
        os.utime(file, (1_790_000_000, 1_790_000_000))


def _fixed(session: Session) -> None:
    for problem in session.problems:
        session.location(problem)
    session.stage_recommended()
    session.to_bytes()


@pytest.mark.parametrize(("agent", "how"), some(zip(sorted(AGENTS), BREAKS, strict=False), 2))
def test_sessions_in_json(agent: str, how: str) -> None:
    def work(count: int) -> Callable[[], None]:
        file = AGENTS[agent](count, how)
        return lambda: all_that_is_asked(*file, "recommended")

    assert growing(work, LARGER if agent == "cline-cli" else SIZES) == []


@pytest.mark.parametrize("agent", some(["copilot-cli", "gemini-cli", "pi", "qwen-code"], 1))
def test_lines_that_cannot_be_read(agent: str) -> None:
    def work(count: int) -> Callable[[], None]:
        name, data = {**AGENTS, "pi": pi}[agent](count, "")
        lines = data.splitlines()
        lines[5::4] = [line[: len(line) * 2 // 3] for line in lines[5::4]]
        return lambda: all_that_is_asked(name, b"\n".join(lines) + b"\n", "recommended")

    assert _in_formats(growing(work, SIZES)) == []


@pytest.mark.parametrize(
    ("agent", "parallel"), some([(agent, parallel) for agent in DATABASES for parallel in (False, True)], 2)
)
def test_sessions_in_a_database(agent: str, parallel: bool, tmp_path: Path) -> None:
    """No call has a result; they are one after another, or all in one response."""

    def work(count: int) -> Callable[[], None]:
        kinds = ("missing",)
        path = _made(
            tmp_path, format=agent, pairs=count, problems=count, kinds=kinds, parallel=count if parallel else 1
        )
        return lambda: _fixed(open_session(str(path)))

    assert _in_formats(growing(work, SIZES)) == []


def test_new_parts_of_one_message(tmp_path: Path) -> None:
    """Its texts, each after a call, are put before the calls: the calls get new rows."""

    def work(count: int) -> Callable[[], None]:
        made = opencode_sessions.OpencodeSession()
        made.user("Go on.")
        made.assistant(*(part for number in range(count) for part in (opencode_sessions.done(str(number)), "So.")))
        path = tmp_path / f"{count}.db"
        if not path.exists():
            opencode_sessions.written(path, made)
        judged = open_session(path).conversation.judged
        edits = [Reorder(judged.transcript.messages[1], "calls_last")]
        assert sum(item.uid < 0 for item in judged.apply(edits)) > count / 2
        return lambda: judged.apply(edits) and None

    assert growing(work, SIZES) == []


@pytest.mark.parametrize("broken", some([True, False], 1))
def test_a_session_in_a_folder(broken: bool, tmp_path: Path) -> None:
    def work(count: int) -> Callable[[], None]:
        storage = tmp_path / str(count) / "opencode" / "storage"
        options = Options(format="opencode", layout="folder", shape="small", pairs=count, parallel=1)
        storage.mkdir(parents=True, exist_ok=True)
        _generated(options if not broken else Options(**{**_fields(options), "problems": count}), storage)
        return lambda: _fixed(open_session(str(storage)))

    assert _in_formats(growing(work, SIZES)) == []


def _fields(options: Options) -> dict[str, Any]:
    return {name: getattr(options, name) for name in Options.__slots__}


def _statements(run: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many statements SQLite carries out for toolpair."""
    from toolpair.source.rows import reading

    made: list[str] = []
    reading._COPIES.forget()

    def prepare(connection: sqlite3.Connection) -> None:
        prepared(connection)
        connection.set_trace_callback(made.append)

    prepared = reading.prepare
    with monkeypatch.context() as patch:
        patch.setattr(reading, "prepare", prepare)
        run()
    reading._COPIES.forget()
    return len(made)


@pytest.mark.parametrize("agent", DATABASES)
def test_a_longer_session_takes_no_more_statements(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (_made(tmp_path, format=agent, pairs=pairs) for pairs in (20, 200))
    statements = [_statements(lambda path=path: open_session(str(path)), monkeypatch) for path in (few, many)]
    assert 0 < statements[0] == statements[1]


@pytest.mark.parametrize("agent", DATABASES)
def test_a_list_takes_few_statements_for_each_session(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(pairs: int) -> int:
        path = tmp_path / f"{pairs}.db"
        _generated(Options(format=agent, shape="small", pairs=pairs, sessions=30), path)
        found = []
        statements = _statements(lambda: found.append(sessions_in(str(path), str(path))), monkeypatch)
        assert len(found[0].sessions) == 30
        return statements

    assert listed(4) == listed(40) < 30 * 3
