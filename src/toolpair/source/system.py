"""The system calls that saving makes, in one place, so that a test can make each of them fail."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import sys
from typing import Final

_F_FULLFSYNC: Final = 51


class Io:
    """Thin wrappers; each raises OSError as the system does."""

    def open(self, path: str, flags: int, mode: int = 0o600) -> int:
        return os.open(path, flags | os.O_CLOEXEC, mode)

    def write(self, descriptor: int, data: memoryview) -> int:
        return os.write(descriptor, data)

    def read(self, descriptor: int, size: int) -> bytes:
        return os.read(descriptor, size)

    def fsync(self, descriptor: int) -> None:
        if sys.platform == "darwin":
            try:
                fcntl.fcntl(descriptor, _F_FULLFSYNC)
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
        os.fchmod(descriptor, mode)

    def fchown(self, descriptor: int, uid: int, gid: int) -> None:
        os.fchown(descriptor, uid, gid)

    def copy_xattrs(self, source: str, descriptor: int) -> None:
        if hasattr(os, "listxattr"):
            for name in os.listxattr(source):
                os.setxattr(descriptor, name, os.getxattr(source, name))

    def link(self, source: str, target: str) -> None:
        os.link(source, target, follow_symlinks=False)

    def rename(self, source: str, target: str) -> None:
        os.replace(source, target)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

    def writer_holds(self, descriptor: int) -> bool:
        """Whether some process has the file open for writing; False where the system cannot tell.

        On True nothing is held. Else a lease is held, where possible, that makes a new writer wait until the
        descriptor is closed.
        """
        if not hasattr(fcntl, "F_SETLEASE"):
            return False
        try:
            # The default signal of a broken lease would end the process; this one is ignored by default.
            with contextlib.suppress(OSError, AttributeError):
                fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            return error.errno == errno.EAGAIN
        return False
