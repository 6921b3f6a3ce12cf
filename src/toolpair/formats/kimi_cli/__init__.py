"""Kimi CLI: its session files, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="kimi-cli",
    title="Kimi CLI",
    where="~/.kimi/sessions/<hash of the folder>/<session id>/context.jsonl (or under $KIMI_SHARE_DIR)",
    containers=frozenset({"lines"}),
    profile="moonshot",
    agents={"kimi-cli": lazy("toolpair.formats.kimi_cli.agent:AGENT")},
    sniff=lazy("toolpair.formats.kimi_cli.detection:sniff"),
    surest=93,
    roles=frozenset({"_checkpoint", "_system_prompt", "_usage"}),
    knows=lazy("toolpair.formats.kimi_cli.detection:is_own"),
    profile_for=lazy("toolpair.formats.kimi_cli.detection:profile_for"),
    read=lazy("toolpair.formats.kimi_cli.format:read"),
    apply=lazy("toolpair.formats.kimi_cli.format:apply"),
    sees=lazy("toolpair.formats.kimi_cli.format:sees"),
    damage=lazy("toolpair.formats.kimi_cli.format:damage"),
    reads_nan=True,
    check=lazy("toolpair.formats.kimi_cli.format:check"),
    light=lazy("toolpair.formats.kimi_cli.light:light"),
    clean_by=frozenset({"moonshot", "openai-chat"}),
    subagent_sessions=lazy("toolpair.formats.kimi_cli.format:subagent_sessions"),
    request_kept=lazy("toolpair.formats.kimi_cli.format:request_kept"),
    usage_of=lazy("toolpair.formats.kimi_cli.format:usage"),
)
