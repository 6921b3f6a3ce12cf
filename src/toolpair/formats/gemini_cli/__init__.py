"""Gemini CLI: its session files, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="gemini-cli",
    title="Gemini CLI",
    where="~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl (or under $GEMINI_CLI_HOME)",
    containers=frozenset({"array", "lines"}),
    profile="gemini",
    agents={"gemini-cli": lazy("toolpair.formats.gemini_cli.agent:AGENT")},
    sniff=lazy("toolpair.formats.gemini_cli.detection:sniff"),
    surest=40,
    around=frozenset({"lastUpdated", "projectHash", "sessionId", "startTime"}),
    knows=lazy("toolpair.formats.gemini_cli.detection:knows"),
    read=lazy("toolpair.formats.gemini_cli.history:read"),
    apply=lazy("toolpair.formats.gemini_cli.writing:apply"),
    session_slots=(("sessionId",),),
    sees=lazy("toolpair.formats.gemini_cli.sending:sees"),
    damage=lazy("toolpair.formats.gemini_cli.checks:damage"),
    check=lazy("toolpair.formats.gemini_cli.checks:check"),
    light=lazy("toolpair.formats.gemini_cli.light:light"),
    clean_by=frozenset({"gemini"}),
    subagent_sessions=lazy("toolpair.formats.gemini_cli.history:subagent_sessions"),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.gemini_cli.history:usage"),
)
