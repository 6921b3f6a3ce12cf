"""Exchanging many files of a folder as one step.

The new contents wait in a hidden folder next to them, with a second name for each old file and a journal. Once the
journal has its name, the exchange happens, also after a crash: the next save of that session finishes it. Where another
program has written one of the files meanwhile, it is taken back instead.

A folder that somebody sent may hold such a hidden folder, too. So a journal counts only with this user's mark, what it
names is reached without following a link, and who only reads changes nothing.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import msgspec

from toolpair.source.errors import Refused, SaveFailed, UnreadableFile
from toolpair.source.folders.confined import Confined
from toolpair.source.folders.layout import is_inside
from toolpair.source.saving.checks import changed
from toolpair.source.saving.keeping import NO_LINKS
from toolpair.source.saving.own_mark import is_own, mark_of
from toolpair.source.saving.streaming import Step
from toolpair.source.system import O_DIRECTORY, O_NOFOLLOW, SYSTEM, Io

_ROOM: Final = re.compile(r"\.toolpair-[0-9a-f]{16}\.saving\Z")
_JOURNAL: Final = "journal"
_BACK: Final = "back"
"""The journal's name while what was done is taken back."""
_HELD: Final = re.compile(r"(?:\d+\.(?:new|old)|unfinished|journal|back)\Z")
"""What a save has in its room."""
_YOUNG: Final = 60.0
"""Seconds. A new, empty room may not be locked yet."""
_WAITS: Final = 2.0
"""Seconds to wait for another process that saves."""


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
    session: str
    entries: list[_Entry]
    folders: list[str]
    """Those that are made for new files."""


class _Marked(msgspec.Struct, frozen=True):
    """The content of a journal's file."""

    mark: str
    journal: str


def is_saving(name: str) -> bool:
    return _ROOM.match(name) is not None


class _Room:
    """The hidden folder of one save, open and locked, in the folder that it changes. Methods raise OSError."""

    def __init__(self, folder: str, name: str, io: Io) -> None:
        self.files = Confined(folder, io)
        """All files of the folder, those of the room among them: see `path`."""
        try:
            self.name = name
            self._descriptor = io.open(name, os.O_RDONLY | O_DIRECTORY | O_NOFOLLOW, dir_fd=self.files.top)
        except BaseException:
            self.files.close()
            raise

    def close(self) -> None:
        os.close(self._descriptor)
        self.files.close()

    def path(self, name: str) -> str:
        """The path of a file in the room."""
        return f"{self.name}/{name}"

    def new(self, number: int) -> str:
        return self.path(f"{number}.new")

    def old(self, number: int) -> str:
        return self.path(f"{number}.old")

    def lock_soon(self) -> None:
        """Show others that the room is in use, once the process that uses it is done, which takes a moment.
        BlockingIOError when it is not.
        """
        deadline = time.monotonic() + _WAITS
        while True:
            try:
                return self.files.io.flock(self._descriptor)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
            except OSError:
                return None  # no locks on this file system
            time.sleep(0.02)

    def names(self) -> list[str]:
        return os.listdir(self._descriptor)

    def state(self) -> os.stat_result:
        return os.fstat(self._descriptor)

    def clear(self) -> None:
        """Remove it, the journal first: without it the rest means nothing."""
        # Not through the layer that tests inject failures into: this must work after the very call that failed.
        for name in sorted(self.names(), key=lambda one: one not in (_JOURNAL, _BACK)):
            if _HELD.match(name):
                os.unlink(name, dir_fd=self._descriptor)
        os.rmdir(self.name, dir_fd=self.files.top)


class Exchange:
    """What is to be exchanged, prepared. Its methods raise OSError."""

    def __init__(self, room: _Room, session: str) -> None:
        self._room, self._files = room, room.files
        self._states: list[os.stat_result | None] = []
        self._journal = _Journal(session, [], [])
        self._begun = 0
        """How many files may have been exchanged."""
        self.is_done = False
        """Whether all files are the new ones, for good."""
        self.notes: list[str] = []

    def prepare(self, changes: Sequence[FileChange], shown: str) -> None:
        """Write the new contents and compare them; keep the old files. Raises Refused if one is not as expected."""
        folders = dict.fromkeys(change.path.rpartition("/")[0] for change in changes if change.after is not None)
        made = [one for one in folders if one and self._files.stat(one) is None]
        self._journal = _Journal(self._journal.session, [_entry(change) for change in changes], made)
        near = next((change.path for change in changes if change.before is not None), None)
        for number, change in enumerate(changes):
            self._states.append(self._keep(number, change, shown))
            if change.after is not None:
                self._write_new(number, change.after, change.path if change.before is not None else near)

    def _keep(self, number: int, change: FileChange, shown: str) -> os.stat_result | None:
        files, old = self._files, self._room.old(number)
        if change.before is None:
            if files.stat(change.path) is not None:
                raise Refused(changed(shown), "changed")
            return None
        try:
            files.link(change.path, old)
        except FileNotFoundError:
            raise Refused(changed(shown), "changed") from None
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            files.make(old, files.read(change.path), partial(self._take_on, change.path))
        if files.read(change.path) != change.before or files.read(old) != change.before:
            raise Refused(changed(shown), "changed")
        return files.stat(change.path)

    def _write_new(self, number: int, content: bytes, like: str | None) -> None:
        path = self._room.new(number)
        self._files.make(path, content, partial(self._take_on, like) if like is not None else None)
        if self._files.read(path) != content:
            raise OSError(errno.EIO, "what was written is read back differently")

    def _take_on(self, like: str, descriptor: int) -> None:
        """Owner, attributes and mode of another file, as far as the system lets this user set them."""
        io, source = self._files.io, self._files.open(like)
        wanted: dict[str, bytes] = {}
        try:
            found = os.fstat(source)
            with contextlib.suppress(OSError):
                io.fchown(descriptor, found.st_uid, found.st_gid)
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
        files, room = self._files, self._room
        unfinished, journal = room.path("unfinished"), room.path(_JOURNAL)
        files.make(unfinished, _marked(self._journal))
        files.flush(unfinished)
        files.flush(room.name)
        files.rename(unfinished, journal)
        files.flush(journal)
        for number, entry in enumerate(self._journal.entries):
            step("exchange")
            self._refuse_changed(number, entry, shown)
            self._begun = number + 1
            _put(room, number, entry)
        for path in (*_one_of_each_folder(self._journal.entries), *self._journal.folders):
            files.flush(path)

    def _refuse_changed(self, number: int, entry: _Entry, shown: str) -> None:
        # An edit may have kept size and time.
        is_same = _told(self._files.stat(entry.path)) == _told(self._states[number])
        if not is_same or _digest_of(self._files, entry.path) != entry.before:
            raise Refused(changed(shown), "changed")

    def finish(self) -> None:
        """From now on nothing is taken back."""
        journal = self._room.path(_JOURNAL)
        self._files.unlink(journal)
        self.is_done = True
        try:
            self._files.flush(journal)
        except OSError:
            self.notes.append("The system did not confirm that the changes would survive a power cut.")

    def late(self) -> Iterator[bytes]:
        """What other programs have written to the old files since."""
        for number, entry in enumerate(self._journal.entries):
            if entry.before is None:
                continue
            try:
                now = self._files.read(self._room.old(number))
            except FileNotFoundError:
                continue
            except OSError:
                self.notes.append("Whether another program wrote to the session during the save could not be seen.")
                return
            if _digest(now) != entry.before:
                yield now

    def take_back(self) -> None:
        """All as it was, but for what other programs have written."""
        # Not through the layer that tests inject failures into: this must work after the very call that failed.
        self._files.io = SYSTEM
        with contextlib.suppress(FileNotFoundError):
            self._files.rename(self._room.path(_JOURNAL), self._room.path(_BACK))
        _take_back(self._room, self._journal, self._journal.entries[: self._begun])
        self._begun = 0


@contextmanager
def exchanging(folder: str, session: str, shown: str, io: Io = SYSTEM) -> Iterator[Exchange]:
    """A room for an exchange, which is taken back if the body fails. Raises Refused or SaveFailed."""
    name = f".toolpair-{secrets.token_hex(8)}.saving"
    room: _Room | None = None
    found: Exchange | None = None
    ended = True
    try:
        io.make_folder(os.path.join(folder, name))
        room = _Room(folder, name, io)
        room.lock_soon()
        found = Exchange(room, session)
        try:
            yield found
        finally:
            ended = _is_at_an_end(found)
    except OSError as error:
        state = "the changes are in place" if found is not None and found.is_done else "the session is unchanged"
        if not ended:
            state = "what was written is taken back by its next save, or by `toolpair restore`"
        raise SaveFailed(f"Saving {shown} failed ({error.strerror or error}); {state}.") from error
    finally:
        if room is not None:
            if ended:
                with contextlib.suppress(OSError):
                    room.clear()
            room.close()
        else:
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(folder, name))


def _is_at_an_end(found: Exchange) -> bool:
    """Whether it is carried out, or all is as it was."""
    try:
        if not found.is_done:
            found.take_back()
    except OSError:
        return False
    return True


def unfinished_saves(folder: str, session: str | None, shown: str, io: Io = SYSTEM) -> list[str]:
    """A sentence on each killed save of a session (None: of any), which is left as it is.

    Raises Unreadable while another process saves.
    """
    return [said for room in _rooms(folder, shown, io) if (said := _left(room, session, shown)) is not None]


def _left(room: _Room, session: str | None, shown: str) -> str | None:
    journal = _journal_in(room)
    if journal is None or (session is not None and journal[1].session != session):
        return None
    return (
        f"A save of {shown} was killed halfway, so some of its files are new and some old: its next save, or "
        "`toolpair restore`, finishes it or takes it back."
    )


def finish_saves(folder: str, session: str, shown: str, io: Io = SYSTEM) -> list[str]:
    """Finish the killed saves of a session, or take them back. Returns a sentence on each.

    Raises Unreadable while another process saves, and where it cannot be done.
    """
    said = []
    try:
        for room in _rooms(folder, shown, io):
            sentence = _brought_to_an_end(room, session)
            if sentence is not None:
                said.append(sentence)
    except OSError as error:
        raise UnreadableFile(
            f"A save of {shown} was killed halfway, and it cannot be finished ({error.strerror or error}); put that "
            f"right in {folder}, or restore the backup beside it."
        ) from None
    return said


def _rooms(folder: str, shown: str, io: Io) -> Iterator[_Room]:
    """The rooms of killed saves that are this user's, locked. Raises Unreadable while another process saves."""
    try:
        names = sorted(name for name in os.listdir(folder) if is_saving(name))
    except OSError:
        return
    for name in names:
        try:
            room = _Room(folder, name, io)
        except OSError:
            continue  # not a folder, not ours to open, or gone: another process has finished it
        try:
            found = room.state()
            if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
                continue
            room.lock_soon()
            if room.names() or time.time() - found.st_mtime >= _YOUNG:
                yield room
        except BlockingIOError:
            raise UnreadableFile(f"{shown} is being saved by another process; try again when that is done.") from None
        finally:
            room.close()


def _journal_in(room: _Room) -> tuple[str, _Journal] | None:
    """The name and the content of a room's journal; None if there is none that this user's toolpair wrote."""
    name = next((one for one in (_BACK, _JOURNAL) if room.files.stat(room.path(one)) is not None), None)
    if name is None:
        return None
    try:
        marked = msgspec.json.decode(room.files.read(room.path(name)), type=_Marked)
        if not is_own(marked.journal.encode(), marked.mark):
            return None
        return name, msgspec.json.decode(marked.journal, type=_Journal)
    except (msgspec.DecodeError, UnicodeError, OSError):
        return None


def _brought_to_an_end(room: _Room, session: str) -> str | None:
    """Finish what a journal says. Without one nothing has been done, and the room goes."""
    found = _journal_in(room)
    if found is None:
        if not {_BACK, _JOURNAL} & set(room.names()):
            room.clear()
        return None
    name, journal = found
    if journal.session != session:
        return None
    if not all(is_inside(entry.path) for entry in journal.entries):
        raise OSError(errno.EINVAL, "its journal names other files")
    if name == _JOURNAL and all(_is_expected(room, *one) for one in enumerate(journal.entries)):
        for number, entry in enumerate(journal.entries):
            _put(room, number, entry)
        for path in _one_of_each_folder(journal.entries):
            room.files.flush(path)
        said = "A save that was killed halfway has been finished."
    else:
        if name == _JOURNAL:
            room.files.rename(room.path(_JOURNAL), room.path(_BACK))
        _take_back(room, journal, journal.entries)
        said = "A save that was killed halfway has been taken back."
    room.clear()
    return said


def _is_expected(room: _Room, number: int, entry: _Entry) -> bool:
    """Whether a file is as it is after the exchange, or as it was before it and the new content is there."""
    now = _digest_of(room.files, entry.path)
    if now == entry.after:
        return True
    return now == entry.before and entry.after in (None, _digest_of(room.files, room.new(number)))


def _put(room: _Room, number: int, entry: _Entry) -> None:
    """One file of the exchange; nothing if that has happened."""
    if entry.after is None:
        with contextlib.suppress(FileNotFoundError):
            room.files.unlink(entry.path)
    elif room.files.stat(room.new(number)) is not None:
        room.files.rename(room.new(number), entry.path)


def _take_back(room: _Room, journal: _Journal, entries: Sequence[_Entry]) -> None:
    """Each file that the exchange has changed as it was; one that another program has written since stays."""
    for number, entry in enumerate(entries):
        if _digest_of(room.files, entry.path) != entry.after or entry.before == entry.after:
            continue
        if entry.before is None:
            room.files.unlink(entry.path)
        elif _digest_of(room.files, room.old(number)) == entry.before:
            room.files.rename(room.old(number), entry.path)
    for folder in journal.folders:
        with contextlib.suppress(OSError):
            room.files.remove_folder(folder)
    for path in _one_of_each_folder(entries):
        with contextlib.suppress(FileNotFoundError):
            room.files.flush(path)


def _one_of_each_folder(entries: Sequence[_Entry]) -> list[str]:
    """A file of each folder that has some of them."""
    return list({entry.path.rpartition("/")[0]: entry.path for entry in entries}.values())


def _marked(journal: _Journal) -> bytes:
    text = msgspec.json.encode(journal).decode()
    try:
        mark = mark_of(text.encode())
    except OSError:
        mark = ""  # then nobody finishes it but for the process itself; the backup is there
    return msgspec.json.encode(_Marked(mark, text))


def _entry(change: FileChange) -> _Entry:
    return _Entry(change.path, _digest(change.before), _digest(change.after))


def _digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.blake2b(content, digest_size=16).hexdigest()


def _digest_of(files: Confined, path: str) -> str | None:
    try:
        return _digest(files.read(path))
    except FileNotFoundError:
        return None


def _told(found: os.stat_result | None) -> tuple[int, ...] | None:
    if found is None:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
