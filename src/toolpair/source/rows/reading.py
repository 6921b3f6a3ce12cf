"""Opening a database to look at it: nothing is created or changed next to it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from toolpair.source.addresses import LOG_ENDINGS, MAGIC, OPENING
from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.rows.layout import Text
from toolpair.source.rows.private_copy import Progress, private_copy
from toolpair.source.snapshot import why_not_opened
from toolpair.source.system import O_WAITLESS

COPIED: Final = 64 << 20
"""A database of up to this many bytes, with its log, is read from a copy."""
QUERY_FAILS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What a query raises. Python cannot decode a sentence in which SQLite quotes a schema's damaged bytes."""
_HEADER: Final = 100
_LOG_HEADER: Final = 32
_LONGEST: Final = 2.0
"""Seconds to wait for a moment in which nobody writes."""
_TICK: Final = 20_000_000
"""Nanoseconds in which a file may change twice and have the same time."""
_UNREADABLE: Final = "check that it is whole, or give a backup of it"


def state_of(path: str) -> Identity:
    """Which file the database is, and its state together with its log. Raises OSError."""
    found = os.stat(path)
    size, mtime, ctime = found.st_size, found.st_mtime_ns, found.st_ctime_ns
    for ending in LOG_ENDINGS:
        with contextlib.suppress(OSError):
            log = os.stat(path + ending)
            if log.st_size:
                size += log.st_size
                # When root opens a log, SQLite sets its owner, to what it is, and with that its ctime.
                mtime = max(mtime, log.st_mtime_ns)
    return Identity(found.st_dev, found.st_ino, size, mtime, ctime)


@contextmanager
def reading(path: str, shown: str, progress: Progress | None = None) -> Iterator[tuple[sqlite3.Connection, Identity]]:
    """The database, to be read, and its state. Raises Unreadable with one sentence, and what `progress` raises.

    `progress` gets the bytes that are copied first.
    """
    try:
        path = os.path.realpath(path)  # its log is next to the file, not to a link to it
        with OPENING:
            connection, state, copied = _opened(path, shown, progress)
            try:
                yield connection, state
            finally:
                if not copied:
                    connection.close()
                    if state_of(path) != state:
                        raise UnreadableFile(f"{shown} was written to while it was read; try again.")
    except QUERY_FAILS as error:
        _COPIES.forget()
        raise UnreadableFile(why_not(shown, error)) from None
    except (OSError, ValueError) as error:
        raise UnreadableFile(why_not_opened(shown, error)) from None


def refuse_log(path: str) -> None:
    """Refuse to give a new database a name that has the log of another one, which would go into it. Raises Refused."""
    log = next((path + ending for ending in LOG_ENDINGS if os.path.lexists(path + ending)), None)
    if log is not None:
        raise Refused(f"{log} belongs to another state of {path}; move it away first.", "exists")


def is_damage(error: Exception) -> bool:
    """Whether it says that the file is not a whole database."""
    return isinstance(error, UnicodeDecodeError) or any(
        word in str(error) for word in ("not a database", "malformed", "corrupt")
    )


def why_not(shown: str, error: Exception) -> str:
    """A sentence for a database that cannot be read."""
    said = "texts in it cannot be read" if isinstance(error, UnicodeDecodeError) else str(error)
    if "not a database" in said:
        return f"{shown} is not a database that can be read: it is encrypted or damaged; {_UNREADABLE}."
    if is_damage(error):
        return f"{shown} is a damaged database ({said}); {_UNREADABLE}."
    if "locked" in said or "busy" in said:
        return f"{shown} is locked by another program; try again when that is done."
    return f"{shown} cannot be read ({said}); {_UNREADABLE}."


def _opened(path: str, shown: str, progress: Progress | None) -> tuple[sqlite3.Connection, Identity, bool]:
    state = state_of(path)
    held = _COPIES.of(path, state)
    if held is not None:
        return held, state, True
    with open(os.open(path, os.O_RDONLY | O_WAITLESS), "rb") as file:
        header = file.read(_HEADER)
        if not header.startswith(MAGIC):
            raise UnreadableFile(f"{shown} is not an SQLite database; give a session file.")
        if _is_cut_off(header, os.fstat(file.fileno()).st_size) and not any(_size(path + end) for end in LOG_ENDINGS):
            raise UnreadableFile(f"{shown} is a damaged database (it is cut off); {_UNREADABLE}.")
    here = _connected_here(path) if state.size > COPIED else None
    if here is not None:
        return here, state, False
    connection, state = _copied(path, shown, progress)
    _COPIES.keep(path, state, connection)
    return connection, state, True


def _is_cut_off(header: bytes, size: int) -> bool:
    """Whether a database, whose last pages are not in a log, is shorter than it says; SQLite may not notice."""
    page = int.from_bytes(header[16:18]) or 1
    pages = int.from_bytes(header[28:32])
    # Old versions of SQLite leave the count as it is.
    counts = header[24:28] == header[92:96]
    return len(header) < _HEADER or (counts and size < pages * (65536 if page == 1 else page))


def _connected_here(path: str) -> sqlite3.Connection | None:
    """A connection to the database itself; None if a part of it is in a log that cannot be read there."""
    if not any(_size(path + ending) for ending in LOG_ENDINGS):
        return connected(path, "immutable=1")
    if _size(path + "-journal") or not os.path.exists(path + "-shm"):
        return None
    connection = connected(path, "mode=ro&readonly_shm=1")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        return None
    return connection


def _copied(path: str, shown: str, progress: Progress | None) -> tuple[sqlite3.Connection, Identity]:
    """A connection to a private copy of the database and its log, and their state."""
    end = time.monotonic() + _LONGEST
    while time.monotonic() < end:
        state, before = state_of(path), _settled(path)
        if 0 <= time.time_ns() - before.mtime_ns < _TICK:
            time.sleep(_TICK / 1e9)  # another change may leave the same time
            continue
        with private_copy(path, progress) as copy:
            if copy is None or _settled(path) != before:
                continue
            connection = connected(copy, "mode=rw")
            # From now on SQLite has all of its files open.
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("PRAGMA temp_store=MEMORY")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            connection.execute("PRAGMA query_only=ON")
            return connection, state
    raise UnreadableFile(f"{shown} is being written to all the time; close its agent, and try again.")


class _Settled(Struct, frozen=True):
    """What may not change while a database is copied."""

    state: Identity
    log: bytes = b""
    """The beginning of its log. While that and the database stay, what is written is only appended to the log, and a
    part of a log is all that was committed by then.
    """

    @property
    def mtime_ns(self) -> int:
        return self.state.mtime_ns


def _settled(path: str) -> _Settled:
    """Raises OSError."""
    log = b""
    with contextlib.suppress(OSError), open(path + "-wal", "rb") as file:
        log = file.read(_LOG_HEADER)
    if len(log) < _LOG_HEADER or _size(path + "-journal"):
        return _Settled(state_of(path))
    return _Settled(Identity.of(os.stat(path)), log)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def connected(path: str, how: str, waits: float = 5.0) -> sqlite3.Connection:
    """A connection to the database itself, with these parameters of SQLite's; it waits some seconds for a lock."""
    # Two slashes at its start would make its first folder the name of a computer.
    start = "file://" if path.startswith("/") else "file:"
    uri = f"{start}{quote(os.fsencode(path))}?{how}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=waits, check_same_thread=False)
    prepare(connection)
    return connection


def prepare(connection: sqlite3.Connection) -> None:
    """Texts come as they are stored, and what a CHECK may call is there."""
    connection.text_factory = Text
    # SQLite has it since 3.43.
    connection.create_function("octet_length", 1, len, deterministic=True)


class _Copies:
    """The copy that was made last, for as long as its database does not change: many sessions are read from one."""

    def __init__(self) -> None:
        self._held: tuple[str, Identity, sqlite3.Connection] | None = None

    def of(self, path: str, state: Identity) -> sqlite3.Connection | None:
        return self._held[2] if self._held is not None and self._held[:2] == (path, state) else None

    def keep(self, path: str, state: Identity, connection: sqlite3.Connection) -> None:
        self.forget()
        self._held = path, state, connection

    def forget(self) -> None:
        if self._held is not None:
            self._held[2].close()
            self._held = None


_COPIES: Final = _Copies()
