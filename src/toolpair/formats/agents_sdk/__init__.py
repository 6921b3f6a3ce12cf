"""Databases of sessions that programs with the OpenAI Agents SDK keep (`SQLiteSession`). Which program resumes one is
not in it, so there is no agent here.
"""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="agents-sdk",
    title="OpenAI Agents SDK",
    where="the database that a program gives its `SQLiteSession`",
    containers=frozenset({"lines"}),
    profile="openai-responses",
    library=lazy("toolpair.formats.agents_sdk.sending:LIBRARY"),
    layouts=(lazy("toolpair.formats.agents_sdk.database:LAYOUT"),),
    sniff=lazy("toolpair.formats.agents_sdk.detection:sniff"),
    surest=97,
    needs=("agent_messages", "agent_sessions"),
    knows=lazy("toolpair.formats.agents_sdk.detection:knows"),
    read=lazy("toolpair.formats.agents_sdk.format:read"),
    apply=lazy("toolpair.formats.agents_sdk.writing:apply"),
    sees=lazy("toolpair.formats.agents_sdk.sending:sees"),
    damage=lazy("toolpair.formats.agents_sdk.format:damage"),
    check=lazy("toolpair.formats.agents_sdk.format:check"),
    time_of=lazy("toolpair.formats.agents_sdk.format:time_of"),
    light=lazy("toolpair.formats.agents_sdk.light:light"),
    clean_by=frozenset({"openai-responses"}),
)
