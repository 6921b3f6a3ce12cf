"""Files shared with other users, programs and groups: what these may do, and what they are told."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.source.files import save_in_place
from tests.source.saves import NEW, OLD, Watched, names
from toolpair.source import growth, large
from toolpair.source import snapshot as opening
from toolpair.source.container_reading import read_container
from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.file_bytes import Content
from toolpair.source.limits import Limits, fits
from toolpair.source.saving.restoring import restore
from toolpair.source.snapshot import open_source
from toolpair.source.system import Io

STRANGER = 54321


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(OLD)
    return path


@pytest.fixture
def root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give a file to somebody else")


class Unleased(Io):
    def set_lease(self, descriptor: int, kind: Any) -> None:
        raise OSError(errno.EACCES, "not the owner")


def test_another_users_file_in_a_folder_like_tmp(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hard link can be made there, but no name can be removed, so the save does not start."""
    snapshot = open_source(file)
    file.parent.chmod(0o1777)
    with monkeypatch.context() as context:
        context.setattr(os, "geteuid", lambda: STRANGER)
        with pytest.raises(Refused, match="another user") as refused:
            save_in_place(snapshot, NEW)
    assert refused.value.reason == "read-only"
    assert names(file.parent) == ["s.jsonl"]
    assert file.stat().st_nlink == 1
    save_in_place(snapshot, NEW)


@pytest.mark.usefixtures("root")
def test_a_group_gets_no_new_rights(file: Path) -> None:
    os.chown(file, -1, STRANGER)
    file.chmod(0o664)

    class NoGift(Io):
        def fchown(self, descriptor: int, uid: int, gid: int) -> None:
            raise PermissionError(errno.EPERM, "no")

    (note,) = save_in_place(open_source(file), NEW, io=NoGift()).notes
    assert "group" in note
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


@pytest.mark.usefixtures("root")
def test_the_group_is_kept_even_if_the_owner_cannot_be(file: Path) -> None:
    os.chown(file, STRANGER, STRANGER)
    file.chmod(0o660)

    class Ordinary(Io):
        def fchown(self, descriptor: int, uid: int, gid: int) -> None:
            if uid != -1:
                raise PermissionError(errno.EPERM, "no")
            super().fchown(descriptor, uid, gid)

    (note,) = save_in_place(open_source(file), NEW, io=Ordinary()).notes
    assert "owner" in note
    assert "group" not in note
    found = file.stat()
    assert (found.st_gid, stat.S_IMODE(found.st_mode)) == (STRANGER, 0o660)


@pytest.mark.usefixtures("root")
def test_a_side_file_belongs_to_the_files_owner(file: Path) -> None:
    os.chown(file, STRANGER, STRANGER)
    aside = save_in_place(open_source(file), NEW, aside=[b"\x00torn"]).aside
    assert aside is not None
    found = aside.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (STRANGER, STRANGER, 0o600)


@pytest.mark.usefixtures("root")
def test_a_copied_backup_belongs_to_the_files_owner(file: Path) -> None:
    os.chown(file, STRANGER, STRANGER)
    file.chmod(0o640)

    class NoLinks(Io):
        def link(self, source: str, target: str) -> None:
            raise OSError(errno.EPERM, "no")

    backup = save_in_place(open_source(file), NEW, io=NoLinks()).backup
    assert backup is not None
    assert backup.read_bytes() == OLD
    found = backup.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (STRANGER, STRANGER, 0o640)


@pytest.mark.parametrize("foreign", [False, True])
def test_a_user_who_cannot_see_the_writers_is_told(file: Path, monkeypatch: pytest.MonkeyPatch, foreign: bool) -> None:
    snapshot = open_source(file)
    if foreign:
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    result = save_in_place(snapshot, NEW, io=Unleased())
    assert result.backup is not None
    assert [result.backup.name in note for note in result.notes] == [True] * foreign


@pytest.fixture
def leased(file: Path) -> Callable[[float], threading.Timer]:
    """Lets nobody open the file for some seconds, like a save near its end."""

    def lease(seconds: float) -> threading.Timer:
        descriptor = os.open(file, os.O_RDONLY)
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except (AttributeError, OSError):
            os.close(descriptor)
            pytest.skip("no leases here")
        timer = threading.Timer(seconds, os.close, [descriptor])
        timer.start()
        return timer

    return lease


def test_a_file_being_saved_is_waited_for(file: Path, leased: Callable[[float], threading.Timer]) -> None:
    timer = leased(0.1)
    snapshot = open_source(file)
    timer.join()
    assert snapshot.data == OLD
    leased(0.1)
    assert save_in_place(snapshot, NEW).notes == ()


def test_a_file_that_nobody_may_open(
    file: Path, leased: Callable[[float], threading.Timer], monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = open_source(file)
    monkeypatch.setattr("toolpair.source.system._LEASED", 0.05)
    timer = leased(0.5)
    with pytest.raises(UnreadableFile, match="try again"):
        open_source(file)
    with pytest.raises(Refused) as refused:
        save_in_place(snapshot, NEW)
    assert refused.value.reason == "held"
    timer.join()


def test_a_file_that_changed_while_it_was_read_is_compared(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size is the same, so only the content shows it."""
    read = opening._opened

    def slowly(descriptor: int, size: int, shown: str) -> Content:
        data = read(descriptor, size, shown)
        file.write_bytes(OLD.swapcase())
        return data

    monkeypatch.setattr(opening, "_opened", slowly)
    snapshot = open_source(file)
    assert snapshot.data == OLD
    with pytest.raises(Refused):
        save_in_place(snapshot, NEW)
    assert file.read_bytes() == OLD.swapcase()


def test_a_writer_that_stops_in_the_middle_of_a_record(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other half goes to the old file: half a record in the new one would swallow the next one."""
    monkeypatch.setattr("toolpair.source.saving.replaced._DRAIN", 0.05)
    opened: list[int] = []

    class Stays(Io):
        def exchange(self, one: str, other: str) -> None:
            super().exchange(one, other)
            # The backup is the old file; waiting for its lease here would mean waiting for this very save.
            thread = threading.Thread(target=write, args=[next(file.parent.glob("*.bak"))])
            thread.start()
            threads.append(thread)
            time.sleep(0.2)  # until it waits at the file

        def rename(self, source: str, target: str) -> None:
            pytest.skip("names cannot be exchanged here")

    def write(backup: Path) -> None:
        opened.append(os.open(backup, os.O_WRONLY | os.O_APPEND))
        os.write(opened[0], b'{"whole":1}\n{"ha')

    threads: list[threading.Thread] = []
    result = save_in_place(open_source(file), NEW, io=Stays(), appendable=True)
    threads[0].join()
    os.write(opened[0], b'lf":1}\n')
    os.close(opened[0])
    with file.open("ab") as stream:
        stream.write(b'{"next":1}\n')
    assert file.read_bytes() == b"".join(NEW) + b'{"whole":1}\n{"next":1}\n'
    assert result.backup is not None
    assert result.backup.read_bytes() == OLD + b'{"whole":1}\n{"half":1}\n'
    assert any(result.backup.name in note for note in result.notes)


def test_a_backup_that_is_still_being_written(file: Path) -> None:
    backup = save_in_place(open_source(file), NEW).backup
    assert backup is not None
    with backup.open("ab"):
        (note,) = restore(file, backup).notes
        assert backup.name in note
    assert restore(file, backup).notes == ()


def test_what_does_not_fit_into_memory_is_not_read(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.source.limits._SMALL", 1 << 20)
    before = open_source(file)
    with file.open("ab") as stream:
        stream.truncate(1 << 26)
    root = tmp_path / "root"
    for name, text in {
        "proc/meminfo": "MemTotal: 9 kB\nMemAvailable:  187500 kB\n",
        "proc/self/cgroup": "0::/a/b\n",
        "sys/fs/cgroup/a/b/memory.max": "max\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    assert fits(3 << 24, root)
    assert not fits(1 << 26, root)
    assert fits(1 << 40, tmp_path)
    (root / "sys/fs/cgroup/a/b/memory.max").write_text("100000000\n")
    assert not fits(3 << 24, root)
    assert fits(1 << 20, root)
    for module in (large, growth):
        monkeypatch.setattr(module, "fits", lambda size: fits(size, root))
    grown = open_source(file)
    with pytest.raises(UnreadableFile, match="memory"):
        read_container(grown.data, grown.shown, limits=Limits.of(1 << 40))
    with pytest.raises(UnreadableFile, match="memory"):
        growth.look(before, None)


@pytest.mark.parametrize("call", ["flock", "names", "fstat", "fsync", "link"])
@pytest.mark.parametrize("leases", [True, False])
def test_an_edit_that_keeps_size_and_time_is_not_overwritten(file: Path, call: str, leases: bool) -> None:
    """Some tools reset the modification time. Then only the change time or the content shows the edit."""
    edited: list[bytes] = []

    class Editing(Watched):
        def set_lease(self, descriptor: int, kind: Any) -> None:
            if not leases:
                raise OSError(errno.ENOTSUP, "no leases")
            Io.set_lease(self, descriptor, kind)

    def edit(number: int, name: str) -> None:
        if name == call and not edited:
            edited.append(OLD.swapcase())
            thread = threading.Thread(target=rewrite)
            thread.start()
            thread.join(0.05)
            threads.append(thread)

    def rewrite() -> None:
        before = file.stat()
        descriptor = os.open(file, os.O_WRONLY)
        os.write(descriptor, edited[0])
        os.close(descriptor)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    threads: list[threading.Thread] = []
    told = ""
    snapshot = open_source(file)
    try:
        told = " ".join(save_in_place(snapshot, NEW, io=Editing(edit)).notes)
    except Refused as refused:
        assert refused.reason == "changed"
    threads[0].join()
    where = [path for path in file.parent.iterdir() if path.read_bytes() == edited[0]]
    assert where == [file] or where[0].name in told


class UnleasedWatched(Watched):
    def set_lease(self, descriptor: int, kind: Any) -> None:
        raise OSError(errno.ENOTSUP, "no leases")


def test_without_leases_an_append_between_any_two_calls_is_kept_or_reported(file: Path) -> None:
    """Each record is in the file once, or in the backup, which the notes then name."""
    record = b'{"n":1}\n'
    place = 0
    while True:
        place += 1
        appended: list[bool] = []

        def append(number: int, name: str, place: int = place, appended: list[bool] = appended) -> None:
            if number == place:
                appended.append(True)
                with file.open("ab") as stream:
                    stream.write(record)

        file.write_bytes(OLD)
        try:
            result = save_in_place(open_source(file), NEW, io=UnleasedWatched(append), appendable=True)
        except Refused:
            assert file.read_bytes() == OLD + record
            continue
        if not appended:
            break
        assert result.backup is not None
        count = file.read_bytes().count(record)
        told = result.backup.name in " ".join(result.notes)
        assert count == 1 or (not count and told and result.backup.read_bytes().endswith(record)), place
    assert place > 20


@pytest.mark.parametrize("leases", [True, False])
def test_an_edit_that_keeps_size_and_time_is_reported_at_every_instant(tmp_path: Path, leases: bool) -> None:
    """A writer that waits for the lease writes to the old file, after the rename."""
    edited = OLD.swapcase()
    place = 0
    while True:
        place += 1
        threads: list[threading.Thread] = []
        file = tmp_path / str(place) / "s.jsonl"
        file.parent.mkdir()
        file.write_bytes(OLD)

        def rewrite(file: Path = file) -> None:
            descriptor = os.open(file, os.O_WRONLY)
            before = os.fstat(descriptor)
            os.write(descriptor, edited)
            os.utime(descriptor, ns=(before.st_atime_ns, before.st_mtime_ns))
            os.close(descriptor)

        def edit(number: int, name: str, place: int = place, threads: list[threading.Thread] = threads) -> None:
            if number == place and not threads:
                threads.append(threading.Thread(target=rewrite))
                threads[0].start()
                threads[0].join(0.02 if leases else PATIENCE)  # without one nothing holds it up

        told = ""
        try:
            told = " ".join(
                save_in_place(open_source(file), NEW, io=(Watched if leases else UnleasedWatched)(edit)).notes
            )
        except Refused as refused:
            assert refused.reason in ("changed", "held")
        if not threads:
            break
        threads[0].join()
        where = [path for path in file.parent.iterdir() if path.read_bytes() == edited]
        assert where and (where[0] == file or where[0].name in told), place
    assert place > 20
