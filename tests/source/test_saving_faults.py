"""Saving while the system fails: at each call, before or after it, with errors, short counts, and a kill."""

from __future__ import annotations

import errno
import os
import signal
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.rounds import ROUNDS
from tests.source.files import save_in_place
from tests.source.saves import NEW, NOW, OLD, Watched, names
from toolpair.source import snapshot as opening
from toolpair.source.byte_runs import OriginalRun, Piece
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.file_bytes import FileBytes
from toolpair.source.saving import streaming
from toolpair.source.saving.made import SaveResult
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.opened_content import remembered
from toolpair.source.saving.restoring import restore
from toolpair.source.saving.streaming import Progress
from toolpair.source.snapshot import Snapshot, open_source
from toolpair.source.system import Io

LATE = b'{"late":1}\n'
EARLIER = ("s.jsonl.toolpair-20250101-000000.bak", "s.jsonl.toolpair-20250102-000000.bak")
BACKUP, ASIDE = "s.jsonl.toolpair-20260102-030405.bak", "s.jsonl.toolpair-20260102-030405.aside"
STALE = ".toolpair-0123456789abcdef.tmp"


class Faulty(Watched):
    """Fails the n-th system call, before or after carrying it out."""

    def __init__(self, at: int, fault: BaseException, after: bool = False) -> None:
        def before(number: int, name: str) -> None:
            if number == at and not after:
                raise fault

        super().__init__(before)
        self._fault = (at, fault, after)

    def __getattribute__(self, name: str) -> object:
        found = super().__getattribute__(name)
        if name.startswith("_") or name == "made":
            return found
        at, fault, after = self._fault
        if len(self.made) != at or not after:
            return found

        def call(*args: object) -> object:
            found(*args)
            raise fault

        return call

    @property
    def reached(self) -> bool:
        return len(self.made) >= self._fault[0]


class Short(Io):
    def write(self, descriptor: int, data: memoryview) -> int:
        return os.write(descriptor, data[:3])

    def read(self, descriptor: int, size: int) -> bytes:
        return os.read(descriptor, min(size, 2))

    def pread(self, descriptor: int, size: int, position: int) -> bytes:
        return super().pread(descriptor, min(size, 2), position)


class Sharing(Io):
    """Acts like a file system that shares blocks."""

    shared = 0

    def share(self, source: int, descriptor: int, size: int, position: int, here: int) -> None:
        assert not position % streaming.BLOCK and not here % streaming.BLOCK and not size % streaming.BLOCK
        os.pwrite(descriptor, os.pread(source, size, position), here)
        self.shared += size


class SharingShort(Sharing, Short):
    pass


class NoSharing(Io):
    """Like two different file systems, on a kernel that cannot start a flush early."""

    def share(self, source: int, descriptor: int, size: int, position: int, here: int) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    def begin_flush(self, descriptor: int, position: int, size: int) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")


FAULTS: list[Callable[[], BaseException]] = [
    lambda: OSError(errno.ENOSPC, "No space left on device"),
    lambda: OSError(errno.EIO, "Input/output error"),
    lambda: InterruptedError(errno.EINTR, "Interrupted system call"),
    lambda: OSError(errno.EPERM, "Operation not permitted"),
    KeyboardInterrupt,
]


IN_PLACE = ("in place", "runs")
HOW = (*IN_PLACE, "as", "over", "restored")


@pytest.fixture(autouse=True)
def little(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Treats these few bytes as a large file."""
    how = getattr(request.node, "callspec", None)
    if how is not None and "runs" in how.params.values():
        monkeypatch.setattr(opening, "LARGE", 1)
        for name, count in (("PIECE", 5), ("FLUSHED", 8), ("SHARED", 6), ("BLOCK", 4)):
            monkeypatch.setattr(streaming, name, count)


class Case:
    """A folder in which a save does every step: sweep, catch up, set aside, keep, prune."""

    def __init__(self, folder: Path, how: str) -> None:
        folder.mkdir()
        self.folder = folder
        self.how = how
        self.path = folder / "s.jsonl"
        self.old: bytes | None = OLD
        self.new = b"".join(NEW)
        self.snapshot: Snapshot | None = None
        if how == "as":
            self.old = None
        else:
            self.path.write_bytes(OLD)
        if how in IN_PLACE or how == "restored":
            for name in (*EARLIER, STALE):
                (folder / name).write_bytes(b"earlier")
        self.pieces: Sequence[Piece] = NEW
        if how == "runs":
            # Runs of the old file and new bytes in turn, with content that is not in memory.
            self.pieces = [
                OriginalRun(0, 3),
                OriginalRun(3, 8),
                b'{"a":2}\n',
                OriginalRun(9, 21),
                b"7}",
                OriginalRun(23, 24),
            ]
            self.new = OLD[:8] + b'{"a":2}\n' + OLD[9:21] + b"7}\n"
        if how in IN_PLACE:
            self.snapshot = remembered(open_source(self.path))
            assert isinstance(self.snapshot.data, FileBytes) == (how == "runs")
            with self.path.open("ab") as stream:
                stream.write(LATE)
            self.old, self.new = OLD + LATE, self.new + LATE
        if how == "restored":
            self.new = b"earlier"

    def save(self, io: Io, progress: Progress | None = None) -> SaveResult:
        told: dict[str, Any] = {"now": NOW, "io": io, "progress": progress}
        if self.snapshot is not None:
            return save_in_place(
                self.snapshot, self.pieces, **told, appendable=True, aside=[b"a", b"b"], keep_backups=2
            )
        if self.how == "restored":
            return restore(self.path, self.folder / EARLIER[1], **told)
        return save_as(self.path, NEW, force=self.how == "over", **told, aside=[b"a", b"b"])

    @property
    def content(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None

    def check(self, swept: bool = True) -> bool:
        """Assert that everything is as before, or everything as intended; True for the latter."""
        content = self.content
        assert content in (self.old, self.new)
        done = content == self.new
        left = set(names(self.folder)) - {"s.jsonl", STALE}
        if not swept:
            left = {name for name in left if not name.endswith((".tmp", ".bak", ".aside")) or name == BACKUP}
            if BACKUP in left:
                assert (self.folder / BACKUP).read_bytes() == self.old
            if done and self.how in IN_PLACE:
                assert BACKUP in left
                assert (self.folder / ASIDE).read_bytes() == b"a\nb\n"
            assert left <= {BACKUP}
            return done
        wanted = set() if self.how in ("as", "over") else set(EARLIER)
        if done and self.how not in ("as", "over"):
            wanted.add(BACKUP)
            assert (self.folder / BACKUP).read_bytes() == self.old
        if done and self.how != "restored":
            wanted.add(ASIDE)
            assert (self.folder / ASIDE).read_bytes() == b"a\nb\n"
        # The oldest is removed last of all, and may remain if the save failed before that.
        assert left in (wanted, wanted - {EARLIER[0]}) if done and self.how in IN_PLACE else left == wanted
        return done


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("how", "fault"),
    [("in place", fault) for fault in FAULTS]
    + [("runs", fault) for fault in (FAULTS if ROUNDS > 1 else FAULTS[1::2])]
    + [(how, fault) for how in ("as", "over", "restored") for fault in (FAULTS if ROUNDS > 1 else FAULTS[1::3])],
)
def test_every_call_can_fail(tmp_path: Path, fault: Callable[[], BaseException], after: bool, how: str) -> None:
    for at in range(1, 200, 1 if how == "in place" or ROUNDS else 3):
        case = Case(tmp_path / str(at), how)
        io = Faulty(at, fault(), after)
        failed: BaseException | None = None
        try:
            case.save(io)
        except (SaveFailed, Refused, KeyboardInterrupt) as error:
            failed = error
        done = case.check()
        if failed is None:
            assert done
        elif isinstance(failed, SaveFailed):
            assert ("unchanged" in str(failed)) == (not done)
        elif isinstance(failed, Refused):
            assert not done
        if not io.reached:
            return
    pytest.fail("the save never came to its end")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("io", [Short, Sharing, SharingShort, NoSharing])
def test_short_counts_and_other_ways(tmp_path: Path, how: str, io: Callable[[], Io]) -> None:
    case = Case(tmp_path / "x", how)
    case.save(io())
    assert case.check()


def deadly(at: int) -> Io:
    return Watched(lambda number, name: os.kill(os.getpid(), signal.SIGKILL) if number == at else None)


@pytest.mark.parametrize("how", HOW)
def test_kill_9_at_every_call_leaves_the_old_file_or_the_new_one(tmp_path: Path, how: str) -> None:
    outcomes = set()
    for at in range(1, 200, 1 if ROUNDS else 2 if how == "in place" else 5):
        case = Case(tmp_path / str(at), how)
        child = os.fork()
        if not child:
            try:
                case.save(deadly(at))
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        outcomes.add(case.check(swept=False))
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        if case.path.exists():
            # The next save succeeds, and removes what the killed one left; an empty file only after a minute.
            for left in case.folder.glob(".toolpair-*.tmp"):
                if not left.stat().st_size:
                    os.utime(left, (0, 0))
            save_in_place(open_source(case.path), [b"next"])
            assert case.content == b"next"
            assert not [name for name in names(case.folder) if name.endswith(".tmp")]
    else:
        pytest.fail("the save never came to its end")
    assert outcomes == {False, True}


@pytest.mark.parametrize("how", ["in place", "restored"])
def test_the_bytes_are_on_disk_before_the_rename_and_the_name_after(tmp_path: Path, how: str) -> None:
    flushed: dict[int, int] = {}

    class Flushing(Watched):
        def fsync(self, descriptor: int) -> None:
            super().fsync(descriptor)
            flushed[os.fstat(descriptor).st_ino] = len(self.made)

    case = Case(tmp_path / "x", how)
    io = Flushing(lambda number, name: None)
    case.save(io)
    named = io.made.index("exchange")
    written = max(number for number, name in enumerate(io.made[:named]) if name in ("write", "fchmod"))
    assert "fsync" in io.made[written:named]
    assert flushed[case.path.stat().st_ino] <= named, "the new file itself, not only what is kept beside it"
    assert "write" not in io.made[named:]
    assert "fsync" in io.made[named:]


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be flushed there")
def test_bytes_set_aside_are_durable_before_they_leave_the_file(tmp_path: Path) -> None:
    flushed: list[tuple[bool, bool]] = []

    class Folders(Io):
        def fsync(self, descriptor: int) -> None:
            super().fsync(descriptor)
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                flushed.append((ASIDE in names(case.folder), os.stat(case.path).st_ino == old))

    case = Case(tmp_path / "x", "in place")
    old = os.stat(case.path).st_ino
    case.save(Folders())
    assert (True, True) in flushed, "its name is not on the disk while the file still holds the bytes"


def test_a_disk_that_stores_other_bytes_is_noticed(tmp_path: Path) -> None:
    class Liar(Io):
        def write(self, descriptor: int, data: memoryview) -> int:
            return os.write(descriptor, bytes(data).replace(b"2", b"7"))

    case = Case(tmp_path / "x", "in place")
    with pytest.raises(SaveFailed, match=r"reads back differently.*unchanged"):
        case.save(Liar())
    assert not case.check()


@pytest.mark.parametrize("how", ["runs"])
def test_shared_blocks_are_compared_too(tmp_path: Path, how: str) -> None:
    class Mistaken(Sharing):
        def share(self, source: int, descriptor: int, size: int, position: int, here: int) -> None:
            super().share(source, descriptor, size, position, here)
            os.pwrite(descriptor, b"x", here + size - 1)

    case = Case(tmp_path / "x", how)
    with pytest.raises(SaveFailed, match=r"reads back differently.*unchanged"):
        case.save(Mistaken())
    assert not case.check()
    io = Sharing()
    case.save(io)
    assert case.check() and io.shared == 8


@pytest.mark.parametrize("how", HOW)
def test_a_save_can_be_cancelled_until_the_rename(tmp_path: Path, how: str) -> None:
    class GivenUp(Exception):
        pass

    for at in range(1, 100):
        case = Case(tmp_path / str(at), how)
        told: list[tuple[int, bool]] = []

        def progress(done: int, case: Case = case, at: int = at, told: list[tuple[int, bool]] = told) -> None:
            told.append((done, BACKUP in names(case.folder)))
            if len(told) == at:
                raise GivenUp

        try:
            case.save(Io(), progress)
        except GivenUp:
            assert not case.check()
            continue
        assert case.check() and len(told) == at - 1
        assert told == sorted(told)
        # The last question comes as late as possible.
        assert told[-1][1] == (how in IN_PLACE or how == "restored")
        return
    pytest.fail("the save never came to its end")
