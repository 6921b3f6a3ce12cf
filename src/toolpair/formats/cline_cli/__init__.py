"""Cline's command line: its sessions, what it sends of them, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="cline-cli",
    title="Cline CLI",
    where="~/.cline/data/sessions/<id>/<id>.messages.json (or under $CLINE_DIR)",
    containers=frozenset({"array"}),
    profile="anthropic",
    agents={"cline-cli": lazy("toolpair.formats.cline_cli.format:AGENT")},
    sniff=lazy("toolpair.formats.cline_cli.format:sniff"),
    surest=96,
    around=frozenset({"version", "agent", "sessionId"}),
    knows=lazy("toolpair.formats.cline_cli.format:is_own"),
    profile_for=lazy("toolpair.formats.cline_cli.format:profile_for"),
    read=lazy("toolpair.formats.cline_cli.format:read"),
    apply=lazy("toolpair.formats.cline_cli.writing:applied"),
    sees=lazy("toolpair.formats.cline_cli.format:sees"),
    damage=lazy("toolpair.formats.cline_cli.format:damage"),
    check=lazy("toolpair.formats.cline_cli.format:check"),
    subagent_sessions=lazy("toolpair.formats.cline_cli.format:subagent_sessions"),
    time_of=lazy("toolpair.formats.cline_cli.format:time_of"),
    usage_of=lazy("toolpair.formats.cline_cli.format:usage"),
)
