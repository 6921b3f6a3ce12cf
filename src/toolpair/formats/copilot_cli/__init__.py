"""GitHub Copilot CLI: its logs of events, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="copilot-cli",
    title="GitHub Copilot CLI",
    where="~/.copilot/session-state/<session id>/events.jsonl (or under $COPILOT_HOME)",
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={"copilot-cli": lazy("toolpair.formats.copilot_cli.agent:AGENT")},
    sniff=lazy("toolpair.formats.copilot_cli.detection:sniff"),
    surest=95,
    knows=lazy("toolpair.formats.copilot_cli.detection:knows"),
    profile_for=lazy("toolpair.formats.copilot_cli.detection:profile_for"),
    read=lazy("toolpair.formats.copilot_cli.history:read"),
    apply=lazy("toolpair.formats.copilot_cli.writing:apply"),
    session_slots=(("data", "sessionId"),),
    id_key="id",
    links=("parentId",),
    sees=lazy("toolpair.formats.copilot_cli.sending:sees"),
    damage=lazy("toolpair.formats.copilot_cli.checks:damage"),
    check=lazy("toolpair.formats.copilot_cli.checks:check"),
    light=lazy("toolpair.formats.copilot_cli.light:light"),
    clean_by=frozenset({"openai-chat", "anthropic"}),
    inactive=lazy("toolpair.formats.copilot_cli.history:inactive"),
    request_kept=lazy("toolpair.formats.copilot_cli.history:request_kept"),
    ids_beside=frozenset({"tool.execution_start"}),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.copilot_cli.history:usage"),
)
