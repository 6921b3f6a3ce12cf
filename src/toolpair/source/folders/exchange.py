"""Exchanging many files of a folder as one step.

The new contents wait in a hidden folder beside them, with a second name for each old file and a journal. Once the
journal has its name, the exchange happens, also after a crash: whoever opens the folder next finishes it. Where another
program has written one of the files meanwhile, it is taken back instead.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from toolpair.source.errors import Refused, SaveFailed, UnreadableFile
from toolpair.source.folders.layout import is_inside, place, read_file
from toolpair.source.saving.checks import changed
from toolpair.source.saving.keeping import NO_LINKS, flush_directory
from toolpair.source.saving.streaming import write_all
from toolpair.source.system import O_DIRECTORY, O_NOFOLLOW, Io

Step = Callable[[str], None]
_SYSTEM: Final = Io()
_ROOM: Final = re.compile(r"\.toolpair-[0-9a-f]{16}\.saving\Z")
_JOURNAL: Final = "journal"
_BACK: Final = "back"
"""The journal's name while what was done is taken back."""
_YOUNG: Final = 60.0
"""Seconds. A new, empty room may not be locked yet."""
_WAITS: Final = 2.0
"""Seconds to wait for another process that saves."""
_NO_FLUSH: Final = (errno.EINVAL, errno.ENOTSUP)


class FileChange(msgspec.Struct, frozen=True):
    """A file before and after; None: it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


class _Entry(msgspec.Struct, frozen=True):
    """A change in a journal: digests of the contents."""

    path: str
    before: str | None
    after: str | None


class _Journal(msgspec.Struct, frozen=True):
    entries: list[_Entry]
    folders: list[str]
    """Those that are made for new files."""


def is_saving(name: str) -> bool:
    return _ROOM.match(name) is not None


class Exchange:
    """What is to be exchanged, prepared. Its methods raise OSError."""

    def __init__(self, folder: str, room: str, io: Io) -> None:
        self._folder, self._room, self._io = folder, room, io
        self._states: list[os.stat_result | None] = []
        self._journal = _Journal([], [])
        self._begun = 0
        """How many files may have been exchanged."""
        self.is_done = False
        """Whether all files are the new ones, for good."""
        self.notes: list[str] = []

    def prepare(self, changes: Sequence[FileChange], shown: str) -> None:
        """Write the new contents and compare them; keep the old files. Raises Refused if one is not as expected."""
        folders = dict.fromkeys(change.path.rpartition("/")[0] for change in changes if change.after is not None)
        made = [one for one in folders if not os.path.isdir(place(self._folder, one))]
        self._journal = _Journal([_entry(change) for change in changes], made)
        near = next((change.path for change in changes if change.before is not None), None)
        for number, change in enumerate(changes):
            self._states.append(self._keep(number, change, shown))
            if change.after is not None:
                self._write_new(number, change.after, change.path if change.before is not None else near)

    def _keep(self, number: int, change: FileChange, shown: str) -> os.stat_result | None:
        path = place(self._folder, change.path)
        if change.before is None:
            if os.path.lexists(path):
                raise Refused(changed(shown), "changed")
            return None
        old = self._name(number, "old")
        try:
            self._io.link(path, old)
        except FileNotFoundError:
            raise Refused(changed(shown), "changed") from None
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            self._copy(path, old)
        if read_file(path) != change.before or read_file(old) != change.before:
            raise Refused(changed(shown), "changed")
        return os.lstat(path)

    def _copy(self, path: str, copy: str) -> None:
        self._made(copy, read_file(path), path)

    def _write_new(self, number: int, content: bytes, like: str | None) -> None:
        name = self._name(number, "new")
        self._made(name, content, place(self._folder, like) if like is not None else None)
        if read_file(name) != content:
            raise OSError(errno.EIO, "what was written is read back differently")

    def _made(self, name: str, content: bytes, like: str | None) -> None:
        descriptor = self._io.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            write_all(descriptor, content, self._io)
            if like is not None:
                self._take_on(descriptor, like)
            self._io.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _take_on(self, descriptor: int, like: str) -> None:
        """Owner, attributes and mode of another file, as far as the system lets this user set them."""
        io, found = self._io, os.stat(like)
        with contextlib.suppress(OSError):
            io.fchown(descriptor, found.st_uid, found.st_gid)
        source = os.open(like, os.O_RDONLY)
        wanted: dict[str, bytes] = {}
        try:
            with contextlib.suppress(OSError):
                io.copy_metadata(source, descriptor)
                wanted = io.attributes(source)
        finally:
            os.close(source)
        for name, value in wanted.items():
            with contextlib.suppress(OSError):
                io.set_attribute(descriptor, name, value)
        now, permissions = io.fstat(descriptor), stat.S_IMODE(found.st_mode)
        if (now.st_uid, now.st_gid) != (found.st_uid, found.st_gid):
            permissions &= 0o777
            self.notes = ["The owner of the files could not be kept."]
        if now.st_gid != found.st_gid:
            permissions &= 0o707 | (permissions & 0o7) << 3
        io.fchmod(descriptor, permissions)

    def carry_out(self, step: Step, shown: str) -> None:
        """Exchange the files. What fails before the journal is written leaves all as it was. Raises Refused."""
        step("journal")
        temporary = self._path("unfinished")
        self._made(temporary, msgspec.json.encode(self._journal), None)
        self._flush(os.path.join(self._room, ""))
        self._flush(self._room)
        self._io.rename(temporary, self._path(_JOURNAL))
        self._flush(os.path.join(self._room, ""))
        for number, entry in enumerate(self._journal.entries):
            step("exchange")
            self._refuse_changed(number, entry, shown)
            self._begun = number + 1
            _put(self._folder, self._room, number, entry, self._io)
        self._flush_all()

    def _refuse_changed(self, number: int, entry: _Entry, shown: str) -> None:
        before = self._states[number]
        try:
            now: os.stat_result | None = os.lstat(place(self._folder, entry.path))
        except FileNotFoundError:
            now = None
        if _told(now) != _told(before):
            raise Refused(changed(shown), "changed")

    def finish(self) -> None:
        """From now on nothing is taken back."""
        self._io.unlink(self._path(_JOURNAL))
        self.is_done = True
        try:
            self._flush(os.path.join(self._room, ""))
        except OSError:
            self.notes.append("The system did not confirm that the changes would survive a power cut.")

    def late(self) -> Iterator[bytes]:
        """What other programs have written to the old files since."""
        for number, before in enumerate(self._states):
            name = self._name(number, "old")
            if before is not None and os.path.lexists(name):
                now = os.lstat(name)
                if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                    yield read_file(name)

    def take_back(self, io: Io) -> None:
        """All as it was, but for what other programs have written."""
        with contextlib.suppress(FileNotFoundError):
            io.rename(self._path(_JOURNAL), self._path(_BACK))
        _take_back(self._folder, self._room, self._journal, self._journal.entries[: self._begun], io)
        self._begun = 0

    def _flush_all(self) -> None:
        for folder in dict.fromkeys(entry.path.rpartition("/")[0] for entry in self._journal.entries):
            self._flush(os.path.join(place(self._folder, folder), ""))
        for folder in self._journal.folders:
            self._flush(place(self._folder, folder))

    def _flush(self, path: str) -> None:
        """Make the names beside a path durable; those in it if it ends with a slash."""
        _flush(path, self._io)

    def _path(self, name: str) -> str:
        return os.path.join(self._room, name)

    def _name(self, number: int, what: str) -> str:
        return self._path(f"{number}.{what}")


@contextmanager
def exchanging(folder: str, shown: str, io: Io = _SYSTEM) -> Iterator[Exchange]:
    """A room for an exchange, which is taken back if the body fails. Raises Refused or SaveFailed."""
    room = os.path.join(folder, f".toolpair-{secrets.token_hex(8)}.saving")
    found = Exchange(folder, room, io)
    lock = -1
    try:
        io.make_folder(room)
        lock = _locked(room, io)
        yield found
    except OSError as error:
        state = "the changes are in place" if found.is_done else "the session is unchanged"
        if not _is_at_an_end(found):
            state = "what was written is taken back when toolpair opens it again"
        raise SaveFailed(f"Saving {shown} failed ({error.strerror or error}); {state}.") from error
    finally:
        if _is_at_an_end(found):
            with contextlib.suppress(OSError):
                _clear(room)
        if lock >= 0:
            os.close(lock)


def _locked(room: str, io: Io) -> int:
    """A descriptor that shows others that the room is in use. BlockingIOError when it is; -1 without such locks."""
    try:
        lock = io.open(room, os.O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    except PermissionError:
        return -1  # Windows opens no folders
    try:
        io.flock(lock)
    except BlockingIOError:
        os.close(lock)
        raise
    except OSError:
        pass  # no locks on this file system
    return lock


def _locked_soon(room: str, io: Io) -> int:
    """As `_locked`, when the process that uses the room is done, which takes a moment."""
    deadline = time.monotonic() + _WAITS
    while True:
        try:
            return _locked(room, io)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _is_at_an_end(found: Exchange) -> bool:
    """Whether it is carried out, or all is as it was."""
    # Not through the layer that tests inject failures into: this must work after the very call that failed.
    try:
        if not found.is_done:
            found.take_back(_SYSTEM)
    except OSError:
        return False
    return True


def finish_saves(folder: str, shown: str, io: Io = _SYSTEM) -> list[str]:
    """Finish the saves that were killed, or take them back. Returns a sentence on each.

    Raises Unreadable while another process saves, and where it cannot be done.
    """
    try:
        rooms = sorted(name for name in os.listdir(folder) if is_saving(name))
    except OSError:
        return []
    return [said for name in rooms if (said := _finished(folder, os.path.join(folder, name), shown, io)) is not None]


def _finished(folder: str, room: str, shown: str, io: Io) -> str | None:
    lock = -1
    try:
        lock = _locked_soon(room, io)
        if not os.listdir(room) and time.time() - os.stat(room).st_mtime < _YOUNG:
            return None
        said = _brought_to_an_end(folder, room, io)
        _clear(room)
        return said
    except BlockingIOError:
        raise UnreadableFile(f"{shown} is being saved by another process; try again when that is done.") from None
    except OSError as error:
        if not os.path.lexists(room):
            return None  # another process has done it
        raise UnreadableFile(_stuck(shown, folder, error)) from None
    finally:
        if lock >= 0:
            os.close(lock)


def _stuck(shown: str, folder: str, error: OSError) -> str:
    return (
        f"A save of {shown} was killed half way, and it cannot be finished ({error.strerror or error}); make {folder} "
        "writable and open it again."
    )


def _brought_to_an_end(folder: str, room: str, io: Io) -> str | None:
    """Finish what a journal says. Without one nothing has been done."""
    name = next((one for one in (_BACK, _JOURNAL) if os.path.lexists(os.path.join(room, one))), None)
    if name is None:
        return None
    try:
        journal = msgspec.json.decode(read_file(os.path.join(room, name)), type=_Journal)
    except msgspec.DecodeError:
        raise OSError(errno.EINVAL, "its journal cannot be read") from None
    if not all(is_inside(entry.path) for entry in journal.entries):
        raise OSError(errno.EINVAL, "its journal names other files")
    if name == _JOURNAL and all(_is_expected(folder, entry) for entry in journal.entries):
        for number, entry in enumerate(journal.entries):
            _put(folder, room, number, entry, io)
        for above in dict.fromkeys(entry.path.rpartition("/")[0] for entry in journal.entries):
            _flush(os.path.join(place(folder, above), ""), io)
        said = "A save that was killed half way has been finished."
    else:
        if name == _JOURNAL:
            io.rename(os.path.join(room, _JOURNAL), os.path.join(room, _BACK))
        _take_back(folder, room, journal, journal.entries, io)
        said = "A save that was killed half way has been taken back."
    return said


def _is_expected(folder: str, entry: _Entry) -> bool:
    """Whether a file is as it was before the exchange or as it is after it."""
    return _digest_of(place(folder, entry.path)) in (entry.before, entry.after)


def _put(folder: str, room: str, number: int, entry: _Entry, io: Io) -> None:
    """One file of the exchange; nothing if that has happened."""
    path, new = place(folder, entry.path), os.path.join(room, f"{number}.new")
    if entry.after is None:
        with contextlib.suppress(FileNotFoundError):
            io.unlink(path)
    elif os.path.lexists(new):
        with contextlib.suppress(FileExistsError):
            io.make_folder(os.path.dirname(path), _mode_beside(os.path.dirname(path)))
        io.rename(new, path)


def _mode_beside(folder: str) -> int:
    return stat.S_IMODE(os.stat(os.path.dirname(folder)).st_mode)


def _take_back(folder: str, room: str, journal: _Journal, entries: Sequence[_Entry], io: Io) -> None:
    """Each file that the exchange has changed as it was; one that another program has written since stays."""
    for number, entry in enumerate(entries):
        path, old = place(folder, entry.path), os.path.join(room, f"{number}.old")
        if _digest_of(path) != entry.after or entry.before == entry.after:
            continue
        if entry.before is None:
            io.unlink(path)
        elif os.path.lexists(old):
            io.rename(old, path)
    for above in journal.folders:
        with contextlib.suppress(OSError):
            io.remove_folder(place(folder, above))
    for above in dict.fromkeys(entry.path.rpartition("/")[0] for entry in entries):
        with contextlib.suppress(FileNotFoundError):
            _flush(os.path.join(place(folder, above), ""), io)


def _clear(room: str) -> None:
    """Remove the room, the journal first: without it the rest means nothing."""
    names = os.listdir(room)
    for name in sorted(names, key=lambda one: one not in (_JOURNAL, _BACK)):
        os.unlink(os.path.join(room, name))
    os.rmdir(room)


def _flush(path: str, io: Io) -> None:
    try:
        flush_directory(path, io)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise


def _entry(change: FileChange) -> _Entry:
    return _Entry(change.path, _digest(change.before), _digest(change.after))


def _digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.blake2b(content, digest_size=16).hexdigest()


def _digest_of(path: str) -> str | None:
    try:
        return _digest(read_file(path))
    except FileNotFoundError:
        return None


def _told(found: os.stat_result | None) -> tuple[int, ...] | None:
    if found is None:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
