"""Saving: whatever fails, the file is the old one or the new one, and nothing else is left over."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.source.files import save_in_place
from tests.source.saves import NEW, NOW, OLD, names
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.saving.backups import asides, backups, limit_of_backups
from toolpair.source.saving.holders import read_lsof
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.replaced import joint
from toolpair.source.saving.restoring import restore
from toolpair.source.snapshot import Snapshot, open_source
from toolpair.source.system import Io


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def test_in_place(file: Path) -> None:
    result = save_in_place(open_source(file), NEW, now=NOW)
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


def test_ctrl_c_while_writing(file: Path) -> None:
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
    with file.open("ab"), pytest.raises(Refused, match="open for writing") as caught:
        save_in_place(snapshot, NEW)
    assert caught.value.reason == "held"
    assert file.read_bytes() == OLD


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


def test_a_backup_left_by_a_killed_save_does_not_matter(file: Path) -> None:
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
    with pytest.raises(Refused, match="folder"):
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


def reason(action: Callable[[], object]) -> str:
    with pytest.raises(Refused) as caught:
        action()
    return caught.value.reason


def test_refusals_say_why_to_programs(file: Path) -> None:
    assert reason(lambda: save_as(file, NEW)) == "exists"
    assert reason(lambda: save_as(file.parent / "none" / "x", NEW)) == "no-folder"
    assert reason(lambda: save_in_place(Snapshot(None, "-", OLD, None, None), NEW)) == "no-file"
    snapshot = open_source(file)
    other = file.parent / "other"
    os.link(file, other)
    assert reason(lambda: save_in_place(snapshot, NEW)) == "hard-links"
    other.unlink()
    file.write_bytes(b"x")
    assert reason(lambda: save_in_place(snapshot, NEW)) == "changed"
    file.unlink()
    assert reason(lambda: save_in_place(snapshot, NEW)) == "gone"
    file.symlink_to("elsewhere")
    assert reason(lambda: save_in_place(snapshot, NEW)) == "changed"


def test_a_name_that_leaves_no_room_for_a_backup(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 240)
    path.write_bytes(OLD)
    assert reason(lambda: save_in_place(open_source(path), NEW)) == "name-too-long"
    assert path.read_bytes() == OLD
    assert names(tmp_path) == [path.name]


def test_the_writer_is_named(file: Path) -> None:
    snapshot = open_source(file)
    with subprocess.Popen(["tail", "-f", "/dev/null"], stdout=file.open("ab")) as other:
        try:
            with pytest.raises(Refused, match=rf"\(tail, process {other.pid}\)"):
                save_in_place(snapshot, NEW)
        finally:
            other.kill()
    assert save_in_place(snapshot, NEW).notes == ()


def test_a_second_toolpair_is_kept_out(file: Path) -> None:
    snapshot = open_source(file)
    with file.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert reason(lambda: save_in_place(snapshot, NEW)) == "held"
    save_in_place(snapshot, NEW)


def test_two_saves_at_once_are_one(file: Path) -> None:
    snapshot = open_source(file)

    def chunks() -> Any:
        assert reason(lambda: save_in_place(snapshot, [b"other"])) == "held"
        yield from NEW

    save_in_place(snapshot, chunks())
    assert file.read_bytes() == b"".join(NEW)


def test_leftovers_are_swept_and_nothing_else(file: Path) -> None:
    folder = file.parent
    stale, locked, young = (folder / f".toolpair-{digit * 16}.tmp" for digit in "abc")
    for path in (stale, locked):
        path.write_bytes(b"half")
    young.touch()
    strange = [folder / ".toolpair-abc.tmp", folder / "x.tmp", folder / "other.jsonl.toolpair-20250101-000000.bak"]
    for path in strange:
        path.write_bytes(b"mine")
    kept = folder / "s.jsonl.toolpair-20250101-000000.bak"
    kept.write_bytes(OLD)
    os.link(file, folder / "s.jsonl.toolpair-20250102-000000.bak")
    with locked.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        save_in_place(open_source(file), NEW, now=NOW)
    assert not stale.exists()
    assert all(path.exists() for path in (locked, young, kept, *strange))
    assert [backup.path for backup in backups(file)][1:] == [kept]
    os.utime(young, (time.time() - 100, time.time() - 100))
    save_in_place(open_source(file), NEW)
    assert not young.exists()
    assert not locked.exists()


class Unleased(Io):
    def set_lease(self, descriptor: int, kind: Any) -> None:
        raise OSError(errno.EACCES, "not the owner")

    def exchange(self, one: str, other: str) -> None:
        raise OSError(errno.EINVAL, "not here")


class Bare(Unleased):
    """Like a memory stick: no hard links, no locks, no attributes."""

    def link(self, source: str, target: str) -> None:
        raise OSError(errno.EPERM, "no links")

    def flock(self, descriptor: int) -> None:
        raise OSError(errno.ENOTSUP, "no locks")

    def attributes(self, descriptor: int) -> dict[str, bytes]:
        raise OSError(errno.ENOTSUP, "no attributes")


@pytest.mark.parametrize("io", [Unleased(), Bare()])
def test_poor_file_systems(file: Path, io: Io) -> None:
    snapshot = open_source(file)
    with subprocess.Popen(["tail", "-f", "/dev/null"], stdout=file.open("ab")) as other:
        try:
            assert reason(lambda: save_in_place(snapshot, NEW, io=io)) == "held"
        finally:
            other.kill()
    with file.open("ab") as stream:
        stream.write(b'{"late":1}\n')
    result = save_in_place(snapshot, NEW, io=io, now=NOW, appendable=True)
    assert file.read_bytes() == b"".join(NEW) + b'{"late":1}\n'
    assert len(result.notes) == 1
    assert save_in_place(open_source(file), NEW, io=io, now=NOW).notes == ()
    assert names(file.parent) == [
        "s.jsonl",
        "s.jsonl.toolpair-20260102-030405-2.bak",
        "s.jsonl.toolpair-20260102-030405.bak",
    ]
    made = save_as(file.parent / "new", NEW, io=io)
    assert made.path.read_bytes() == b"".join(NEW)
    assert reason(lambda: save_as(file.parent / "new", NEW, io=io)) == "exists"


JOINTS = [
    (b"a\n", b"", b"c\n", b""),
    (b"a\n", b"b", b"c\n", b"\n"),
    (b"a", b"a", b"c\n", b""),
    (b"x\na", b"a", b"\nc\n", b""),
    (b"a", b"b", b"\nc\n", b""),
    (b"a", b"b", b"\r\nc\n", b""),
    (b"a", b"b", b"c\n", None),
    (b"a", b"", b"c\n", None),
    (b"a", b"", b"\nc\n", None),
    (b"", b"", b"c\n", b""),
    (b"", b"b", b"c\n", b"\n"),
]


@pytest.mark.parametrize(("old", "new_end", "added", "expected"), JOINTS)
def test_an_appended_record_is_never_fused_with_another(
    file: Path, old: bytes, new_end: bytes, added: bytes, expected: bytes | None
) -> None:
    assert joint(old, new_end, added) == expected
    file.write_bytes(old + b" ")
    os.truncate(file, len(old))
    snapshot = Snapshot(file, str(file), old, open_source_of(file), None)
    with file.open("ab") as stream:
        stream.write(added)
    new = b"n\n" + new_end
    if expected is None:
        assert reason(lambda: save_in_place(snapshot, [new], appendable=True)) == "changed"
        assert file.read_bytes() == old + added
    else:
        result = save_in_place(snapshot, [new], appendable=True)
        assert file.read_bytes() == new + expected + added
        assert result.appended == len(expected + added)
        assert "appended" in result.notes[0] or "added" in result.notes[0]


def open_source_of(file: Path) -> Any:
    from toolpair.source.fingerprint import Identity

    return Identity.of(file.stat())


def test_an_append_while_the_new_file_is_written(file: Path) -> None:
    snapshot = open_source(file)

    def chunks() -> Any:
        yield from NEW
        with file.open("ab") as stream:
            stream.write(b'{"b":1}\n')

    result = save_in_place(snapshot, chunks(), appendable=True)
    assert file.read_bytes() == b"".join(NEW) + b'{"b":1}\n'
    assert result.backup is not None
    assert result.backup.read_bytes() == OLD + b'{"b":1}\n'
    assert open_source(file).identity == result.identity


@pytest.mark.parametrize("appendable", [False, True])
def test_a_writer_that_opened_the_old_file_at_the_last_moment(file: Path, appendable: bool) -> None:
    """The writer has the old file open at the rename, writes to it then, and leaves."""

    class Late(Io):
        def exchange(self, one: str, other: str) -> None:
            super().exchange(one, other)
            backup = next(file.parent.glob("*.bak"))
            backup.open("ab").write(b'{"late":1}\n')

    class LateUnleased(Late):
        def set_lease(self, descriptor: int, kind: Any) -> None:
            raise OSError(errno.EACCES, "not the owner")

    result = save_in_place(open_source(file), NEW, io=LateUnleased(), appendable=appendable)
    assert result.backup is not None
    assert result.backup.read_bytes() == OLD + b'{"late":1}\n'
    assert len(result.notes) == 1
    if appendable:
        assert file.read_bytes() == b"".join(NEW) + b'{"late":1}\n'
    else:
        assert file.read_bytes() == b"".join(NEW)
        assert result.backup.name in result.notes[0]


def test_an_append_to_the_new_file_is_not_overwritten(file: Path) -> None:
    """Without leases a program may append to the new file while another's late bytes are carried over."""

    class Early(Unleased):
        def rename(self, source: str, target: str) -> None:
            super().rename(source, target)
            next(file.parent.glob("*.bak")).open("ab").write(b'{"late":1}\n')
            file.open("ab").write(b'{"early":1}\n')

    result = save_in_place(open_source(file), NEW, io=Early(), appendable=True)
    assert file.read_bytes().startswith(b"".join(NEW) + b'{"early":1}\n')
    assert result.backup is not None
    late = (file.read_bytes() + result.backup.read_bytes()).count(b'{"late":1}\n')
    assert late >= 1 and result.notes


@pytest.mark.parametrize("gone", [False, True])
def test_a_file_that_takes_the_name_at_the_last_moment_stays(file: Path, gone: bool) -> None:
    class Beaten(Io):
        beaten = False

        def exchange(self, one: str, other: str) -> None:
            if not self.beaten:
                self.beaten = True
                file.unlink() if gone else change_content(file)
            super().exchange(one, other)

    probe = file.with_name("probe")
    probe.touch()
    try:
        Io().exchange(str(probe), str(file))
        Io().exchange(str(probe), str(file))
    except OSError:
        pytest.skip("names cannot be exchanged here")
    probe.unlink()
    snapshot = open_source(file)
    assert reason(lambda: save_in_place(snapshot, NEW, io=Beaten())) == "changed"
    assert names(file.parent) == ([] if gone else ["s.jsonl"])
    if not gone:
        assert file.read_bytes() == b"theirs"


def change_content(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"theirs")
    other.replace(file)


def test_touched_but_the_same(file: Path) -> None:
    snapshot = open_source(file)
    os.utime(file)
    file.chmod(0o600)
    save_in_place(snapshot, NEW)
    assert file.read_bytes() == b"".join(NEW)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("how", ["in place", "as"])
def test_set_aside(file: Path, how: str) -> None:
    aside = [b'{"torn', b"\xff\n"]
    if how == "in place":
        result = save_in_place(open_source(file), NEW, now=NOW, aside=aside)
    else:
        result = save_as(file.parent / "copy.jsonl", NEW, now=NOW, aside=aside)
    assert result.aside == result.path.with_name(f"{result.path.name}.toolpair-20260102-030405.aside")
    assert result.aside.read_bytes() == b'{"torn\n\xff\n'
    assert stat.S_IMODE(result.aside.stat().st_mode) == 0o600
    assert [one.path for one in asides(result.path)] == [result.aside]

    def broken() -> Any:
        yield b"x"
        raise OSError(errno.EIO, "no more")

    before = names(file.parent)
    with pytest.raises(SaveFailed):
        save_in_place(open_source(file), broken(), aside=aside)
    assert names(file.parent) == before


def test_the_limit_of_backups(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert limit_of_backups() is None
    monkeypatch.setenv("TOOLPAIR_BACKUPS", "3")
    assert limit_of_backups() == 3
    assert limit_of_backups(2) == 2
    for wrong in ("0", "-1", "many", "²"):
        monkeypatch.setenv("TOOLPAIR_BACKUPS", wrong)
        assert reason(limit_of_backups) == "backups"
    made = [save_in_place(open_source(file), NEW, now=NOW.replace(day=day)).backup for day in range(2, 6)]
    # With a clock that was set back, the backup just made is the oldest by name.
    last = save_in_place(open_source(file), NEW, now=NOW.replace(day=1), aside=[b"x"], keep_backups=2)
    assert [backup.path for backup in backups(file)] == [made[-1], last.backup]
    assert set(last.removed) == set(made[:-1])
    assert last.notes == ()
    assert last.aside is not None
    assert last.aside.exists()
    with pytest.raises(Refused):
        save_in_place(Snapshot(file, "s", b"", open_source_of(file.parent), None), NEW, keep_backups=1)
    assert len(backups(file)) == 2


def acl(*entries: tuple[int, int, int]) -> bytes:
    """An ACL as the kernel stores it: version, then tag, rights and id of each entry."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


NOBODY = 0xFFFFFFFF
READER = acl((1, 6, NOBODY), (2, 4, 12345), (4, 4, NOBODY), (0x10, 4, NOBODY), (0x20, 0, NOBODY))


def test_acls_survive_and_the_folder_adds_none(file: Path) -> None:
    try:
        os.setxattr(file.parent, "system.posix_acl_default", READER)
        plain = file.parent / "plain"
        plain.write_bytes(OLD)
        os.removexattr(plain, "system.posix_acl_access")
        plain.chmod(0o640)
        os.setxattr(file, "system.posix_acl_access", READER)
    except OSError:
        pytest.skip("no ACLs on this file system")
    for path in (file, plain):
        before = {name: os.getxattr(path, name) for name in os.listxattr(path)}
        mode = path.stat().st_mode
        assert save_in_place(open_source(path), NEW).notes == ()
        assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == before
        assert path.stat().st_mode == mode


def test_the_owner_survives(file: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give a file to somebody else")
    os.chown(file, 1234, 5678)
    file.chmod(0o2640)
    save_in_place(open_source(file), NEW)
    found = file.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 5678, 0o2640)

    class NoGift(Io):
        def fchown(self, descriptor: int, uid: int, gid: int) -> None:
            raise PermissionError(errno.EPERM, "no")

    (note,) = save_in_place(open_source(file), NEW, io=NoGift()).notes
    assert "owner" in note
    # Nor may the group that replaces its group read it.
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_attributes_that_cannot_be_kept_are_named(file: Path) -> None:
    class Stubborn(Io):
        def attributes(self, descriptor: int) -> dict[str, bytes]:
            return {} if os.fstat(descriptor).st_ino != file.stat().st_ino else {"user.a": b"1", "security.b": b"2"}

        def set_attribute(self, descriptor: int, name: str, value: bytes) -> None:
            if name == "security.b":
                raise PermissionError(errno.EPERM, "no")

    (note,) = save_in_place(open_source(file), NEW, io=Stubborn()).notes
    assert "security.b" in note
    assert "user.a" not in note


def test_what_lsof_prints() -> None:
    text = "p12\ncnode\nf21\naw\np13\nctail\nf3\nar\np14\ncvim\nf4\nau\nf5\nar\n"
    assert [str(holder) for holder in read_lsof(text)] == ["node, process 12", "vim, process 14"]


def test_restoring_after_a_killed_save(file: Path) -> None:
    save_in_place(open_source(file), NEW, now=NOW)
    os.link(file, file.parent / "s.jsonl.toolpair-20270101-000000.bak")
    (kept,) = [backup for backup in backups(file) if backup.time == NOW]
    restore(file, kept)
    assert file.read_bytes() == OLD


@pytest.mark.parametrize("name", ["new/", "new//", "new/.", "s.jsonl/", "."])
def test_the_name_of_a_folder_makes_no_file(file: Path, name: str) -> None:
    before = names(file.parent)
    for force in (False, True):
        assert reason(lambda: save_as(f"{file.parent}/{name}", NEW, force)) == "not-regular"  # noqa: B023
    assert names(file.parent) == before and file.read_bytes() == OLD


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is too long; give a shorter one") as refused:
        save_as(tmp_path / ("n" * 256), NEW)
    assert refused.value.reason == "name-too-long" and not names(tmp_path)


@pytest.mark.parametrize("attribute", ["a", "i"])
@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_an_attribute_protects_is_left_as_it_was(tmp_path: Path, attribute: str, what: str) -> None:
    """In a folder in which names can be made but not removed, a save would leave its files."""
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "s.jsonl"
    path.write_bytes(OLD)
    snapshot = open_source(path)
    target = folder if what == "folder" else path
    if (
        not shutil.which("chattr")
        or subprocess.run(["chattr", f"+{attribute}", target], capture_output=True).returncode
    ):
        pytest.skip("chattr needs root, and a file system that has attributes")
    try:
        assert reason(lambda: save_in_place(snapshot, NEW)) == "read-only"
        if what == "folder":
            assert reason(lambda: save_as(folder / "new", NEW)) == "read-only"
        assert names(folder) == ["s.jsonl"] and path.read_bytes() == OLD
    finally:
        subprocess.run(["chattr", f"-{attribute}", target], check=True)
