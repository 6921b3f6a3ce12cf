"""Files of a folder, reached so that nothing that lies in it can lead a write elsewhere.

A path is opened component by component: no link is followed, and each folder on the way has the device and the owner
of the top one. That needs calls that take a descriptor of a folder, which Windows lacks.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from toolpair.source.saving.keeping import flush_names
from toolpair.source.saving.streaming import write_all
from toolpair.source.system import O_DIRECTORY, O_NOFOLLOW, O_WAITLESS, Io


class Confined:
    """The files below a folder, by their paths with slashes. Methods raise OSError."""

    def __init__(self, top: str, io: Io) -> None:
        if os.open not in os.supports_dir_fd:
            raise OSError(errno.ENOTSUP, "this system opens no file by way of its folder")
        self.io = io
        self.top = io.open(top, os.O_RDONLY | O_DIRECTORY)
        self._is = os.fstat(self.top)
        self._owners = {self._is.st_uid, os.geteuid()}  # what root makes in a user's folder is root's

    def close(self) -> None:
        os.close(self.top)

    @contextmanager
    def above(self, path: str, make: bool = False) -> Iterator[tuple[int, str]]:
        """A descriptor of the folder that a file is in, and the file's name in it. `make`: the folder may be new."""
        *folders, name = path.split("/")
        if any(one in ("", ".", "..") for one in (*folders, name)):
            raise OSError(errno.EINVAL, f"{path} leads out of the folder")
        here, opened = self.top, []
        try:
            for folder in folders:
                if make:
                    with suppress(FileExistsError):
                        self.io.make_folder(folder, stat.S_IMODE(os.fstat(here).st_mode), dir_fd=here)
                here = self._entered(folder, here, path)
                opened.append(here)
            yield here, name
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _entered(self, folder: str, parent: int, path: str) -> int:
        try:
            descriptor = self.io.open(folder, os.O_RDONLY | O_DIRECTORY | O_NOFOLLOW, dir_fd=parent)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise OSError(error.errno, f"{folder} in {path} is a link or a file, not a folder") from None
            raise
        found = os.fstat(descriptor)
        if found.st_dev != self._is.st_dev or found.st_uid not in self._owners:
            os.close(descriptor)
            raise OSError(errno.EXDEV, f"{folder} in {path} is on another disk, or another user's")
        return descriptor

    def stat(self, path: str) -> os.stat_result | None:
        """What a path names, a link as the link; None if nothing."""
        try:
            with self.above(path) as (folder, name):
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, path: str) -> int:
        """A regular file of the top folder's owner, for reading."""
        with self.above(path) as (folder, name):
            descriptor = self.io.open(name, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS, dir_fd=folder)
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid not in self._owners:
            os.close(descriptor)
            raise OSError(errno.EPERM, f"{path} is not a regular file of the folder's owner")
        return descriptor

    def read(self, path: str) -> bytes:
        with os.fdopen(self.open(path), "rb") as file:
            return file.read()

    def make(self, path: str, content: bytes, take_on: Callable[[int], None] | None = None) -> None:
        """A new file that survives a power cut; `take_on` gives its descriptor what another one has."""
        with self.above(path) as (folder, name):
            descriptor = self.io.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        try:
            write_all(descriptor, content, self.io)
            if take_on is not None:
                take_on(descriptor)
            self.io.fsync(descriptor)
        finally:
            os.close(descriptor)

    def unlink(self, path: str) -> None:
        with self.above(path) as (folder, name):
            self.io.unlink(name, dir_fd=folder)

    def remove_folder(self, path: str) -> None:
        with self.above(path) as (folder, name):
            self.io.remove_folder(name, dir_fd=folder)

    def rename(self, old: str, new: str) -> None:
        """Give a file another path, whose folder may be new."""
        with self.above(old) as (source, name), self.above(new, make=True) as (folder, last):
            self.io.rename(name, last, src_dir_fd=source, dst_dir_fd=folder)

    def link(self, path: str, other: str) -> None:
        """Give a file a second path."""
        with self.above(path) as (source, name), self.above(other) as (folder, last):
            self.io.link(name, last, src_dir_fd=source, dst_dir_fd=folder)

    def flush(self, path: str) -> None:
        """Make the names in the folder of a file durable."""
        with self.above(path) as (folder, _):
            flush_names(folder, self.io)
