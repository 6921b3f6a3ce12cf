"""Databases of sessions that programs with Google's Agent Development Kit keep (`SqliteSessionService`,
`DatabaseSessionService`): rows of events, which are read by the table of the form that ADK's JSON has.
"""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="google-adk-database",
    title="Google ADK database",
    where="the database that a program gives ADK's `SqliteSessionService` or `DatabaseSessionService`",
    containers=frozenset({"lines"}),
    profile="gemini",
    library=lazy("toolpair.formats.google_adk.sending:LIBRARY"),
    layouts=tuple(lazy(f"toolpair.formats.google_adk.database:{name}") for name in ("SQLITE", "DATABASE", "OLDER")),
    sniff=lazy("toolpair.formats.google_adk.detection:sniff"),
    surest=97,
    needs=("events", "sessions"),
    knows=lazy("toolpair.formats.google_adk.detection:knows"),
    read=lazy("toolpair.formats.google_adk.format:read"),
    apply=lazy("toolpair.formats.google_adk.writing:apply"),
    sees=lazy("toolpair.formats.google_adk.sending:sees"),
    damage=lazy("toolpair.formats.google_adk.format:damage"),
    stricter={"result.id_mismatch": "error", "call.duplicate_id": "error"},
    check=lazy("toolpair.formats.google_adk.format:check"),
    time_of=lazy("toolpair.formats.google_adk.format:time_of"),
    light=lazy("toolpair.formats.google_adk.light:light"),
    clean_by=frozenset({"gemini"}),
)
