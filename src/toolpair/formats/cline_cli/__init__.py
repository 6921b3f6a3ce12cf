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
    agents={"cline-cli": lazy("toolpair.formats.cline_cli.agent:AGENT")},
    sniff=lazy("toolpair.formats.cline_cli.detection:sniff"),
    surest=96,
    around=frozenset({"version", "agent", "sessionId"}),
    knows=lazy("toolpair.formats.cline_cli.detection:is_own"),
    profile_for=lazy("toolpair.formats.cline_cli.detection:profile_for"),
    read=lazy("toolpair.formats.cline_cli.history:read"),
    apply=lazy("toolpair.formats.cline_cli.writing:applied"),
    sees=lazy("toolpair.formats.cline_cli.sending:sees"),
    damage=lazy("toolpair.formats.cline_cli.checks:damage"),
    check=lazy("toolpair.formats.cline_cli.checks:check"),
    light=lazy("toolpair.formats.cline_cli.light:light"),
    clean_by=frozenset({"openai-chat", "anthropic"}),
    subagent_sessions=lazy("toolpair.formats.cline_cli.history:subagent_sessions"),
    time_of=lazy("toolpair.formats.cline_cli.history:time_of"),
    usage_of=lazy("toolpair.formats.engine.reading.clock:usage_in_metrics"),
)
