"""Where the journal lies: for its owner's eyes, never through a link, the old content or the new one."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from toolpair.session.journal.folder import KEPT_FOR, Folder, Unsafe, new_name
from toolpair.session.journal.left import left_for
from toolpair.source.system import Io

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users and links of Unix")
PATH = "/home/dev/session.jsonl"
VALID = b'{"journal":1,"path":"/home/dev/session.jsonl","time":1.0,"fixes":1,"file":null,"profile":null,"leaf":null,"steps":[]}'


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "state" / "toolpair")


def test_only_its_owner_can_look_into_it(folder: Folder) -> None:
    before = os.umask(0)
    try:
        folder.write(new_name(PATH), VALID)
    finally:
        os.umask(before)
    (file,) = folder.path.iterdir()
    assert mode(folder.path) == 0o700 and mode(folder.path.parent) == 0o700 and mode(file) == 0o600
    os.chmod(folder.path, 0o755)
    folder.write(new_name(PATH), VALID)
    assert mode(folder.path) == 0o700


def test_it_is_no_name_that_an_agent_lists(folder: Folder) -> None:
    folder.write(new_name(PATH), VALID)
    assert not [path for path in folder.path.iterdir() if path.suffix in (".json", ".jsonl")]


@pytest.mark.parametrize("which", ["base", "journal"])
def test_a_link_in_the_place_of_the_folder_is_not_followed(folder: Folder, tmp_path: Path, which: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = folder.path if which == "journal" else folder.path.parent
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    with pytest.raises(OSError):
        folder.write(new_name(PATH), VALID)
    (elsewhere / new_name(PATH)).write_bytes(VALID)
    assert left_for(folder, PATH) is None
    assert len(list(elsewhere.iterdir())) == 1


def test_a_link_in_the_place_of_a_file_is_not_followed(folder: Folder, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(VALID)
    name = new_name(PATH)
    folder.write(new_name(PATH), VALID).close()
    for path in folder.path.iterdir():
        path.unlink()
    (folder.path / name).symlink_to(mine)
    assert left_for(folder, PATH) is None
    folder.write(name, b"new")
    assert mine.read_bytes() == VALID and not (folder.path / name).is_symlink()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_passed_over(folder: Folder, make: Any) -> None:
    folder.write(new_name(PATH), VALID).close()
    for path in folder.path.iterdir():
        path.unlink()
    make(folder.path / new_name(PATH))
    assert left_for(folder, PATH) is None


def test_a_folder_of_another_user_is_refused(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write(new_name(PATH), VALID).close()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(Unsafe):
        folder.write(new_name(PATH), VALID)
    assert left_for(folder, PATH) is None


class Failing(Io):
    """Fails at one call of one kind, as a disk does."""

    def __init__(self, name: str, error: int) -> None:
        def fail(*_: Any) -> Any:
            raise OSError(error, os.strerror(error))

        setattr(self, name, fail)


@pytest.mark.parametrize(("call", "error"), [("write", errno.ENOSPC), ("fsync", errno.EIO), ("write", errno.EDQUOT)])
def test_what_fails_leaves_the_old_one(folder: Folder, tmp_path: Path, call: str, error: int) -> None:
    name = new_name(PATH)
    folder.write(name, VALID).close()
    with pytest.raises(OSError):
        Folder(tmp_path / "state" / "toolpair", Failing(call, error)).write(name, b"new")
    assert [path.read_bytes() for path in folder.path.iterdir()] == [VALID]


def test_at_every_instant_there_is_a_whole_one(folder: Folder) -> None:
    name, done = new_name(PATH), threading.Event()
    sizes = (10, 5_000_000)
    folder.write(name, b"x" * sizes[0])

    def write() -> None:
        locked = None
        for n in range(30):
            locked = folder.write(name, b"x" * sizes[n % 2])
        done.set()
        assert locked is not None

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        assert len((folder.path / name).read_bytes()) in sizes
    thread.join()


HOLDER = """
import sys, time
from pathlib import Path
from toolpair.session.journal.folder import Folder, new_name
locked = Folder(Path(sys.argv[1])).write(new_name(sys.argv[2]), sys.argv[3].encode())
print("ready", flush=True)
time.sleep(60)
"""


def test_two_processes_have_two_and_only_what_is_left_is_offered(folder: Folder, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", HOLDER, str(tmp_path / "state" / "toolpair"), PATH, VALID.decode()]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"ready\n"
        own = folder.write(new_name(PATH), VALID)
        assert len(list(folder.path.iterdir())) == 2
        assert left_for(folder, PATH) is None, "both are in use"
        other.kill()
        other.wait()
    left = left_for(folder, PATH)
    assert left is not None and not isinstance(left, str)
    assert left_for(folder, PATH) is None, "what is offered is offered once"
    left.release()
    again = left_for(folder, PATH)
    assert again is not None and not isinstance(again, str)
    again.forget()
    assert len(list(folder.path.iterdir())) == 1
    own.close()


def test_the_newest_is_offered_first(folder: Folder) -> None:
    for n in range(3):
        name = new_name(PATH)
        folder.write(name, VALID.replace(b'"fixes":1', b'"fixes":%d' % (n + 1))).close()
        os.utime(folder.path / name, (1_790_000_000 + 100 * (n % 2), 1_790_000_000 + 100 * (n % 2)))
    now = time.time()
    for path in folder.path.iterdir():
        seconds = now - 500 + 100 * (b'"fixes":2' in path.read_bytes())
        os.utime(path, (seconds, seconds))
    left = left_for(folder, PATH)
    assert left is not None and not isinstance(left, str) and left.entry.fixes == 2


def test_a_session_is_known_by_its_path(folder: Folder) -> None:
    folder.write(new_name(PATH), VALID).close()
    assert left_for(folder, PATH + "x") is None
    assert left_for(folder, PATH) is not None


def test_after_thirty_days_it_is_dropped(folder: Folder) -> None:
    old, young, damaged, half, foreign = (new_name(PATH) for _ in range(5))
    for name in (old, young, damaged.replace("journal", "damaged"), half.replace("journal", "tmp"), f"{foreign}.txt"):
        folder.write(name, VALID).close()
        age = KEPT_FOR + 100 if name != young else KEPT_FOR - 100
        os.utime(folder.path / name, (time.time() - age, time.time() - age))
    left = left_for(folder, PATH)
    assert left is not None and not isinstance(left, str)
    assert {path.name for path in folder.path.iterdir()} == {young, f"{foreign}.txt"}


def test_what_is_in_use_is_never_dropped(folder: Folder) -> None:
    name = new_name(PATH)
    locked = folder.write(name, VALID)
    folder.sweep(time.time() + 2 * KEPT_FOR)
    assert [path.name for path in folder.path.iterdir()] == [name]
    locked.close()
    folder.sweep(time.time() + 2 * KEPT_FOR)
    assert not list(folder.path.iterdir())


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 100, VALID[:-20], b"[" * 100_000, VALID.replace(b"/home/dev", b"/home/you")]
)
def test_a_damaged_one_is_a_sentence_and_is_not_offered_again(folder: Folder, data: bytes) -> None:
    folder.write(new_name(PATH), data).close()
    said = left_for(folder, PATH)
    assert isinstance(said, str) and said.endswith(".") and "damaged" in said and str(folder.path) in said
    assert left_for(folder, PATH) is None
    (kept,) = folder.path.iterdir()
    assert kept.read_bytes() == data and str(kept) in said


def test_one_of_a_newer_version_is_left_alone(folder: Folder) -> None:
    folder.write(new_name(PATH), b'{"journal":2,"all":"different"}').close()
    said = left_for(folder, PATH)
    assert isinstance(said, str) and "newer version" in said
    assert left_for(folder, PATH) == said


def test_nothing_is_made_by_looking(folder: Folder, tmp_path: Path) -> None:
    assert left_for(folder, PATH) is None
    assert not list(tmp_path.iterdir())


def test_the_users_folder_is_where_the_system_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    if sys.platform.startswith("linux"):
        assert Folder.of_user().path == tmp_path / "toolpair" / "journal"
