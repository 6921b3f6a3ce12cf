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
    agents={"copilot-cli": lazy("toolpair.formats.copilot_cli.format:AGENT")},
    sniff=lazy("toolpair.formats.copilot_cli.format:sniff"),
    surest=95,
    knows=lazy("toolpair.formats.copilot_cli.format:knows"),
    profile_for=lazy("toolpair.formats.copilot_cli.format:profile_for"),
    read=lazy("toolpair.formats.copilot_cli.format:read"),
    apply=lazy("toolpair.formats.copilot_cli.format:apply"),
    id_key="id",
    links=("parentId",),
    sees=lazy("toolpair.formats.copilot_cli.format:sees"),
    damage=lazy("toolpair.formats.copilot_cli.format:damage"),
    check=lazy("toolpair.formats.copilot_cli.format:check"),
    inactive=lazy("toolpair.formats.copilot_cli.format:inactive"),
    request_kept=lazy("toolpair.formats.copilot_cli.format:request_kept"),
    ids_beside=frozenset({"tool.execution_start"}),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.copilot_cli.format:usage"),
)
