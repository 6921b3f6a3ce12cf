"""Databases in which agents keep their sessions, recognised by their tables, so that a refusal can name them."""

from __future__ import annotations

import re
from typing import Final

LOOKED_AT: Final = 1 << 20
"""How many bytes of a database are looked at."""
_TABLE: Final = re.compile(rb"(?i)\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?[`\"'\[]?(\w+)")
_KNOWN: Final[tuple[tuple[str, frozenset[bytes]], ...]] = (
    # Seen in databases that these agents wrote.
    ("Kilo's database of sessions", frozenset({b"kilo_board_message", b"message", b"part"})),
    ("opencode's database of sessions", frozenset({b"session", b"message", b"part"})),
    ("a database of sessions of Crush, or of the older opencode", frozenset({b"goose_db_version", b"messages"})),
    ("docker-agent's database of sessions", frozenset({b"session_items", b"sessions", b"migrations"})),
    ("a database of the OpenAI Agents SDK", frozenset({b"agent_sessions", b"agent_messages"})),
    # As other programs that read them describe them.
    ("Cursor's database", frozenset({b"cursordiskkv"})),
    ("a session of Cursor's command line", frozenset({b"blobs", b"meta"})),
    ("Zed's database of threads", frozenset({b"threads"})),
)
"""What it is, and the tables that show it."""


def name_of(beginning: bytes) -> str | None:
    """What a database is, by the tables in its beginning; None if it is none of these."""
    tables = tables_in(beginning)
    if tables == {b"threads"} and b"data_type" not in beginning:
        return None
    return next((name for name, shown in _KNOWN if shown <= tables), None)


def tables_in(beginning: bytes) -> set[bytes]:
    """The names of the tables that are created in a database's beginning, in small letters."""
    return {name.lower() for name in _TABLE.findall(beginning)}
