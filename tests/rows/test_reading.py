"""Looking at a database creates and changes nothing beside it."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import toolpair
from tests.docker_agent_databases import several
from tests.rows.test_saving import left_open, run
from tests.rows.test_saving_faults import made
from toolpair.cli.main import main
from toolpair.formats.docker_agent import database as docker_agent_database
from toolpair.formats.engine.agents import databases
from toolpair.source.errors import UnreadableFile
from toolpair.source.rows import layout, save
from toolpair.source.rows import private_copy as private_copies
from toolpair.source.rows import reading as rows_reading
from toolpair.source.rows.layout import ANY_NUMBER
from toolpair.source.rows.private_copy import private_copy
from toolpair.source.rows.reading import reading

STATES = ("log", "crashed log", "crashed log without its index", "in place", "hot journal", "one page")
IN_LOG = """
import os, sqlite3, sys
made = sqlite3.connect(sys.argv[1], isolation_level=None)
made.execute("PRAGMA journal_mode = WAL")
made.execute("PRAGMA wal_autocheckpoint = 0")
made.executescript(sys.stdin.read())
os.kill(os.getpid(), 9)
"""


def in_state(folder: Path, state: str) -> Path:
    if state == "one page":
        folder.mkdir()
        source = several(folder.with_name("source.db"))
        with closing(sqlite3.connect(source)) as old:
            said = "\n".join(old.iterdump())
        path = folder / "session.db"
        subprocess.run([sys.executable, "-c", IN_LOG, str(path)], input=said.encode())
        assert path.stat().st_size == 4096
        return path
    path = made(folder, state.removesuffix(" without its index"))
    if "without" in state:
        path.with_name("session.db-shm").unlink()
    return path


def seen(folder: Path) -> dict[str, object]:
    """All that can be seen of a folder: names, bytes, times."""
    return {
        name: (
            (found := os.lstat(folder / name)).st_mtime_ns,
            found.st_ino,
            found.st_mode,
            (folder / name).read_bytes(),
        )
        for name in os.listdir(folder)
        if not (folder / name).is_dir()
    } | {"": os.stat(folder).st_mtime_ns}


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "large":
        monkeypatch.setattr(rows_reading, "COPIED", 1)
    return str(request.param)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def read_it(path: Path) -> None:
    assert len(toolpair.open(f"{path}::sound").problems) == 2
    assert [one.id for one in databases.sessions_in(str(path), str(path)).sessions][-1] == "oldest"
    assert databases.words_of(str(path), "sound") == ["Thanks. Go on."]
    assert main(["check", str(path)]) == 1
    assert main(["sessions", str(path)]) == 0
    assert main(["fix", f"{path}::sound", "--diff"]) == 1


@pytest.mark.parametrize("state", STATES)
def test_nothing_changes(tmp_path: Path, temporary: Path, size: str, state: str) -> None:
    path = in_state(tmp_path / "x", state)
    before = seen(path.parent)
    read_it(path)
    assert seen(path.parent) == before
    assert not os.listdir(temporary)


@pytest.mark.parametrize("state", ["crashed log", "in place", "one page", "hot journal"])
def test_a_folder_that_cannot_be_written_to(size: str, state: str) -> None:
    # Not in pytest's own folders: each run of it takes them away from other users again.
    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o755)
        path = in_state(Path(temporary) / "x", state)
        before = seen(path.parent)
        modes = {name: (path.parent / name).stat().st_mode for name in os.listdir(path.parent)}
        for name in modes:
            (path.parent / name).chmod(0o444)
        path.parent.chmod(0o555)
        code = (
            "import sys, toolpair\n"
            "assert len(toolpair.open(sys.argv[1]).problems) == 2\n"
            "session = toolpair.open(sys.argv[1]); session.stage_recommended()\n"
            "try: session.save()\n"
            "except toolpair.Refused as error: assert error.reason == 'read-only', error\n"
            "else: raise SystemExit('saved')\n"
        )
        # Root may write everywhere.
        as_nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all"] if os.geteuid() == 0 else []
        may_read = subprocess.run([*as_nobody, "cat", path], capture_output=True).returncode == 0
        ran = subprocess.run([*as_nobody, sys.executable, "-c", code, f"{path}::sound"], capture_output=True, text=True)
        path.parent.chmod(0o755)
        for name, mode in modes.items():
            (path.parent / name).chmod(mode)
        if not may_read or "ModuleNotFoundError" in ran.stderr or "Permission denied" in ran.stderr:
            pytest.skip("cannot become another user here")
        assert ran.returncode == 0, ran.stderr
        after = seen(path.parent)
        kept = {name: before[name][3] for name in before if name}  # type: ignore[index]
        assert {name: after[name][3] for name in after if name} == kept  # type: ignore[index]


def test_a_large_one_is_not_copied_where_it_need_not_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_reading, "COPIED", 1)
    copied: list[str] = []

    def copies(path: str, progress: object = None) -> Iterator[str | None]:
        copied.append(path)
        return private_copy(path, progress)  # type: ignore[arg-type,return-value]

    monkeypatch.setattr(rows_reading, "private_copy", copies)
    for state, times in (("log", 0), ("in place", 0), ("crashed log", 0), ("crashed log without its index", 1)):
        copied.clear()
        path = in_state(tmp_path / state, state)
        read_it(path)
        assert len(copied) == times, state


def test_what_is_copied_is_said(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db")
    done: list[int] = []
    with reading(str(path), "x", done.append):
        pass
    assert done and done[-1] == path.stat().st_size
    path.touch()

    def stop(size: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), reading(str(path), "x", stop):
        pass


def test_the_copy_is_private_and_has_no_name_when_it_is_open(tmp_path: Path, temporary: Path) -> None:
    path = several(tmp_path / "session.db")
    path.chmod(0o644)
    with private_copy(str(path)) as copy:
        assert copy is not None and stat.S_IMODE(os.stat(copy).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(copy)).st_mode) == 0o700
    assert not os.listdir(temporary)
    with reading(str(path), "x") as (connection, _):
        assert not os.listdir(temporary)
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (4,)


KILLED = """
import os, signal, sys, tempfile
tempfile.tempdir = sys.argv[2]
from toolpair.source.rows import private_copy, reading
if sys.argv[3] == "while it is copied":
    copied = private_copy._copy_to
    def copy(*parts):
        copied(*parts)
        os.kill(os.getpid(), signal.SIGKILL)
    private_copy._copy_to = copy
if sys.argv[3] == "before it is open":
    reading.connected = lambda *parts: os.kill(os.getpid(), signal.SIGKILL)
with reading.reading(sys.argv[1], "x"):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("when", ["while it is copied", "before it is open", "while it is open"])
def test_the_copy_goes_away_with_its_process(tmp_path: Path, temporary: Path, when: str) -> None:
    path = several(tmp_path / "session.db")
    ran = subprocess.run([sys.executable, "-c", KILLED, str(path), str(temporary), when])
    assert ran.returncode == -signal.SIGKILL
    left = [file for _, _, files in os.walk(temporary) for file in files]
    assert bool(left) == (when == "before it is open"), "no content has a name but for an instant"
    if left:
        with reading(str(path), "x"):
            pass
        assert not os.listdir(temporary), "the next one removes it"


def test_the_copy_of_a_living_process_stays(tmp_path: Path, temporary: Path) -> None:
    path = several(tmp_path / "session.db")
    with private_copy(str(path)) as one, private_copy(str(path)) as other:
        assert one is not None and other is not None and os.path.exists(one) and os.path.exists(other)


def test_one_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_reading, "COPIED", 1)
    path = several(tmp_path / "session.db")
    with pytest.raises(UnreadableFile, match="was written to while it was read"), reading(str(path), "x"):
        run(path, "UPDATE sessions SET title = 'other'")


@pytest.mark.parametrize(("wal", "pause"), [(True, 0.045), (False, 0.045), (True, 0.0005)])
def test_a_copy_is_of_one_state(tmp_path: Path, wal: bool, pause: float) -> None:
    """A writer that changes two tables together, again and again, and often moves its log into the database."""
    path = several(
        tmp_path / "session.db",
        wal=wal,
        more="CREATE TABLE one (n); CREATE TABLE two (n); INSERT INTO one VALUES (0); INSERT INTO two VALUES (0)",
    )
    over = threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=20)) as writer:
            number = 0
            writer.execute("PRAGMA wal_autocheckpoint = 50")
            writer.execute("PRAGMA synchronous = OFF")
            while not over.wait(pause):
                number += 1
                writer.executescript(f"BEGIN; UPDATE one SET n = {number}; UPDATE two SET n = {number}; COMMIT")

    writer = threading.Thread(target=write)
    writer.start()
    states = set()
    try:
        for _ in range(40):
            try:
                with reading(str(path), "x") as (connection, _state):
                    found = connection.execute("SELECT one.n, two.n FROM one, two").fetchone()
                    assert found[0] == found[1]
                    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == b"ok"
                    states.add(found)
            except UnreadableFile as error:
                assert "all the time" in str(error)
    finally:
        over.set()
        writer.join()
    assert states


def test_a_log_that_grows_while_it_is_copied_is_no_reason_to_wait(tmp_path: Path) -> None:
    """An agent that writes all the time, perhaps in another session, keeps nobody from reading."""
    path = several(tmp_path / "session.db", wal=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as agent:
        agent.execute("PRAGMA wal_autocheckpoint = 0")
        agent.execute("UPDATE sessions SET title = 'title 0'")
        titles = iter(range(1, 1000))

        def write(done: int) -> None:
            agent.execute(f"UPDATE sessions SET title = 'title {next(titles)}'")

        with reading(str(path), "x", write) as (connection, _):
            found = {text for (text,) in connection.execute("SELECT title FROM sessions")}
            assert len(found) == 1 and found.pop().startswith(b"title ")
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == b"ok"
        assert next(titles) > 2


@pytest.mark.parametrize("how", ["PASSIVE", "RESTART", "TRUNCATE"])
def test_a_log_that_is_moved_into_the_database_meanwhile_is_copied_again(tmp_path: Path, how: str) -> None:
    path = several(tmp_path / "session.db", wal=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as agent:
        agent.execute("PRAGMA wal_autocheckpoint = 0")
        agent.execute("UPDATE sessions SET title = 'before'")
        done: list[int] = []

        def write(size: int) -> None:
            if not done:
                agent.execute(f"PRAGMA wal_checkpoint({how})")
                agent.execute("UPDATE sessions SET title = 'after'")
            done.append(size)

        with reading(str(path), "x", write) as (connection, _):
            assert {text for (text,) in connection.execute("SELECT title FROM sessions")} == {b"after"}
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == b"ok"


def test_a_log_that_begins_anew_meanwhile_is_copied_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it held is in the database already; its first half alone would take that back."""
    monkeypatch.setattr(private_copies, "_PIECE", 4096)
    path = several(tmp_path / "session.db", wal=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as agent:
        agent.execute("PRAGMA wal_autocheckpoint = 0")
        for number in range(20):
            agent.execute(f"UPDATE sessions SET title = 'title {number}'")
        agent.execute("PRAGMA wal_checkpoint(PASSIVE)")
        size = path.stat().st_size
        done: list[int] = []

        def write(copied: int) -> None:
            if not done and copied > size + 5 * 4096:
                agent.execute("UPDATE sessions SET starred = 1")
                done.append(copied)

        time.sleep(0.05)
        with reading(str(path), "x", write) as (connection, _):
            found = connection.execute("SELECT title, starred FROM sessions").fetchall()
            assert done and set(found) == {(b"title 19", 1)}


def test_what_is_read_from_a_copy_is_as_large_as_documented() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "databases.md").read_text(encoding="utf-8")
    assert page.count("64 MB") == 3 and rows_reading.COPIED == save.COPIED == 64 << 20


def test_one_that_was_written_to_just_now_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two changes may leave the same time, so a copy of the first one could pass for the second."""
    waited: list[float] = []
    sleep = time.sleep
    monkeypatch.setattr(rows_reading.time, "sleep", lambda seconds: (waited.append(seconds), sleep(seconds))[1])
    path = several(tmp_path / "session.db")
    monkeypatch.setattr(rows_reading, "_TICK", 300_000_000)
    path.touch()
    with reading(str(path), "x"):
        pass
    assert waited


def test_a_session_is_opened_without_listing_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = several(tmp_path / "session.db")
    with monkeypatch.context() as patched:
        patched.setattr(databases, "sessions_in", None)
        assert toolpair.open(f"{path}::sound").problems
    assert toolpair.open(f"{path}::soun").problems, "by the beginning of its id"


def test_what_a_killed_agent_left_in_its_log_is_read(tmp_path: Path, size: str) -> None:
    path = several(tmp_path / "session.db", wal=True)
    left_open(path)
    found = databases.sessions_in(str(path), "x").sessions
    assert "in the log" in {one.title for one in found}


def test_a_large_one_is_listed_without_measuring_its_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = several(tmp_path / "session.db")
    run(path, "UPDATE session_items SET message_json = replace(message_json, 'Thanks', ?)", "x" * 9000)
    exact = {one.id: one.size for one in databases.sessions_in(str(path), "x").sessions}
    monkeypatch.setattr(layout, "_MEASURED", 1)
    about = {one.id: one.size for one in databases.sessions_in(str(path), "x").sessions}
    assert exact["sound"] > 9000 > exact["child"]
    assert about.keys() == exact.keys() and about["sound"] / 10 == about["child"] / 3


def test_checking_all_sessions_lists_them_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = several(tmp_path / "session.db")
    asked: list[str] = []
    found = type(docker_agent_database.LAYOUT).sessions
    monkeypatch.setattr(
        type(docker_agent_database.LAYOUT),
        "sessions",
        lambda self, connection, most=ANY_NUMBER: (asked.append("x"), found(self, connection, most))[1],
    )
    assert main(["check", str(path), "--jobs", "1"]) == 1
    assert len(asked) <= 2


@pytest.mark.parametrize("state", STATES)
def test_by_a_link_to_it(tmp_path: Path, size: str, state: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What waits beside a database is beside the file, not beside a link to it."""
    path = in_state(tmp_path / "x", state)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    found = databases.sessions_in(str(path), "x").sessions
    assert databases.sessions_in(str(link), "x").sessions == found and len(found) == 4
    assert databases.words_of(str(link), "sound") == ["Thanks. Go on."]
    assert main(["check", str(link)]) == 1
    assert capsys.readouterr().out.count(f"{link}::sound") > 1


def test_two_slashes_at_the_start_of_a_path(tmp_path: Path, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = several(tmp_path / "session.db")
    monkeypatch.setattr(tempfile, "tempdir", f"/{tmp_path}")
    assert len(databases.sessions_in(f"/{path}", "x").sessions) == 4


def test_a_name_to_which_nothing_can_be_added(tmp_path: Path) -> None:
    path = several(tmp_path / "session.db").rename(tmp_path / f"{'n' * 250}.db")
    assert toolpair.open(f"{path}::sound").problems
