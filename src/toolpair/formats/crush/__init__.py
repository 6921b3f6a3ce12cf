"""Crush: its databases of sessions, which are only read, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="crush",
    title="Crush (not compared with the agent)",
    where=".crush/crush.db in the project, a database of its sessions",
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={"crush": lazy("toolpair.formats.crush.agent:AGENT")},
    layouts=(lazy("toolpair.formats.crush.database:LAYOUT"),),
    sniff=lazy("toolpair.formats.crush.detection:sniff"),
    surest=97,
    needs=("messages", "sessions"),
    knows=lazy("toolpair.formats.crush.detection:knows"),
    profile_for=lazy("toolpair.formats.crush.detection:profile_for"),
    read=lazy("toolpair.formats.crush.format:read"),
    apply=lazy("toolpair.formats.crush.format:apply"),
    sees=lazy("toolpair.formats.crush.format:sees"),
    damage=lazy("toolpair.formats.crush.format:damage"),
    time_of=lazy("toolpair.formats.crush.format:time_of"),
    read_only=(
        "Crush's sessions are only read: what it makes of a change could not be compared with Crush itself. Export the "
        "session, or repair it there."
    ),
)
