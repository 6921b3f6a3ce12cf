"""The temporary file next to the target that receives the new content: written, flushed, compared, renamed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from typing import Final

from toolpair.source.byte_runs import Piece
from toolpair.source.fingerprint import Identity
from toolpair.source.saving.file_names import temporary_name
from toolpair.source.saving.leases import Leased
from toolpair.source.saving.made import Made, stat_or_none
from toolpair.source.saving.streaming import Differs, Progress, Source, Stream, last_line
from toolpair.source.system import O_APPEND_FIRST, RENAMES_OPEN_FILES, Io

_NO_EXCHANGE: Final = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
_ACL: Final = "system.posix_acl_"


class Temporary:
    """A file of mode 0600, locked so that no other save sweeps it away. Its methods raise OSError."""

    def __init__(self, folder: str, made: Made, io: Io) -> None:
        self._io = io
        self._made = made
        self.name = temporary_name(folder)
        self.size = 0
        made.names.append(self.name)
        self.descriptor = io.open(self.name, os.O_RDWR | os.O_CREAT | os.O_EXCL | O_APPEND_FIRST, 0o600)
        made.descriptors.append(self.descriptor)
        self._lease = Leased(self.descriptor, io)
        self._guarded = False
        found = io.fstat(self.descriptor)
        made.inode = self._inode = _inode(found)
        try:
            io.flock(self.descriptor)
        except OSError:
            pass  # no locks on this file system, so nobody sweeps there either

    def write(self, pieces: Iterable[Piece], source: Source | None, progress: Progress | None = None) -> None:
        """Write the content and compare it. Later bytes are only appended; nothing is flushed yet."""
        stream = Stream(self.descriptor, self._io, progress=progress)
        stream.write(pieces, source)
        if self._io.fstat(self.descriptor).st_size != stream.size:
            raise Differs
        self.size = stream.size
        # Without a lease, others may open the new file early: then append only, so as to overwrite nothing of theirs.
        self._io.append_only(self.descriptor)

    def append(self, pieces: Iterable[Piece], source: Source) -> None:
        """Append bytes, flush them to the disk, read them back and compare."""
        stream = Stream(self.descriptor, self._io, self.size, shares=False)
        stream.write(pieces, source)
        self.size = stream.size
        self.flush()

    def flush(self) -> None:
        """Flush to disk. Only once: after a failure a second fsync may report success for data that was dropped."""
        self._io.fsync(self.descriptor)

    def last_line(self) -> bytes:
        """The bytes after the last line end; all of them when there is none."""
        return last_line(self.descriptor, self.size, self._io)

    def take_on(self, like: os.stat_result, source: int) -> list[str]:
        """Copy owner, ACLs, attributes and mode from `like`, open as `source`. Returns notes on what was not kept."""
        io, notes = self._io, list[str]()
        now = io.fstat(self.descriptor)
        owner, group = self._take_owner(now, like)
        if not (owner and group):
            gone = "group" if owner else "owner" if group else "owner and the group"
            notes.append(f"The file's {gone} could not be kept.")
        if lost := self._copy_attributes(source):
            notes.append(f"These attributes of the file could not be kept: {', '.join(lost)}.")
        permissions = stat.S_IMODE(like.st_mode)
        # Under another owner or group, set-id bits would grant rights that nobody granted, and so would the old group's
        # bits: a different group gets only what everybody has.
        if not (owner and group):
            permissions &= 0o777
        if not group:
            permissions &= 0o707 | (permissions & 0o7) << 3
        self.set_mode(permissions)
        return notes

    def _take_owner(self, now: os.stat_result, like: os.stat_result) -> tuple[bool, bool]:
        """Set the owner and group of `like`, or the group alone if only that is permitted. Returns which ones match
        now.
        """
        owner, group = now.st_uid == like.st_uid, now.st_gid == like.st_gid
        if owner and group:
            return True, True
        try:
            self._io.fchown(self.descriptor, like.st_uid, like.st_gid)
            return True, True
        except OSError:
            if group or owner:
                return owner, group
        try:
            self._io.fchown(self.descriptor, -1, like.st_gid)
            return False, True
        except OSError:
            return False, False

    def set_mode(self, mode: int) -> None:
        self._io.fchmod(self.descriptor, stat.S_IMODE(mode))

    def _copy_attributes(self, source: int) -> list[str]:
        """Copy the attributes. Returns the names of those that could not be copied."""
        io, lost = self._io, list[str]()
        try:
            io.copy_metadata(source, self.descriptor)
            wanted, present = io.attributes(source), io.attributes(self.descriptor)
        except OSError as error:
            return [] if error.errno in (errno.ENOTSUP, errno.ENOSYS) else ["ACLs and extended attributes"]
        for name, value in wanted.items():
            if present.get(name) != value:
                try:
                    io.set_attribute(self.descriptor, name, value)
                except OSError:
                    lost.append(name)
        # A folder's default ACL gives new files rights that the old one did not grant.
        for name in present.keys() - wanted.keys():
            if name.startswith(_ACL):
                try:
                    io.remove_attribute(self.descriptor, name)
                except OSError:
                    lost.append(f"{name} (it had none)")
        return lost

    def cut_back(self, size: int, most: int) -> None:
        """Remove what a failed append wrote after `size`, unless it is more than `most` bytes: then others wrote as
        well.
        """
        self.size = size
        if self._io.fstat(self.descriptor).st_size <= size + most:
            self._io.truncate(self.descriptor, size)

    def give_name(self, path: str, instead: os.stat_result | None = None) -> bool:
        """Rename to `path` atomically. Where leases work, whoever opens it waits until `release`.

        False, with everything as before, when the file of that name is not `instead` but one that took its place.
        """
        if RENAMES_OPEN_FILES:
            self._guarded = self._lease.take("write") == "granted"
        else:
            self._made.close(self.descriptor)
        if instead is None:
            self._io.rename(self.name, path)
            return True
        # In the end the temporary name is removed, unless it may be another program's file.
        self._made.names.remove(self.name)
        ours = False
        try:
            if not self._exchange(path):
                self._io.rename(self.name, path)
                ours = True
            elif os.path.samestat(self._io.stat(self.name), instead):
                ours = True
            else:
                self._io.exchange(self.name, path)
                return False
            return True
        finally:
            there = None if ours else stat_or_none(self.name)
            if ours or (there is not None and (os.path.samestat(there, instead) or _inode(there) == self._inode)):
                self._made.names.append(self.name)

    def _exchange(self, path: str) -> bool:
        try:
            self._io.exchange(self.name, path)
        except OSError as error:
            if error.errno in _NO_EXCHANGE:
                return False
            raise
        return True

    def release(self) -> None:
        if self._guarded:
            self._lease.drop()
            self._guarded = False

    def is_called(self, path: str) -> bool:
        found = stat_or_none(path)
        return found is not None and _inode(found) == self._inode

    def identity(self, path: str) -> Identity:
        """The identity of the file under its final name, taken after the rename, which changes its ctime.

        If the file no longer holds what was written, it is an identity that no file has, so that the next save compares
        contents.
        """
        try:
            found = self._io.stat(path)
            if _inode(found) == self._inode and found.st_size == self.size:
                return Identity.of(found)
        except OSError:
            pass
        return Identity(*self._inode, self.size, 0, 0)


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
