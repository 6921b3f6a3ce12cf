"""The system calls that saving makes, in one place, so that a test can make each of them fail.

A call that a system lacks (Windows has no fcntl, macOS no leases) raises OSError with ENOTSUP, or does nothing.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal

_F_FULLFSYNC: Final = 51
_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
_COPYFILE_ACL_AND_XATTR: Final = 1 << 0 | 1 << 2
_FICLONERANGE: Final = 0x4020940D
_SYNC_FILE_RANGE_WRITE: Final = 2

FLAGS: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags for every open: close on exec, and binary mode."""
O_WAITLESS: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags so that opening never blocks on a pipe and never acquires a terminal."""
O_NOFOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
O_DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0)
RENAMES_OPEN_FILES: Final = os.name != "nt"

Lease = Literal["read", "write", "none"]

_LEASED: Final = 2.0
"""Seconds to wait for a file that another program holds a lease on, as a save does at its end."""


def open_leased(opened: Callable[[], int]) -> int:
    """The result of `opened`, retried while the file is leased: with O_WAITLESS, opening fails instead of waiting."""
    deadline = time.monotonic() + _LEASED
    while True:
        try:
            return opened()
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_fcntl: Final[Any] = _optional("fcntl")
O_APPEND_FIRST: Final = 0 if _fcntl is not None else os.O_APPEND
"""Flags for opening a file for `Io.append_only`, on systems where only opening can set this."""
_LEASES: Final[dict[str, int]] = (
    {"read": _fcntl.F_RDLCK, "write": _fcntl.F_WRLCK, "none": _fcntl.F_UNLCK}
    if hasattr(_fcntl, "F_SETLEASE") and hasattr(_fcntl, "F_SETSIG")
    else {}
)


_FS_IOC_GETFLAGS: Final = 0x80086601
_KEEPS_NAMES: Final = 0x10 | 0x20
"""Immutable, append-only."""


def keeps_names(path: str) -> bool:
    """Whether an attribute forbids even root to replace a file, or to rename and remove what is in a folder."""
    if _fcntl is None or sys.platform != "linux":
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS)
    except OSError:
        return False
    try:
        found = _fcntl.ioctl(descriptor, _FS_IOC_GETFLAGS, bytes(8))
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return bool(int.from_bytes(found[:4], sys.byteorder) & _KEEPS_NAMES)


def _unsupported(what: str) -> OSError:
    return OSError(errno.ENOTSUP, f"no {what} on this system")


def _linux_call(name: str) -> Any:
    """A system call that Python does not wrap; None elsewhere and where the C library lacks it."""
    library = _c_library() if sys.platform == "linux" else None
    return getattr(library, name, None)


def _c_library() -> Any:
    ctypes = _optional("ctypes")
    return ctypes.CDLL(None, use_errno=True) if ctypes is not None else None


def _errno() -> int:
    import ctypes

    return ctypes.get_errno()


def _given(**folders: int | None) -> Any:
    """The descriptors of folders that there are: not every system takes such arguments."""
    return {name: descriptor for name, descriptor in folders.items() if descriptor is not None}


class Io:
    """Thin wrappers; each raises OSError as the system does."""

    def open(self, path: str, flags: int, mode: int = 0o600, *, dir_fd: int | None = None) -> int:
        return os.open(path, flags | FLAGS, mode, dir_fd=dir_fd)

    def write(self, descriptor: int, data: memoryview) -> int:
        return os.write(descriptor, data)

    def pread(self, descriptor: int, size: int, position: int) -> bytes:
        """Read from a position; the file offset does not change."""
        if hasattr(os, "pread"):
            return os.pread(descriptor, size, position)
        here = os.lseek(descriptor, 0, os.SEEK_CUR)
        try:
            os.lseek(descriptor, position, os.SEEK_SET)
            return os.read(descriptor, size)
        finally:
            os.lseek(descriptor, here, os.SEEK_SET)

    def share(self, source: int, descriptor: int, size: int, position: int, here: int) -> None:
        """Share a range of another file (from `position`) at `here`: copy-on-write, so nothing is copied.

        Some Linux file systems support this, for whole blocks.
        """
        if _fcntl is None or sys.platform != "linux":
            raise _unsupported("sharing of ranges")
        import struct

        _fcntl.ioctl(descriptor, _FICLONERANGE, struct.pack("qQQQ", source, position, size, here))

    def begin_flush(self, descriptor: int, position: int, size: int) -> None:
        """Start writing the bytes to disk without waiting for it. Linux only."""
        function = _linux_call("sync_file_range")
        if function is None:
            raise _unsupported("flushing of ranges")
        from ctypes import c_int64

        if function(descriptor, c_int64(position), c_int64(size), _SYNC_FILE_RANGE_WRITE) < 0:
            number = _errno()
            raise OSError(number, os.strerror(number))

    def append_only(self, descriptor: int) -> None:
        """Append every later write to the end. Where this cannot be set now, O_APPEND_FIRST has already set it."""
        if _fcntl is not None:
            flags = _fcntl.fcntl(descriptor, _fcntl.F_GETFL)
            _fcntl.fcntl(descriptor, _fcntl.F_SETFL, flags | os.O_APPEND)

    def seek(self, descriptor: int, position: int) -> None:
        os.lseek(descriptor, position, os.SEEK_SET)

    def truncate(self, descriptor: int, size: int) -> None:
        os.ftruncate(descriptor, size)

    def fsync(self, descriptor: int) -> None:
        if sys.platform == "darwin":
            # On macOS fsync leaves the bytes in the drive's own cache.
            try:
                _fcntl.fcntl(descriptor, _F_FULLFSYNC)
                return
            except OSError as error:
                if error.errno not in (errno.ENOTSUP, errno.EINVAL):
                    raise
        os.fsync(descriptor)

    def stat(self, path: str) -> os.stat_result:
        return os.stat(path)

    def fstat(self, descriptor: int) -> os.stat_result:
        return os.fstat(descriptor)

    def fchmod(self, descriptor: int, mode: int) -> None:
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)

    def fchown(self, descriptor: int, uid: int, gid: int) -> None:
        if hasattr(os, "fchown"):
            os.fchown(descriptor, uid, gid)

    def attributes(self, descriptor: int) -> dict[str, bytes]:
        """The extended attributes, POSIX ACLs among them."""
        if not hasattr(os, "listxattr"):
            return {}
        found: dict[str, bytes] = {}
        for name in os.listxattr(descriptor):
            try:
                found[name] = os.getxattr(descriptor, name)
            except OSError as error:
                if error.errno != errno.ENODATA:
                    raise
        return found

    def set_attribute(self, descriptor: int, name: str, value: bytes) -> None:
        os.setxattr(descriptor, name, value)

    def remove_attribute(self, descriptor: int, name: str) -> None:
        os.removexattr(descriptor, name)

    def copy_metadata(self, source: int, descriptor: int) -> None:
        """Copy ACLs and extended attributes where one system call does it (macOS); otherwise nothing."""
        if sys.platform == "darwin":
            library = _c_library()
            if library is None or library.fcopyfile(source, descriptor, None, _COPYFILE_ACL_AND_XATTR) < 0:
                raise OSError(errno.EIO if library is None else _errno(), "the attributes could not be copied")

    def flock(self, descriptor: int) -> None:
        """Lock for this open file only, without waiting. BlockingIOError when another one has the lock."""
        if _fcntl is None:
            raise _unsupported("locks")
        _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)

    def set_lease(self, descriptor: int, kind: Lease) -> None:
        """Take or drop a lease. EAGAIN: the file is open in a way that conflicts with it."""
        if not _LEASES:
            raise _unsupported("leases")
        # Breaking a lease sends a signal that by default ends the process; here it is ignored.
        import signal

        _fcntl.fcntl(descriptor, _fcntl.F_SETSIG, signal.SIGURG)
        _fcntl.fcntl(descriptor, _fcntl.F_SETLEASE, _LEASES[kind])

    def link(self, source: str, target: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        folders = _given(src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        if os.link in os.supports_follow_symlinks:
            os.link(source, target, follow_symlinks=False, **folders)
        else:
            os.link(source, target, **folders)

    def rename(self, source: str, target: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        os.replace(source, target, **_given(src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd))

    def exchange(self, one: str, other: str) -> None:
        """Swap the names of two files atomically (Linux only). ENOTSUP elsewhere."""
        function = _linux_call("renameat2")
        if function is None:
            raise _unsupported("exchange of names")
        if function(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) < 0:
            number = _errno()
            raise OSError(number, os.strerror(number), one, None, other)

    def unlink(self, path: str, *, dir_fd: int | None = None) -> None:
        os.unlink(path, dir_fd=dir_fd)

    def make_folder(self, path: str, mode: int = 0o700, *, dir_fd: int | None = None) -> None:
        os.mkdir(path, mode, dir_fd=dir_fd)

    def remove_folder(self, path: str, *, dir_fd: int | None = None) -> None:
        os.rmdir(path, dir_fd=dir_fd)

    def names(self, folder: str) -> Iterable[str]:
        return os.listdir(folder)


SYSTEM: Final = Io()
