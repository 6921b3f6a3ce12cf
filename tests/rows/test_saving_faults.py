"""Saving rows while something fails at each step: an exception, a kill, a full disk."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import pytest

from tests.docker_agent_databases import dump, several
from tests.rounds import mixed, some
from tests.rows.test_saving import is_whole, left_open, opened
from tests.source.faults import FAULTS, at_step, filled, held_by, in_a_child, kill, little_space, raising, small_disk
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.rows.save import RowsSave
from toolpair.source.saving.backups import backups
from toolpair.source.saving.file_names import is_temporary
from toolpair.source.saving.restoring import restore

STEPS = ("connect", "begin", "read", "backup", "write", "compare", "check", "commit", "after")
HOW = "several"
STATES = ("log", "crashed log", "in place", "hot journal")

CRASH = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("PRAGMA cache_spill = 1")
connection.execute("BEGIN")
connection.execute("CREATE TABLE big (a)")
for number in range(300):
    connection.execute("INSERT INTO big VALUES (?)", ("lost" * 400,))
connection.execute("UPDATE session_items SET message_json = 'lost'")
os.kill(os.getpid(), 9)
"""

_TEMPORARY = gettempdir()
"""Before a test names another one."""


def made(folder: Path, state: str, how: str = HOW) -> Path:
    """A database in some state."""
    shutil.copytree(template(state, how).name, folder, dirs_exist_ok=True)
    return folder / "session.db"


@cache
def template(state: str, how: str) -> TemporaryDirectory[str]:
    """What a process left that was killed, which takes a process to make, is made once."""
    folder = TemporaryDirectory(dir=_TEMPORARY)
    path = several(Path(folder.name) / "session.db", how, wal="log" in state)
    if state == "crashed log":
        left_open(path)
    if state == "hot journal":
        subprocess.run([sys.executable, "-c", CRASH, str(path)])
        assert path.with_name("session.db-journal").stat().st_size > 512
    return folder


def saving(path: Path, step: Callable[[str], None]) -> RowsSave:
    session = opened(path)
    assert session.stage_recommended()
    documents = [found.document for found in session.conversations]
    return RowsSave(session.file.snapshot, session.file.container, documents, step=step)


def wanted(folder: Path, state: str, how: str = HOW) -> tuple[dict[str, Any], dict[str, Any]]:
    """All that the database holds before and after a save that succeeds."""
    path = made(folder, state, how)
    # On a copy, so that a log stays as it is.
    before = dump(made(folder / "before", state, how))
    saving(path, lambda name: None).write()
    return before, dump(path)


def check(path: Path, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Assert that the database is as before or as wanted; True for the latter."""
    now = dump(path)
    assert now in (before, after)
    assert is_whole(path)
    left = set(os.listdir(path.parent)) - {path.name, *(path.name + end for end in ("-wal", "-shm", "-journal"))}
    assert all(is_temporary(name) or ".toolpair-" in name for name in left), left
    for name in left:
        assert (path.parent / name).stat().st_mode & 0o077 == 0, name
    if now == after:
        assert backups(path), "nothing is changed without a way back"
        restore(path, backups(path)[0])
        assert dump(path) == before
    return now == after


ANY_FAULT = {**FAULTS, "sqlite": lambda: sqlite3.OperationalError("disk I/O error")}


@pytest.mark.parametrize(("fault", "state"), mixed(ANY_FAULT, STATES))
def test_an_exception_at_each_step(tmp_path: Path, state: str, fault: str) -> None:
    before, after = wanted(tmp_path / "wanted", state)
    for at in STEPS:
        path = made(tmp_path / at, state)
        save = saving(path, at_step(STEPS.index(at), raising(ANY_FAULT[fault]())))
        with pytest.raises((Refused, SaveFailed, KeyboardInterrupt, MemoryError)) as raised:
            save.write()
        if isinstance(raised.value, SaveFailed):
            says = "the changes are in the database" if at == "after" else "unchanged"
            assert says in str(raised.value), str(raised.value)
        if at != "after":
            assert not list(path.parent.glob("*.toolpair-*")), "nothing is left of it"
        assert check(path, before, after) == (at == "after")


def test_every_step_is_reached(tmp_path: Path) -> None:
    seen: list[str] = []
    saving(made(tmp_path / "x", "log"), seen.append).write()
    assert tuple(seen) == STEPS


@pytest.mark.parametrize("state", STATES)
def test_kill_9_at_each_step(tmp_path: Path, state: str) -> None:
    before, after = wanted(tmp_path / "wanted", state)
    for at in STEPS:
        path = made(tmp_path / at, state)
        save = saving(path, at_step(STEPS.index(at), kill))
        assert in_a_child(save.write) == signal.SIGKILL
        assert check(path, before, after) == (at == "after")


@pytest.mark.parametrize("state", some(["log", "crashed log", "in place"], 2))
def test_files_that_cannot_grow(tmp_path: Path, state: str) -> None:
    before, after = wanted(tmp_path / "wanted", state)
    outcomes = set()
    for number, most in enumerate((0, 100, 512, 4096, 8192, 20_000, 40_000, 60_000, 100_000, 1_000_000)):
        path = made(tmp_path / str(number), state)
        save = saving(path, lambda name: None)

        def work(save: RowsSave = save, most: int = most) -> None:
            with little_space(most):
                try:
                    save.write()
                except (Refused, SaveFailed) as error:
                    assert "unchanged" in str(error) or isinstance(error, Refused)
                    os._exit(3)

        assert not in_a_child(work)
        outcomes.add(check(path, before, after))
    assert outcomes == {True, False}


@pytest.mark.parametrize("state", ["log", "in place"])
def test_a_full_disk(tmp_path: Path, state: str) -> None:
    before, after = wanted(tmp_path / "wanted", state)
    outcomes = set()
    with small_disk(tmp_path / "disk") as disk:
        for free in (0, 4096, 20_000, 50_000, 100_000, 200_000, 400_000):
            path = made(disk / str(free), state)
            save = saving(path, lambda name: None)
            with filled(disk, free):
                try:
                    save.write()
                except (Refused, SaveFailed) as error:
                    assert "unchanged" in str(error), str(error)
                    assert not list(path.parent.glob("*.toolpair-*"))
            outcomes.add(check(path, before, after))
            shutil.rmtree(path.parent)
    assert outcomes == {True, False}


def test_what_a_killed_save_leaves_is_swept(tmp_path: Path) -> None:
    """Its temporary file is named and locked as that of any save."""
    path = made(tmp_path / "x", "log")
    stale = path.with_name(".toolpair-0123456789abcdef.tmp")
    stale.write_bytes(b"left")
    saving(path, lambda name: None).write()
    assert not stale.exists()


# --- with other writers --------------------------------------------------------------------------------------

OTHERS = {
    "commits to this session": "UPDATE session_items SET message_json = '{}' WHERE session_id = 'sound' AND position = 0",
    "commits to another": "UPDATE session_items SET message_json = '{}' WHERE session_id = 'newest' AND position = 0",
    "adds a row": "INSERT INTO session_items (session_id, position, item_type) VALUES ('sound', 99, 'message')",
    "removes the session": "DELETE FROM session_items WHERE session_id = 'sound'",
    "changes a table": "ALTER TABLE session_items ADD COLUMN more",
}


@pytest.mark.parametrize(("other", "state"), mixed(OTHERS, ["log", "in place"]))
def test_another_writer_at_each_step(tmp_path: Path, other: str, state: str) -> None:
    """It comes before the transaction and is seen, or waits until it is over."""
    _, after = wanted(tmp_path / "wanted", state)
    for at in STEPS:
        path = made(tmp_path / at, state)
        failed: list[sqlite3.OperationalError] = []

        def write(path: Path = path, failed: list[sqlite3.OperationalError] = failed) -> None:
            try:
                with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer:
                    writer.execute(OTHERS[other])
            except sqlite3.OperationalError as error:
                failed.append(error)

        save = saving(path, at_step(STEPS.index(at), write))
        try:
            save.write()
        except Refused as error:
            assert at in ("connect", "begin") and "has changed since it was opened" in str(error)
            assert not list(path.parent.glob("*.toolpair-*"))
            continue
        now = dump(path)
        if at in ("connect", "begin"):
            assert other in ("commits to another", "changes a table")
        elif at == "after":
            assert not failed
        else:
            assert failed and now == after
        assert is_whole(path)


@pytest.mark.parametrize("state", ["log", "in place"])
@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_lock_that_somebody_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, lock: str) -> None:
    monkeypatch.setattr("toolpair.source.rows.transaction.WAITS", 0.05)
    path = made(tmp_path / "x", state)
    before = dump(path)
    save = saving(path, lambda name: None)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute(f"BEGIN {lock}")
        with pytest.raises(Refused, match="is being written to by another program"):
            save.write()
        holder.execute("ROLLBACK")
    assert dump(path) == before and not list(path.parent.glob("*.toolpair-*"))


HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM sessions").fetchone()
print("open", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("state", ["log", "in place"])
def test_refused_when_a_process_opens_it_at_the_last_moment(tmp_path: Path, state: str) -> None:
    path = made(tmp_path / "x", state)
    before = dump(made(tmp_path / "y", state))
    with ExitStack() as agents:
        save = saving(path, at_step(STEPS.index("begin"), lambda: agents.enter_context(held_by(HOLD, path))))
        with pytest.raises(Refused, match="is open in python"):
            save.write()
    assert dump(path) == before and not list(path.parent.glob("*.toolpair-*"))


@pytest.mark.parametrize("state", ["log", "in place", "crashed log"])
def test_refused_while_a_process_has_it_open(tmp_path: Path, state: str) -> None:
    path = made(tmp_path / "x", state)
    before = dump(made(tmp_path / "y", state))
    save = saving(path, lambda name: None)
    with held_by(HOLD, path) as pid:
        with pytest.raises(Refused, match=rf"is open in python\S*, process {pid}"):
            save.write()
        assert not list(path.parent.glob("*.toolpair-*"))
    assert dump(path) == before
    save.write()


def test_a_reader_in_this_process_does_not_give_up_the_lock(tmp_path: Path) -> None:
    """Who closes any descriptor of a file gives up all locks that the process has on it."""
    import threading

    from toolpair.source.addresses import is_database

    path = made(tmp_path / "x", "in place")
    looked: list[bool] = []
    threads: list[threading.Thread] = []

    def step(name: str) -> None:
        if name == "write":
            threads.append(threading.Thread(target=lambda: looked.append(is_database(str(path)))))
            threads[0].start()
            threads[0].join(0.2)
        if name == "compare":
            ran = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')",
                    path,
                ],
                capture_output=True,
                text=True,
            )
            assert "locked" in ran.stderr

    saving(path, step).write()
    threads[0].join()
    assert looked == [True]


@pytest.mark.parametrize("error", [sqlite3.OperationalError("disk I/O error"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_that_fails_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, committed: bool
) -> None:
    """What is said of it is what is found in the database, and with it the backup stays or goes."""
    from toolpair.source.rows import transaction

    class Failing:
        def __init__(self, connection: sqlite3.Connection) -> None:
            self._connection = connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self._connection, name)

        def execute(self, sql: str, *values: Any) -> Any:
            if sql == "COMMIT":
                if committed:
                    self._connection.execute(sql)
                raise error
            return self._connection.execute(sql, *values)

    connected = transaction.connected
    monkeypatch.setattr(transaction, "connected", lambda *parts: Failing(connected(*parts)))
    path = made(tmp_path / "x", "log")
    before = dump(path)
    save = saving(path, lambda name: None)
    if isinstance(error, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            save.write()
    else:
        with pytest.raises(SaveFailed, match="in the database" if committed else "unchanged"):
            save.write()
    assert bool(backups(path)) == committed
    assert (dump(path) == before) != committed
