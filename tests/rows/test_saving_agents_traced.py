"""A save into a database of each agent is killed at its system calls, using strace: the old session or the new one.

By default only some of the calls are tried; with TOOLPAIR_TEST_ROUNDS of 4 or more all are.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import Struct

import toolpair
from tests import goose_sessions, openclaw_databases, opencode_sessions
from tests.rounds import EVERY
from tests.rows.test_saving_traced import TRACED
from toolpair.source.saving.backups import backups
from toolpair.source.saving.restoring import restore


class Kept(Struct, frozen=True):
    """A broken session of an agent's database, and how that is written."""

    session: str
    write: Callable[[Path], object]


AGENTS = {
    "goose, rows that need new ids": Kept(
        goose_sessions.SESSION,
        lambda path: goose_sessions.database(path, goose_sessions.corpus()["result_gone"].rows),
    ),
    "goose, rows moved": Kept(
        goose_sessions.SESSION,
        lambda path: goose_sessions.database(path, goose_sessions.corpus()["result_at_the_end"].rows, gap=3),
    ),
    "opencode": Kept(opencode_sessions.ID, opencode_sessions.corpus()["no_output"].write),
    "opencode, a message that failed": Kept(opencode_sessions.ID, opencode_sessions.corpus()["message_failed"].write),
    "OpenClaw": Kept(openclaw_databases.ID, openclaw_databases.corpus()["list_swapped"].write),
    "OpenClaw, packed": Kept(openclaw_databases.ID, openclaw_databases.corpus()["packed_and_a_result_gone"].write),
}
SAVE = replace(TRACED, others=())
STATES = ("in place", "log", "crashed log")
CRASH = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("CREATE TABLE in_the_log (a)")
os.kill(os.getpid(), 9)
"""


def made(folder: Path, kept: Kept, state: str) -> Path:
    folder.mkdir()
    path = folder / "agent.db"
    kept.write(path)
    if "log" in state:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    if state == "crashed log":
        subprocess.run([sys.executable, "-c", CRASH, str(path)])
        assert path.with_name("agent.db-wal").stat().st_size
    return path


def rows_in(path: Path) -> list[str]:
    """All that the database holds, as SQL."""
    with closing(sqlite3.connect(path)) as connection:
        openclaw_databases.prepare(connection)
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [line for line in connection.iterdump() if "sqlite_sequence" not in line]


def is_fixed(path: Path, kept: Kept) -> bool:
    found = toolpair.open(f"{path}::{kept.session}").problems
    return not any(problem.severity == "error" for problem in found)


@pytest.mark.parametrize("state", STATES if EVERY else STATES[:1])
@pytest.mark.parametrize("agent", AGENTS)
def test_kill_9(tmp_path: Path, agent: str, state: str) -> None:
    kept = AGENTS[agent]
    first = made(tmp_path / "first", kept, state)
    calls = SAVE.places(f"{first}::{kept.session}", tmp_path)
    assert len(calls) > 15 and is_fixed(first, kept)
    outcomes = []
    for call, number in calls if EVERY else calls[:: len(calls) // 3]:
        path = made(tmp_path / f"{call}-{number}", kept, state)
        before = rows_in(Path(shutil.copytree(path.parent, tmp_path / f"before-{call}-{number}")) / path.name)
        SAVE.kill(f"{path}::{kept.session}", tmp_path, (call, number))
        done = is_fixed(path, kept)
        outcomes.append(done)
        if done:
            restore(path, backups(path)[0])
        assert rows_in(path) == before, (call, number, done)
        shutil.rmtree(path.parent)
    assert False in outcomes
