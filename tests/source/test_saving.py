"""Saving: whatever fails, the file is the old one or the new one and nothing else lies about."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.opening import Snapshot, open_source
from toolpair.source.saving import backups, restore, save_as, save_in_place
from toolpair.source.system import Io

NOW = datetime(2026, 1, 2, 3, 4, 5)
OLD, NEW = b'{"a":1}\n' * 3, [b'{"a":2}\n', b"", b'{"a":3}\n']
CALLS = sorted(name for name in vars(Io) if not name.startswith("_"))


class Faulty(Io):
    """Fails at the n-th system call, before or after it was made."""

    def __init__(self, at: int, fault: BaseException, after: bool = False) -> None:
        self.left = at
        self.fault = fault
        self.after = after

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        if name not in CALLS:
            return found

        def call(*args: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.after:
                raise self.fault
            result = found(*args)
            if self.left == 0:
                raise self.fault
            return result

        return call


class Short(Io):
    def write(self, descriptor: int, data: memoryview) -> int:
        return os.write(descriptor, data[:3])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_in_place(file: Path) -> None:
    result = save_in_place(open_source(file), NEW, now=NOW, io=Short())
    assert file.read_bytes() == b"".join(NEW)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert result.backup == file.parent / "s.jsonl.toolpair-20260102-030405.bak"
    assert result.backup.read_bytes() == OLD
    assert result.notes == ()
    assert open_source(file).identity == result.identity
    again = save_in_place(open_source(file), [OLD], now=NOW)
    assert again.backup is not None
    assert again.backup.name.endswith("-2.bak")
    assert [b.path for b in backups(file)] == [again.backup, result.backup]


FAULTS: list[Callable[[], BaseException]] = [
    lambda: OSError(errno.ENOSPC, "No space left on device"),
    lambda: OSError(errno.EIO, "Input/output error"),
    lambda: OSError(errno.EPERM, "Operation not permitted"),
    KeyboardInterrupt,
]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("how", ["in place", "as", "over"])
def test_every_call_can_fail(tmp_path: Path, fault: Callable[[], BaseException], after: bool, how: str) -> None:
    new = b"".join(NEW)
    finished = False
    for at in range(1, 100):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = folder / "s.jsonl"
        if how != "as":
            path.write_bytes(OLD)
        io = Faulty(at, fault(), after)
        failed: BaseException | None = None
        try:
            if how == "in place":
                save_in_place(open_source(path), NEW, now=NOW, io=io)
            else:
                save_as(path, NEW, force=how == "over", io=io)
        except (SaveFailed, Refused, KeyboardInterrupt) as error:
            failed = error
        content = path.read_bytes() if path.exists() else None
        assert content in ((new, None) if how == "as" else (new, OLD))
        if failed is None:
            assert content == new
        elif isinstance(failed, SaveFailed):
            assert ("unchanged" in str(failed)) == (content != new)
        left = [name for name in names(folder) if name != "s.jsonl"]
        backup = how == "in place" and content == new
        assert left == (["s.jsonl.toolpair-20260102-030405.bak"] if backup else [])
        if io.left > 0:
            finished = True
            break
    assert finished


def test_ctrl_c_while_the_bytes_come(file: Path) -> None:
    def chunks() -> Any:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_in_place(open_source(file), chunks())
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["s.jsonl"]


def change_size(path: Path) -> None:
    path.write_bytes(OLD + b"x\n")


def change_same_size(path: Path) -> None:
    times = path.stat()
    path.write_bytes(b"y" * len(OLD))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def exchange(path: Path) -> None:
    path.with_name("other").write_bytes(OLD)
    path.with_name("other").replace(path)


@pytest.mark.parametrize("change", [change_size, change_same_size, exchange, Path.unlink])
@pytest.mark.parametrize("late", [False, True])
def test_a_file_that_changed_is_not_replaced(file: Path, change: Callable[[Path], None], late: bool) -> None:
    snapshot = open_source(file)

    def chunks() -> Any:
        if late:
            change(file)
        yield from NEW

    if not late:
        change(file)
    content = file.read_bytes() if file.exists() else None
    with pytest.raises((Refused, SaveFailed)):
        save_in_place(snapshot, chunks())
    if late:
        assert not file.exists() or file.read_bytes() != b"".join(NEW)
    else:
        assert (file.read_bytes() if file.exists() else None) == content
    assert not [name for name in names(file.parent) if "toolpair" in name]


def test_a_writer_is_noticed(file: Path) -> None:
    snapshot = open_source(file)
    descriptor = os.open(file, os.O_RDONLY)
    supported = not Io().writer_holds(descriptor)
    os.close(descriptor)
    with file.open("ab") as other:
        probe = os.open(file, os.O_RDONLY)
        noticed = Io().writer_holds(probe)
        os.close(probe)
        if supported and noticed:
            with pytest.raises(Refused, match="open for writing"):
                save_in_place(snapshot, NEW)
            assert file.read_bytes() == OLD
        other.write(b"")


def test_links(file: Path) -> None:
    link = file.parent / "link.jsonl"
    link.symlink_to(file.name)
    save_in_place(open_source(link), NEW)
    assert link.is_symlink()
    assert file.read_bytes() == b"".join(NEW)
    os.link(file, file.parent / "hard.jsonl")
    with pytest.raises(Refused, match="hard links"):
        save_in_place(open_source(file), NEW)
    assert save_in_place(open_source(file), [OLD], allow_links=True).notes
    assert (file.parent / "hard.jsonl").read_bytes() == b"".join(NEW)


def test_a_backup_left_by_a_kill_is_no_obstacle(file: Path) -> None:
    os.link(file, f"{file}.toolpair-20250101-000000.bak")
    assert save_in_place(open_source(file), NEW).notes == ()


def test_read_only_is_refused(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(Refused, match="read-only"):
        save_in_place(open_source(file), NEW)
    with pytest.raises(Refused, match="standard input"):
        save_in_place(Snapshot(None, "-", OLD, None, None), NEW)


def test_save_as(file: Path) -> None:
    with pytest.raises(Refused, match="exists"):
        save_as(file, NEW)
    with pytest.raises(Refused, match="directory"):
        save_as(file.parent / "none" / "x.json", NEW)
    with pytest.raises(Refused, match="regular"):
        save_as(file.parent, NEW, force=True)
    made = save_as(file.parent / "new.jsonl", NEW)
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert made.backup is None
    save_as(file, NEW, force=True)
    assert file.read_bytes() == b"".join(NEW)
    assert names(file.parent) == ["new.jsonl", "s.jsonl"]


def test_xattrs_survive(file: Path) -> None:
    try:
        os.setxattr(file, "user.note", b"x")
    except OSError:
        pytest.skip("no extended attributes here")
    save_in_place(open_source(file), NEW)
    assert os.getxattr(file, "user.note") == b"x"


def test_restore(file: Path) -> None:
    save_in_place(open_source(file), NEW, now=NOW)
    backup = backups(file)[0]
    assert backup.time == NOW
    assert backup.size == len(OLD)
    result = restore(file, backup, now=NOW.replace(year=2027))
    assert file.read_bytes() == OLD
    assert result.backup is not None
    assert result.backup.read_bytes() == b"".join(NEW)
    file.unlink()
    restore(file, backup)
    assert file.read_bytes() == OLD
    with pytest.raises(Refused):
        restore(file, file.parent / "none.bak")


class Traced(Io):
    """Notes the system calls that were made, in order."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        if name in CALLS:
            self.made.append(name)
        return found


def test_the_bytes_are_on_disk_before_the_name_is_theirs_and_the_name_after(file: Path) -> None:
    io = Traced()
    save_in_place(open_source(file), NEW, now=NOW, io=io)
    renamed = io.made.index("rename")
    written = max(number for number, name in enumerate(io.made) if name == "write")
    assert "fsync" in io.made[written:renamed] and "fsync" in io.made[renamed:]


KILLED = """
import os, signal, sys
from toolpair.source.opening import open_source
from toolpair.source.saving import save_in_place
from toolpair.source.system import Io

left = int(sys.argv[2])
calls = {name for name in vars(Io) if not name.startswith("_")}

class Deadly(Io):
    def __getattribute__(self, name):
        global left
        left -= name in calls
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return object.__getattribute__(self, name)

save_in_place(open_source(sys.argv[1]), [b'{"a":2}', b'\\n'], io=Deadly())
"""


def test_kill_9_at_every_call_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    source = str(Path(__file__).resolve().parents[2] / "src")
    outcomes = set()
    for at in range(1, 60):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = folder / "s.jsonl"
        path.write_bytes(OLD)
        ended = subprocess.run(
            [sys.executable, "-c", KILLED, str(path), str(at)], env={**os.environ, "PYTHONPATH": source}, check=False
        )
        assert path.read_bytes() in (OLD, b'{"a":2}\n')
        outcomes.add(path.read_bytes())
        assert [name for name in names(folder) if name.endswith((".json", ".jsonl"))] == ["s.jsonl"]
        if ended.returncode == 0:
            break
        assert ended.returncode == -signal.SIGKILL
    else:
        pytest.fail("the save never came to its end")
    assert len(outcomes) == 2
