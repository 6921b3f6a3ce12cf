"""The thread that writes the journal: the newest state, soon, and never a fault."""

from __future__ import annotations

import errno
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SAMPLES
from tests.journal.test_folder import Failing
from tests.patience import PATIENCE
from toolpair.session.journal.folder import Folder
from toolpair.session.journal.keeper import Keeper
from toolpair.session.journal.left import left_for
from toolpair.session.session import Session, open_session


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "state" / "toolpair")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return open_session(shutil.copy(SAMPLES / "sanitised-on-one-side.json", tmp_path / "session.json"))


def files(folder: Folder) -> list[bytes]:
    return [path.read_bytes() for path in folder.path.iterdir()] if folder.path.exists() else []


def test_the_last_state_is_written_and_what_is_saved_is_gone(folder: Folder, session: Session) -> None:
    keeper = Keeper(lambda: folder, str(session.path))
    for _ in range(2):
        session.stage(session.problems[0])
        keeper.keep(session)
    keeper.flush()
    (data,) = files(folder)
    assert data.count(b"result.id_mismatch") == 2
    keeper.forget()
    keeper.flush()
    assert not files(folder)
    keeper.keep(session)
    keeper.flush()
    assert len(files(folder)) == 1


def test_it_is_there_soon(folder: Folder, session: Session) -> None:
    go = threading.Event()
    keeper = Keeper(lambda: (go.wait(PATIENCE), folder)[1], str(session.path))
    session.stage(session.problems[0])
    keeper.keep(session)  # nothing is waited for
    assert not go.is_set() and not files(folder)
    go.set()
    deadline = time.monotonic() + PATIENCE
    while not files(folder):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_many_changes_are_few_writes(folder: Folder, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    go, written = threading.Event(), []
    write = Folder.write

    def slow(self: Folder, name: str, data: bytes) -> Any:
        go.wait(PATIENCE)
        written.append(data)
        return write(self, name, data)

    monkeypatch.setattr(Folder, "write", slow)
    keeper = Keeper(lambda: folder, str(session.path))
    for _ in range(50):
        session.stage(session.problems[0])
        keeper.keep(session)
        session.undo()
    session.stage_recommended()
    keeper.keep(session)
    go.set()
    keeper.flush(PATIENCE)
    assert len(written) <= 2 and files(folder) == [written[-1]]


def test_nothing_is_made_where_nothing_was_kept(folder: Folder, session: Session) -> None:
    threads = threading.active_count()
    keeper = Keeper(lambda: folder, str(session.path))
    keeper.forget()
    keeper.flush()
    assert not folder.path.parent.exists() and threading.active_count() == threads


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_takes_nothing_is_a_phrase_and_is_tried_again(tmp_path: Path, session: Session, error: int) -> None:
    folder = Folder(tmp_path / "state" / "toolpair", Failing("write", error))
    keeper = Keeper(lambda: folder, str(session.path))
    session.stage(session.problems[0])
    keeper.keep(session)
    keeper.flush()
    assert keeper.problem and "\n" not in keeper.problem and not files(folder)
    folder._io = Folder(tmp_path)._io
    keeper.keep(session)
    keeper.flush()
    assert keeper.problem is None and len(files(folder)) == 1


def test_where_there_is_no_folder_to_be_had_the_work_goes_on(session: Session) -> None:
    def none() -> Folder:
        raise RuntimeError("no home")

    keeper = Keeper(none, str(session.path))
    keeper.keep(session)
    keeper.flush()
    assert keeper.problem == "no home"


def test_what_is_taken_up_is_forgotten_when_it_is_written_again(folder: Folder, session: Session) -> None:
    session.stage(session.problems[0])
    first = Keeper(lambda: folder, str(session.path))
    first.keep(session)
    first.flush()
    assert first._locked is not None
    first._locked.close()  # as the system does when the process ends
    left = left_for(folder, str(session.path))
    assert left is not None and not isinstance(left, str)
    second = Keeper(lambda: folder, str(session.path))
    second.take_up(left)
    assert len(files(folder)) == 1, "until then it stays"
    session.stage(session.problems[0])
    second.keep(session)
    second.flush()
    (data,) = files(folder)
    assert data.count(b"result.id_mismatch") == 2
    second.forget()
    second.flush()
    assert not files(folder)


def test_what_is_taken_up_and_thrown_away_is_gone(folder: Folder, session: Session) -> None:
    session.stage(session.problems[0])
    first = Keeper(lambda: folder, str(session.path))
    first.keep(session)
    first.flush()
    assert first._locked is not None
    first._locked.close()
    left = left_for(folder, str(session.path))
    assert left is not None and not isinstance(left, str)
    second = Keeper(lambda: folder, str(session.path))
    second.take_up(left)
    second.forget()
    second.flush()
    assert not files(folder)
