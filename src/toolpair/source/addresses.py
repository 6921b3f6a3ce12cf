"""The name of a session in a database, or in a folder of sessions: `DATABASE::SESSION`."""

from __future__ import annotations

import os
from _thread import RLock
from typing import Final

MAGIC: Final = b"SQLite format 3\0"
LOG_ENDINGS: Final = ("-wal", "-journal")
"""How the names of files end that hold a part of a database."""
OPENING: Final = RLock()
"""Held while a database is open: whoever closes a file gives up all locks that its process has on it."""
_BETWEEN: Final = "::"


def joined(path: str, session: str) -> str:
    return f"{path}{_BETWEEN}{session}"


def divided(name: str) -> tuple[str, str | None]:
    """The database, or the folder, and the session; None for a name without one. A file that has this very name is no
    database's.
    """
    if _BETWEEN not in name or os.path.lexists(name):
        return name, None
    parts = name.split(_BETWEEN)
    splits = [(_BETWEEN.join(parts[:n]), _BETWEEN.join(parts[n:])) for n in range(len(parts) - 1, 0, -1)]
    # Ids may contain the separator, and so may the database's name.
    found = next((split for split in splits if os.path.exists(split[0])), None)
    if found is not None:
        return found
    path, session = splits[0]
    return (path, session) if path and session else (name, None)


def addressed(name: str) -> str:
    """What a session is called in this process, whatever links lead to it."""
    path, session = divided(name)
    return os.path.realpath(path) if session is None else joined(os.path.realpath(path), session)


DATABASES: Final = (".db", ".sqlite", ".sqlite3")
"""How the name of a copy ends that is to be a database."""


def is_database(path: str) -> bool:
    """Whether the file is an SQLite database. Never raises."""
    try:
        if not os.path.isfile(path):
            return False
        with OPENING, open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False
