"""Saving files of a folder while something fails at each step: an exception, a kill, a full disk, another writer."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.folders.saves import STEPS, Files, check, made, opened, save_of, saving, staged, wanted
from tests.opencode_folders import files
from tests.opencode_sessions import ID
from tests.rounds import EVERY, of_each_kind
from tests.source.faults import FAULTS, at_step, filled, held_by, in_a_child, kill, little_space, raising, small_disk
from toolpair.cli.main import main
from toolpair.session.session import SessionError, open_session
from toolpair.session.surroundings import finish_killed_save
from toolpair.source.errors import Refused, SaveFailed, UnreadableFile
from toolpair.source.folders.exchange import is_saving
from toolpair.source.folders.save import FilesSave
from toolpair.source.saving.file_names import is_temporary
from toolpair.source.saving.own_mark import mark_of
from toolpair.source.system import Io

LAST = len(STEPS)
"""After the last step the changes are final."""


class Watched(Io):
    """Each system call is a moment at which something may happen."""

    def __init__(self, at: int, happens: Callable[[], None]) -> None:
        self.count = 0
        self.called: list[str] = []
        self._at, self._happens = at, happens

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or not callable(found):
            return found

        def call(*given: Any, **named: Any) -> Any:
            self.count += 1
            self.called.append(name)
            if self.count == self._at:
                self._happens()
            return found(*given, **named)

        return call


def nothing() -> None: ...


def calls(folder: Path) -> list[str]:
    """The system calls that a save makes."""
    io = Watched(0, nothing)
    saving(made(folder), io=io).write()
    return io.called


def left(storage: Path) -> list[str]:
    return [name for folder in (storage, storage.parent) for name in os.listdir(folder) if "toolpair" in name]


def read_by_the_agent(storage: Path) -> list[str]:
    """What the agent takes for a record, although it is none of the session's: it lists all that is not hidden."""
    kinds = ("session", "message", "part", "project", "session_diff")
    found = [path.relative_to(storage) for kind in kinds for path in (storage / kind).rglob("*")]
    seen = [path for path in found if not any(part.startswith(".") for part in path.parts)]
    return [str(path) for path in seen if "toolpair" in str(path) or (path.suffix and path.suffix != ".json")]


@pytest.mark.parametrize("fault", FAULTS)
def test_an_exception_at_each_step(tmp_path: Path, fault: str) -> None:
    before, after = wanted(tmp_path / "wanted")
    for at in range(LAST):
        storage = made(tmp_path / str(at))
        with pytest.raises((Refused, SaveFailed, KeyboardInterrupt, MemoryError)) as raised:
            saving(storage, at_step(at, raising(FAULTS[fault]()))).write()
        if isinstance(raised.value, SaveFailed):
            assert "the session is unchanged" in str(raised.value)
        assert files(storage) == before and not left(storage)
        assert not check(storage, before, after)


def test_every_step_is_reached(tmp_path: Path) -> None:
    seen: list[str] = []
    saving(made(tmp_path), seen.append).write()
    assert tuple(seen) == STEPS


def test_kill_9_at_each_step(tmp_path: Path) -> None:
    before, after = wanted(tmp_path / "wanted")
    outcomes = []
    for at in range(LAST):
        storage = made(tmp_path / str(at))
        save = saving(storage, at_step(at, kill))
        assert in_a_child(save.write) == signal.SIGKILL
        assert not read_by_the_agent(storage)
        outcomes.append(check(storage, before, after))
    assert outcomes == [name in ("exchange", "compare", "finish") for name in STEPS]


def test_kill_9_at_each_system_call(tmp_path: Path) -> None:
    """Before the call, which is after the one before it."""
    before, after = wanted(tmp_path / "wanted")
    outcomes = set()
    for at in [1 + place for place in of_each_kind(calls(tmp_path / "counted"), 4)]:
        storage = made(tmp_path / str(at))
        save = saving(storage, io=Watched(at, kill))
        assert in_a_child(save.write) == signal.SIGKILL
        assert not read_by_the_agent(storage)
        outcomes.add(check(storage, before, after))
        shutil.rmtree(tmp_path / str(at))
    assert outcomes == {True, False}


_ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EACCES)


@pytest.mark.parametrize("number", _ERRORS, ids=errno.errorcode.get)
def test_each_system_call_fails(tmp_path: Path, number: int) -> None:
    """By default each kind of call fails in each of these ways, of those that are called often another in each;
    TOOLPAIR_TEST_ROUNDS of 4 or more: each call.
    """
    before, after = wanted(tmp_path / "wanted")
    called = calls(tmp_path / "counted")
    for at in [1 + place for place in of_each_kind(called, len(_ERRORS), _ERRORS.index(number))]:
        storage = made(tmp_path / str(at))
        said = ""
        try:
            saving(storage, io=Watched(at, raising(OSError(number, os.strerror(number))))).write()
        except (Refused, SaveFailed) as error:
            said = str(error)
        now = files(storage)
        assert now == (after if not said else before), (at, said)
        if said:
            assert not left(storage), (at, said)
        assert not read_by_the_agent(storage)
        check(storage, before, after)
        shutil.rmtree(tmp_path / str(at))


def test_a_killed_recovery_is_recovered(tmp_path: Path) -> None:
    """Whoever finishes what was begun may be killed as well, as often as it likes."""
    from toolpair.source.folders.exchange import finish_saves

    before, after = wanted(tmp_path / "wanted")
    for at in range(1, 30, 1 if EVERY else 3):
        storage = made(tmp_path / str(at))
        killed(storage, 2)
        for _ in range(3):
            in_a_child(lambda storage=storage, at=at: finish_saves(str(storage), ID, "x", Watched(at, kill)))  # type: ignore[misc]
        assert check(storage, before, after)


def test_files_that_cannot_grow(tmp_path: Path) -> None:
    before, after = wanted(tmp_path / "wanted")
    outcomes = set()
    for most in (0, 100, 300, 512, 1000, 4096, 20_000, 1_000_000):
        storage = made(tmp_path / str(most))
        save = saving(storage)

        def work(save: FilesSave = save, most: int = most) -> None:
            with little_space(most):
                try:
                    save.write()
                except (Refused, SaveFailed) as error:
                    assert "unchanged" in str(error)

        assert not in_a_child(work)
        outcomes.add(check(storage, before, after))
    assert outcomes == {True, False}


def test_a_full_disk(tmp_path: Path) -> None:
    before, after = wanted(tmp_path / "wanted")
    outcomes = set()
    with small_disk(tmp_path / "disk") as disk:
        for free in (0, 4096, 8192, 12_288, 16_384, 20_480, 32_768, 65_536, 200_000):
            storage = made(disk / str(free))
            save = saving(storage)
            with filled(disk, free):
                try:
                    save.write()
                except (Refused, SaveFailed) as error:
                    assert "unchanged" in str(error), str(error)
                    assert not left(storage)
            outcomes.add(check(storage, before, after))
            shutil.rmtree(disk / str(free))
    assert outcomes == {True, False}


def test_what_a_killed_save_leaves_is_swept(tmp_path: Path) -> None:
    storage = made(tmp_path)
    stale = storage.parent / ".toolpair-0123456789abcdef.tmp"
    stale.write_bytes(b"left")
    assert is_temporary(stale.name)
    saving(storage).write()
    assert not stale.exists()


# --- with other writers --------------------------------------------------------------------------------------


def _rewrite(storage: Path) -> None:
    """As the agent does: the file is written anew where it is."""
    path = changing(storage)
    path.write_text(path.read_text().replace('"callID"', '"seen": 1, "callID"'))


def _replace(storage: Path) -> None:
    path = changing(storage)
    new = path.with_name(".new")
    new.write_text(path.read_text().replace('"callID"', '"seen": 1, "callID"'))
    new.rename(path)


def _edit(storage: Path) -> None:
    """In place; size and time stay."""
    path = changing(storage)
    before, data = path.stat(), path.read_bytes()
    with path.open("r+b") as file:
        file.write(data.replace(b'"callID"', b'"callIX"'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _add(storage: Path) -> None:
    message = changing(storage).parent
    data = {"id": "prt_zz", "sessionID": ID, "messageID": message.name, "type": "text", "text": "more"}
    (message / "prt_zz.json").write_text(json.dumps(data))


def _remove(storage: Path) -> None:
    changing(storage).unlink()


OTHERS: dict[str, Callable[[Path], None]] = {
    "rewrites a file": _rewrite,
    "replaces a file": _replace,
    "edits a file and resets its time": _edit,
    "adds a part": _add,
    "removes a file": _remove,
}


def changing(storage: Path) -> Path:
    """One of the files that the save changes."""
    return next(path for path in (storage / "part").glob("*/*.json") if b"word-b" in path.read_bytes())


@pytest.mark.parametrize("other", OTHERS)
def test_another_writer_at_each_step(tmp_path: Path, other: str) -> None:
    """What it writes is never lost: the save is refused, or what was written is kept and said."""
    for at in range(LAST):
        storage = made(tmp_path / str(at))
        theirs: list[Files] = []

        def write(storage: Path = storage, theirs: list[Files] = theirs) -> None:
            before = files(storage)
            OTHERS[other](storage)
            now = files(storage)
            names = {name for name in now.keys() | before.keys() if ".toolpair" not in name}
            theirs.append({name: now.get(name, b"") for name in names if now.get(name) != before.get(name)})

        save = saving(storage, at_step(at, write))
        try:
            save.write()
        except (Refused, SaveFailed) as error:
            assert "has changed since it was opened" in str(error) or "unchanged" in str(error)
            assert not left(storage)
        else:
            assert STEPS[at] == "finish"
        now = {name: content for name, content in files(storage).items() if ".toolpair" not in name}
        for name, content in theirs[0].items():
            if content or name in now:
                assert now.get(name) == content, (at, name)


@pytest.mark.parametrize("more", [True, False])
def test_what_was_written_after_the_exchange_is_kept(tmp_path: Path, more: bool) -> None:
    """A program that had opened a file before the exchange writes to the old one; without more bytes, and with its old
    time again, too.
    """
    storage = made(tmp_path)
    held = changing(storage).open("r+b")
    with held:
        seen: list[str] = []

        def step(name: str) -> None:
            seen.append(name)
            if name == "finish":
                before = os.fstat(held.fileno())
                held.seek(0 if more else -4, os.SEEK_END)
                held.write(b"late")
                held.flush()
                if not more:
                    os.utime(held.fileno(), ns=(before.st_atime_ns, before.st_mtime_ns))

        save = saving(storage, step)
        result = save.write()
    (note,) = [note for note in result.notes if "during the save" in note]
    aside = next(storage.parent.glob("*.aside"))
    assert str(aside) in note and aside.read_bytes().endswith(b"late\n")


HOLD = """
import sys
held = open(sys.argv[1], "rb")
print("open", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("where", ["log/2026-11-23.log", "storage/migration"])
def test_refused_while_a_process_uses_it(tmp_path: Path, where: str) -> None:
    storage = made(tmp_path)
    before = files(storage)
    path = storage.parent / where
    path.parent.mkdir(exist_ok=True)
    path.touch()
    save = saving(storage)
    with held_by(HOLD, path) as pid, pytest.raises(Refused, match=rf"is in use by python\S*, process {pid}"):
        save.write()
    assert files(storage) == before and not left(storage)
    save.write()


def test_a_folder_to_whose_name_nothing_can_be_added(tmp_path: Path) -> None:
    storage = made(tmp_path).rename(tmp_path / ("n" * 250))
    before = files(storage)
    with pytest.raises(Refused, match="too long to keep the original beside it") as refused:
        saving(storage).write()
    assert refused.value.reason == "name-too-long"
    assert files(storage) == before


def test_refused_while_another_process_saves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.source.folders.exchange._WAITS", 0.05)
    storage = made(tmp_path)

    def step(name: str) -> None:
        if name == "compare":
            with pytest.raises(SessionError, match="is being saved by another process"):
                open_session(f"{storage}::{ID}")

    save = saving(storage, step)
    other = staged(storage)
    save.write()
    with pytest.raises(Refused, match="has changed since it was opened"):
        save_of(other).write()


def test_a_reader_waits_for_a_save(tmp_path: Path) -> None:
    storage = made(tmp_path)
    read: list[bytes] = []
    readers: list[threading.Thread] = []

    def step(name: str) -> None:
        if name == "compare":
            readers.append(threading.Thread(target=lambda: read.append(opened(storage).to_bytes())))
            readers[0].start()
            readers[0].join(0.2)
            assert not read

    saving(storage, step).write()
    readers[0].join()
    assert read == [opened(storage).to_bytes()]


# --- what a kill leaves --------------------------------------------------------------------------------------


def killed(storage: Path, exchanged: int) -> None:
    """Leave a save that was killed after so many files."""
    save = saving(storage, at_step(STEPS.index("exchange") + exchanged, kill))
    assert in_a_child(save.write) == signal.SIGKILL
    assert [name for name in os.listdir(storage) if is_saving(name)]


def test_it_is_taken_back_if_the_agent_has_gone_on(tmp_path: Path) -> None:
    before, _ = wanted(tmp_path / "wanted")
    storage = made(tmp_path / "x")
    killed(storage, 2)
    _rewrite_any(storage)
    theirs = files(storage)
    finish_killed_save(f"{storage}::{ID}")
    now = files(storage)
    changed = {name for name in now if now.get(name) != before.get(name)}
    assert len(changed) == 1 and all(now[name] == theirs[name] for name in changed)
    assert now.keys() == before.keys()
    assert not [name for name in os.listdir(storage) if is_saving(name)]


def _rewrite_any(storage: Path) -> None:
    room = next(storage.glob(".toolpair-*.saving"))
    named = {entry["path"] for entry in json.loads(json.loads((room / "journal").read_text())["journal"])["entries"]}
    path = next(storage / name for name in sorted(named) if (storage / name).exists())
    path.write_text(path.read_text() + " ")


@pytest.mark.parametrize("command", ["sees", "check", "sessions", "fix --diff", "restore --output-format json"])
def test_who_reads_says_that_it_is_unfinished_and_leaves_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    storage = made(tmp_path / "x")
    killed(storage, 2)
    there = files(storage)
    name, *options = command.split()
    main([name, *options, str(storage) if name in ("sessions", "restore") else f"{storage}::{ID}"])
    assert files(storage) == there
    if name != "sessions":
        assert "was killed halfway" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["fix --in-place", "restore"])
def test_who_saves_finishes_it_first(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    _, after = wanted(tmp_path / "wanted")
    storage = made(tmp_path / "x")
    killed(storage, 2)
    name, *options = command.split()
    main([name, *options, f"{storage}::{ID}"])
    assert "A save that was killed halfway has been finished." in capsys.readouterr().err
    assert files(storage) == after or name == "fix"
    assert not [name for name in os.listdir(storage) if is_saving(name)]


def test_another_session_s_save_leaves_it(tmp_path: Path) -> None:
    storage = made(tmp_path / "x")
    killed(storage, 2)
    there = files(storage)
    finish_killed_save(f"{storage}::ses_other")
    assert files(storage) == there


def test_a_save_of_a_session_that_was_opened_before_the_kill_is_refused(tmp_path: Path) -> None:
    _, after = wanted(tmp_path / "wanted")
    storage = made(tmp_path / "x")
    other = staged(storage)
    killed(storage, 2)
    with pytest.raises(Refused, match=r"has been finished.*open it again"):
        save_of(other).write()
    assert files(storage) == after


def planted(storage: Path, *entries: dict[str, str | None], own: bool) -> None:
    """What looks like a save that was killed. `own`: with the mark that only this user's toolpair can make."""
    room = storage / ".toolpair-0123456789abcdef.saving"
    room.mkdir()
    for number, _ in enumerate(entries):
        (room / f"{number}.new").write_text("{}")
    text = json.dumps({"session": ID, "entries": list(entries), "folders": []})
    mark = mark_of(text.encode()) if own else mark_of(b"")
    (room / "journal").write_text(json.dumps({"mark": mark, "journal": text}))


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder that no save is about."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "old.json").write_text("1")
    return folder


NEW = {"before": None, "after": digest(b"{}")}
GONE = {"before": digest(b"1"), "after": None}


@pytest.mark.parametrize("own", [True, False], ids=["marked", "a stranger's"])
@pytest.mark.parametrize("way", ["..", "a link", "a link to a file"])
def test_a_journal_never_leads_out_of_the_folder(tmp_path: Path, victim: Path, own: bool, way: str) -> None:
    storage = made(tmp_path)
    if way == "a link":
        (storage / "message" / "A").symlink_to(victim)
    elif way == "a link to a file":
        (storage / "message" / "A").mkdir()
        for name in ("new.json", "old.json"):
            (storage / "message" / "A" / name).symlink_to(victim / name)
    place = "../victim" if way == ".." else "message/A"
    planted(storage, {"path": f"{place}/new.json", **NEW}, {"path": f"{place}/old.json", **GONE}, own=own)
    opened(storage)
    with contextlib.suppress(UnreadableFile):
        finish_killed_save(f"{storage}::{ID}")
    with contextlib.suppress(Refused, SaveFailed):
        saving(storage).write()
    assert [path.name for path in victim.iterdir()] == ["old.json"] and (victim / "old.json").read_text() == "1"


def test_a_journal_that_this_user_did_not_write_means_nothing(tmp_path: Path) -> None:
    storage = made(tmp_path)
    before = files(storage)
    path = next(name for name in before if name.startswith("part/"))
    planted(storage, {"path": path, "before": digest(before[path]), "after": digest(b"{}")}, own=False)
    finish_killed_save(f"{storage}::{ID}")
    now = files(storage)
    assert {name: now[name] for name in before} == before


def test_what_lies_in_a_room_must_be_what_its_journal_says(tmp_path: Path) -> None:
    storage = made(tmp_path)
    killed(storage, 0)
    before = files(storage)
    room = next(storage.glob(".toolpair-*.saving"))
    next(room.glob("*.new")).write_text('{"hooks": "evil"}')
    finish_killed_save(f"{storage}::{ID}")
    assert files(storage) == {name: data for name, data in before.items() if ".saving" not in name}


def test_a_save_follows_no_link(tmp_path: Path, victim: Path) -> None:
    """What an id in a file names may be a link that somebody made."""
    storage = made(tmp_path)
    save = saving(storage)
    message = changing(storage).parent
    shutil.copytree(message, victim / "there")
    shutil.rmtree(message)
    message.symlink_to(victim / "there")
    there = files(victim)
    with pytest.raises(SaveFailed, match="is a link"):
        save.write()
    assert files(victim) == there


def test_a_room_without_a_journal_means_nothing(tmp_path: Path) -> None:
    storage = made(tmp_path)
    before = files(storage)
    room = storage / ".toolpair-0123456789abcdef.saving"
    room.mkdir()
    (room / "0.new").write_text("{}")
    opened(storage)
    assert room.exists()
    finish_killed_save(f"{storage}::{ID}")
    assert files(storage) == before and not room.exists()


class Noting(Io):
    """Notes what is made durable, and what gets which name, in order."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []

    def fsync(self, descriptor: int) -> None:
        self.done.append(("flushed", os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}"))))
        super().fsync(descriptor)

    def rename(self, source: str, target: str, **folders: int | None) -> None:
        self.done.append(("renamed", os.path.basename(source)))
        super().rename(source, target, **folders)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not say what a descriptor is of")
def test_nothing_gets_its_name_before_it_is_durable(tmp_path: Path) -> None:
    """After a power cut a file is the old one or the new one, never an empty one."""
    storage, io = made(tmp_path), Noting()
    saving(storage, io=io).write()
    renamed = [place for place, (what, _) in enumerate(io.done) if what == "renamed"]
    assert len(renamed) >= 3
    for place in renamed:
        assert ("flushed", io.done[place][1]) in io.done[:place], io.done[place]
    first_exchange = next(place for place in renamed if io.done[place][1].endswith(".new"))
    journal = next(place for place in renamed if io.done[place][1] == "unfinished")
    assert journal < first_exchange, "what is to be done is written down first"
    flushed_between = [name for what, name in io.done[journal:first_exchange] if what == "flushed"]
    assert any(name.endswith(".saving") for name in flushed_between), "and that it is written down is durable"


def test_another_users_files_in_a_folder_like_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There only their owner may replace them: refused before anything is made."""
    storage = made(tmp_path)
    save = saving(storage)
    changing(storage).parent.chmod(0o1777)
    before = files(storage)
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    with pytest.raises(Refused, match="belongs to another user") as refused:
        save.write()
    assert refused.value.reason == "read-only" and files(storage) == before and not left(storage)
