"""The journal's folder: accessible only to its owner, and never reached through a symbolic link."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolpair.source.system import O_DIRECTORY, O_NOFOLLOW, O_WAITLESS, SYSTEM, Io

LONGEST: Final = 64 << 20
"""Maximum bytes read from a file; no person makes that many decisions."""
KEPT_FOR: Final = 30 * 86400.0
"""Seconds after which unclaimed entries are deleted."""
_YOUNG: Final = 60.0
"""Seconds during which a new temporary file may not be locked yet."""
_NAME: Final = re.compile(r"([0-9a-f]{40})-([0-9a-f]{16})\.(journal|damaged|tmp)\Z")
_FLAGS: Final = os.O_RDONLY | O_NOFOLLOW | O_WAITLESS | getattr(os, "O_CLOEXEC", 0)


class Unsafe(OSError):
    """Somebody else could read or change the folder."""


def new_name(path: str) -> str:
    """A name that no other process uses, for a session at this path."""
    return f"{_of(path)}-{secrets.token_hex(8)}.journal"


def _of(path: str) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:40]


class Locked:
    """An open file, locked for as long as its process lives."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb", buffering=0)

    def read(self) -> bytes:
        """The whole content; LONGEST and one more byte if it is too long."""
        return self._file.read(LONGEST + 1) or b""

    @property
    def time(self) -> float:
        return os.fstat(self._file.fileno()).st_mtime

    def close(self) -> None:
        self._file.close()


class Folder:
    """`base` is toolpair's own folder in the user's state directory; it may not exist yet."""

    def __init__(self, base: Path, io: Io = SYSTEM) -> None:
        self._base = base
        self._io = io

    @classmethod
    def of_user(cls) -> Folder:
        # Imported on first use, after the first screen is shown.
        from platformdirs import user_state_path

        return cls(user_state_path("toolpair", appauthor=False))

    @property
    def path(self) -> Path:
        return self._base / "journal"

    @contextlib.contextmanager
    def _opened(self, create: bool = False) -> Iterator[int]:
        """A descriptor of the folder itself, whatever takes its name a moment later. Raises OSError."""
        if create:
            self._base.parent.mkdir(parents=True, exist_ok=True)
        base = self._enter(str(self._base), None, create)
        try:
            folder = self._enter("journal", base, create)
        finally:
            os.close(base)
        try:
            if stat.S_IMODE(os.fstat(folder).st_mode) & 0o077:
                os.fchmod(folder, 0o700)
            yield folder
        finally:
            os.close(folder)

    @staticmethod
    def _enter(name: str, parent: int | None, create: bool) -> int:
        if create:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=parent)
        descriptor = os.open(name, _FLAGS | O_DIRECTORY, dir_fd=parent)
        if os.fstat(descriptor).st_uid != os.geteuid():
            os.close(descriptor)
            raise Unsafe(f"{name} belongs to another user")
        return descriptor

    def write(self, name: str, data: bytes) -> Locked:
        """Replace a file's content atomically. Raises OSError.

        The file stays locked while the returned object is open.
        """
        temporary = f"{name.partition('.')[0][:40]}-{secrets.token_hex(8)}.tmp"
        with self._opened(create=True) as folder:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | O_NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
            descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
            try:
                # Where files cannot be locked, one that is in use may be offered; that loses nothing.
                with contextlib.suppress(OSError):
                    self._io.flock(descriptor)
                self._write_all(descriptor, data)
                self._io.fsync(descriptor)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.close(descriptor)
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            with contextlib.suppress(OSError):
                self._io.fsync(folder)
        return Locked(descriptor)

    def _write_all(self, descriptor: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._io.write(descriptor, view) :]

    def remove(self, name: str) -> None:
        """Raises OSError, but not when the file does not exist."""
        with contextlib.suppress(FileNotFoundError), self._opened() as folder:
            os.unlink(name, dir_fd=folder)

    def set_aside(self, name: str) -> str:
        """Rename a file that cannot be understood, so that it is not offered again. Returns the new name."""
        aside = name.replace(".journal", ".damaged")
        with self._opened() as folder:
            os.replace(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
        return aside

    def of(self, path: str) -> list[tuple[str, Locked]]:
        """The entries left for sessions at this path by processes that have ended, newest first. Raises OSError."""
        found: list[tuple[str, Locked]] = []
        wanted = _of(path)
        try:
            with self._opened() as folder:
                for name in os.listdir(folder):
                    match = _NAME.match(name)
                    if match is not None and match[1] == wanted and match[3] == "journal":
                        locked = self._lock(name, folder)
                        if locked is not None:
                            found.append((name, locked))
        except FileNotFoundError:
            return []
        return sorted(found, key=lambda each: each[1].time, reverse=True)

    def _lock(self, name: str, folder: int) -> Locked | None:
        """None for a file that another process uses, and for one that is not a regular file of this user."""
        try:
            descriptor = os.open(name, _FLAGS, dir_fd=folder)
        except OSError:
            return None
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            os.close(descriptor)
            return None
        try:
            self._io.flock(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            pass  # where files cannot be locked, nobody can tell
        locked = Locked(descriptor)
        # Its process may have just renamed a new file over it and unlocked this one.
        try:
            named = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return None
        return locked if os.path.samestat(named, found) else None

    def sweep(self, now: float | None = None) -> None:
        """Delete entries that are too old, and half-written files left by killed processes."""
        now = time.time() if now is None else now
        with contextlib.suppress(OSError), self._opened() as folder:
            for name in os.listdir(folder):
                match = _NAME.match(name)
                if match is None:
                    continue
                with contextlib.suppress(OSError):
                    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    if now - found.st_mtime > (_YOUNG if match[3] == "tmp" else KEPT_FOR):
                        locked = self._lock(name, folder)
                        if locked is not None:
                            os.unlink(name, dir_fd=folder)
                            locked.close()
