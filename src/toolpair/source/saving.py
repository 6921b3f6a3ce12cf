"""Saving so that at any instant the file is the old one or the new one.

The new bytes go to a temporary file beside the target, are flushed and read back, and take the target's name
in one step. What toolpair leaves besides the output never ends in .json or .jsonl: agents list those.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.opening import Identity, Snapshot
from toolpair.source.system import Io

_PIECE: Final = 1 << 20
_BACKUP = re.compile(r"\.toolpair-(\d{8}-\d{6})(?:-(\d+))?\.bak\Z")
_SYSTEM: Final = Io()


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What was written where. `identity` is the new file's, to check it before the next save."""

    path: Path
    backup: Path | None
    notes: tuple[str, ...]
    identity: Identity


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy that a save left."""

    path: Path
    time: datetime
    size: int


def save_in_place(
    snapshot: Snapshot,
    chunks: Iterable[bytes],
    *,
    now: datetime | None = None,
    io: Io = _SYSTEM,
    allow_links: bool = False,
) -> SaveResult:
    """Replace the file that `snapshot` was read from and keep the old one as a backup.

    Raises Refused (nothing was written) or SaveFailed (the text says which state the file is in).
    """
    if snapshot.path is None or snapshot.identity is None:
        raise Refused("There is no file to save to, because it came from standard input; save it under a name.")
    path = str(snapshot.path)
    target = _check_target(path, snapshot, io, allow_links)
    notes: list[str] = []
    if target.st_nlink > 1 and not _links_are_ours(path, target):
        notes.append(f"{snapshot.shown} had other names (hard links); they still hold the old content.")
    with _undone_on_failure(path, io) as made:
        temporary, identity = _write_beside(path, chunks, target, notes, made, io)
        guard = _open_or_none(path, io)
        if guard is not None:
            made.descriptors.append(guard)
            if io.writer_holds(guard):
                raise Refused(
                    f"Another program has {snapshot.shown} open for writing; end it and try again, "
                    "or save under a new name."
                )
        _refuse_changed(snapshot.shown, snapshot.identity, io.stat(path))
        backup = _keep_old(path, target, now, made, notes, io)
        before = io.stat(path)
        # The backup's link has moved ctime; all else must be as it was.
        if (before.st_dev, before.st_ino, before.st_size, before.st_mtime_ns) != (
            target.st_dev,
            target.st_ino,
            target.st_size,
            target.st_mtime_ns,
        ):
            raise Refused(_changed(snapshot.shown))
        io.rename(temporary, path)
        made.done = True
        _flush_directory(path, notes, io)
        if guard is not None and _grew(guard, target.st_size, io):
            notes.append(
                "Another program wrote to the old file while it was saved; what it wrote is in "
                f"{os.path.basename(backup)}."
            )
        identity = _identity(path, identity, io)
    return SaveResult(Path(path), Path(backup), tuple(notes), identity)


def save_as(
    path: str | os.PathLike[str],
    chunks: Iterable[bytes],
    force: bool = False,
    mode: int | None = None,
    *,
    io: Io = _SYSTEM,
) -> SaveResult:
    """Write a new file; an existing one only with `force`. `mode` is 0600 when None."""
    shown = os.fspath(path)
    target = os.path.realpath(shown)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise Refused(f"The directory of {shown} does not exist; create it or give another name.")
    existing = _stat_or_none(target)
    if existing is not None and not stat.S_ISREG(existing.st_mode):
        raise Refused(f"{shown} is no regular file; give another name.")
    if existing is not None and not force:
        raise Refused(_exists(shown))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"The directory of {shown} may not be written by this user; give another name.")
    notes: list[str] = []
    with _undone_on_failure(target, io) as made:
        temporary, identity = _write_beside(target, chunks, existing, notes, made, io, mode)
        if existing is not None:
            io.rename(temporary, target)
        else:
            _name_without_clobber(temporary, target, shown, force, io)
        made.done = True
        _flush_directory(target, notes, io)
        identity = _identity(target, identity, io)
    return SaveResult(Path(target), None, tuple(notes), identity)


def backups(path: str | os.PathLike[str]) -> list[Backup]:
    """The backups beside a file, the newest first."""
    target = Path(os.path.realpath(path))
    found: list[tuple[datetime, int, Backup]] = []
    try:
        names = os.listdir(target.parent)
    except OSError:
        return []
    for name in names:
        match = _BACKUP.search(name)
        if match is None or name[: match.start()] != target.name:
            continue
        try:
            time = datetime.strptime(match.group(1), "%Y%m%d-%H%M%S")
            size = os.stat(target.parent / name).st_size
        except (ValueError, OSError):
            continue
        found.append((time, int(match.group(2) or 1), Backup(target.parent / name, time, size)))
    return [backup for _, _, backup in sorted(found, key=lambda entry: entry[:2], reverse=True)]


def restore(
    path: str | os.PathLike[str],
    backup: Backup | str | os.PathLike[str],
    *,
    now: datetime | None = None,
    io: Io = _SYSTEM,
) -> SaveResult:
    """Put a backup back in the file's place; the present file, if any, becomes a backup itself."""
    source = os.fspath(backup.path if isinstance(backup, Backup) else backup)
    shown = os.fspath(path)
    kept = _stat_or_none(source)
    if kept is None or not stat.S_ISREG(kept.st_mode):
        raise Refused(f"{source} is no backup that can be read; choose another one.")
    target = os.path.realpath(shown)
    found = _stat_or_none(target)
    if found is None:
        return save_as(target, _file_chunks(source, io), mode=stat.S_IMODE(kept.st_mode), io=io)
    identity = Identity.of(found)
    snapshot = Snapshot(Path(target), shown, b"", identity, stat.S_IMODE(found.st_mode))
    return save_in_place(snapshot, _file_chunks(source, io), now=now, io=io)


# Checks


def _check_target(path: str, snapshot: Snapshot, io: Io, allow_links: bool) -> os.stat_result:
    shown = snapshot.shown
    try:
        found = io.stat(path)
    except FileNotFoundError:
        raise Refused(f"{shown} is gone since it was opened; save under a new name.") from None
    except OSError as error:
        raise SaveFailed(f"{shown} cannot be looked at ({error.strerror}); it is unchanged.") from None
    if snapshot.identity is not None:
        _refuse_changed(shown, snapshot.identity, found)
    if not found.st_mode & 0o222:
        raise Refused(f"{shown} is read-only; make it writable, or save under a new name.")
    if not os.access(path, os.W_OK):
        raise Refused(f"{shown} may not be written by this user; save under a new name.")
    if not os.access(os.path.dirname(path), os.W_OK | os.X_OK):
        raise Refused(f"The directory of {shown} may not be written by this user; save under a new name.")
    if found.st_nlink > 1 and not allow_links and not _links_are_ours(path, found):
        raise Refused(f"{shown} has other names (hard links) that would keep the old content; save under a new name.")
    return found


def _links_are_ours(path: str, found: os.stat_result) -> bool:
    """Whether the other names are backups of ours, as an interrupted save leaves one."""
    own = 0
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    for other in names:
        match = _BACKUP.search(other)
        if match is not None and other[: match.start()] == name:
            entry = _stat_or_none(os.path.join(folder, other))
            own += entry is not None and (entry.st_dev, entry.st_ino) == (found.st_dev, found.st_ino)
    return found.st_nlink == own + 1


def _refuse_changed(shown: str, identity: Identity, found: os.stat_result) -> None:
    if Identity.of(found) != identity:
        raise Refused(_changed(shown))


def _changed(shown: str) -> str:
    return f"{shown} has changed since it was opened; open it again, or save under a new name."


def _exists(shown: str) -> str:
    return f"{shown} exists; give another name, or allow it to be replaced (--force)."


# Steps


class _Made:
    """What a save has made so far, to be taken away when it does not come to its end."""

    def __init__(self) -> None:
        self.temporary: str | None = None
        self.backup: str | None = None
        self.inode: tuple[int, int] | None = None
        self.descriptors: list[int] = []
        self.done = False


@contextmanager
def _undone_on_failure(path: str, io: Io) -> Iterator[_Made]:
    """Clean up after the body, whatever ended it; turn system errors into SaveFailed."""
    made = _Made()
    try:
        yield made
    except OSError as error:
        done = _is_in_place(path, made)
        state = "the new content is in place" if done else "the file is unchanged"
        name = os.path.basename(path)
        raise SaveFailed(f"Saving {name} failed ({error.strerror or error}); {state}.") from error
    finally:
        for descriptor in made.descriptors:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        done = _is_in_place(path, made)
        # Not through `io`: cleaning up has to work after the very call that failed.
        if made.temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(made.temporary)
        if made.backup is not None and not done:
            with contextlib.suppress(OSError):
                os.unlink(made.backup)


def _is_in_place(path: str, made: _Made) -> bool:
    if made.done:
        return True
    found = _stat_or_none(path)
    return found is not None and made.inode is not None and (found.st_dev, found.st_ino) == made.inode


def _write_beside(
    path: str,
    chunks: Iterable[bytes],
    like: os.stat_result | None,
    notes: list[str],
    made: _Made,
    io: Io,
    mode: int | None = None,
) -> tuple[str, Identity]:
    """Write a temporary file beside `path` that lacks nothing but the name."""
    name = os.path.join(os.path.dirname(path), f".toolpair-{secrets.token_hex(8)}.tmp")
    made.temporary = name
    descriptor = io.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    made.descriptors.append(descriptor)
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
        _write_all(descriptor, chunk, io)
    _take_on(path, descriptor, like, mode, notes, io)
    io.fsync(descriptor)
    _read_back(name, digest.digest(), size, made, io)
    found = io.fstat(descriptor)
    made.inode = (found.st_dev, found.st_ino)
    made.descriptors.remove(descriptor)
    io.close(descriptor)
    return name, Identity.of(found)


def _write_all(descriptor: int, chunk: bytes, io: Io) -> None:
    view = memoryview(chunk)
    while view:
        written = io.write(descriptor, view[:_PIECE])
        if written <= 0:
            raise OSError(errno.EIO, "nothing was written")
        view = view[written:]


def _take_on(
    path: str, descriptor: int, like: os.stat_result | None, mode: int | None, notes: list[str], io: Io
) -> None:
    """Owner, mode and attributes of the old file; what cannot be kept is noted."""
    if like is None:
        io.fchmod(descriptor, 0o600 if mode is None else stat.S_IMODE(mode))
        return
    now = io.fstat(descriptor)
    kept_owner = True
    if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid):
        try:
            io.fchown(descriptor, like.st_uid, like.st_gid)
        except OSError:
            kept_owner = False
            notes.append("The owner or group of the file could not be kept.")
    permissions = stat.S_IMODE(like.st_mode)
    # With another owner or group the set-id bits would give away rights that nobody granted.
    io.fchmod(descriptor, permissions if kept_owner else permissions & 0o777)
    try:
        io.copy_xattrs(path, descriptor)
    except OSError as error:
        if error.errno not in (errno.ENOTSUP, errno.ENODATA):
            notes.append("The extended attributes of the file could not be kept.")


def _read_back(name: str, digest: bytes, size: int, made: _Made, io: Io) -> None:
    descriptor = io.open(name, os.O_RDONLY)
    made.descriptors.append(descriptor)
    again, length = hashlib.sha256(), 0
    while piece := io.read(descriptor, _PIECE):
        again.update(piece)
        length += len(piece)
    if (length, again.digest()) != (size, digest):
        raise OSError(errno.EIO, "what was written reads back differently")
    made.descriptors.remove(descriptor)
    io.close(descriptor)


def _keep_old(path: str, target: os.stat_result, now: datetime | None, made: _Made, notes: list[str], io: Io) -> str:
    """Give the old file a second name, or copy it where links are not possible. Never clobbers."""
    stamp = (now or datetime.now()).strftime("%Y%m%d-%H%M%S")
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        name = f"{path}.toolpair-{stamp}{suffix}.bak"
        if not os.path.lexists(name):
            made.backup = name
            try:
                io.link(path, name)
                return name
            except FileExistsError:
                made.backup = None
            except OSError as error:
                # Some network file systems make the link and report a failure: then it is taken away again.
                there = _stat_or_none(name)
                if there is None or there.st_ino != target.st_ino:
                    made.backup = None
                if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EACCES):
                    raise
                _copy(path, name, target, made, io)
                return name
        number += 1


def _copy(path: str, name: str, target: os.stat_result, made: _Made, io: Io) -> None:
    if os.path.lexists(name):
        raise FileExistsError(errno.EEXIST, "the backup's name is taken")
    made.backup = name
    descriptor = io.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    made.descriptors.append(descriptor)
    for chunk in _file_chunks(path, io):
        _write_all(descriptor, chunk, io)
    io.fchmod(descriptor, stat.S_IMODE(target.st_mode))
    io.fsync(descriptor)


def _name_without_clobber(temporary: str, target: str, shown: str, force: bool, io: Io) -> None:
    try:
        io.link(temporary, target)
        return
    except FileExistsError:
        if not force:
            raise Refused(_exists(shown)) from None
        io.rename(temporary, target)
        return
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EACCES):
            raise
    # No links on this file system: an empty file takes the name first, so that nothing is overwritten.
    try:
        descriptor = io.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Refused(_exists(shown)) from None
    try:
        os.close(descriptor)
        io.rename(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            if os.stat(target).st_size == 0:
                os.unlink(target)
        raise


def _flush_directory(path: str, notes: list[str], io: Io) -> None:
    """Make the new name durable; from here on the save has happened, so that a failure is a note."""
    try:
        descriptor = io.open(os.path.dirname(path), os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            io.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            notes.append(
                "The new content is in place, but the system did not confirm that it would survive a power cut."
            )


def _grew(descriptor: int, size: int, io: Io) -> bool:
    try:
        return io.fstat(descriptor).st_size != size
    except OSError:
        return False


def _identity(path: str, written: Identity, io: Io) -> Identity:
    """The identity under the final name: taking the name moved ctime."""
    try:
        found = io.stat(path)
    except OSError:
        return written
    return Identity.of(found) if (found.st_dev, found.st_ino) == (written.dev, written.ino) else written


def _open_or_none(path: str, io: Io) -> int | None:
    try:
        return io.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except PermissionError:
        return None


def _stat_or_none(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _file_chunks(path: str, io: Io) -> Iterator[bytes]:
    descriptor = io.open(path, os.O_RDONLY)
    try:
        while piece := io.read(descriptor, _PIECE):
            yield piece
    finally:
        os.close(descriptor)
