"""Mistral Vibe: its session files, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="vibe",
    title="Mistral Vibe",
    where="~/.vibe/logs/session/session_<time>_<id>/messages.jsonl (or under $VIBE_HOME)",
    containers=frozenset({"lines"}),
    profile="mistral",
    agents={"vibe": lazy("toolpair.formats.vibe.agent:AGENT")},
    sniff=lazy("toolpair.formats.vibe.detection:sniff"),
    surest=94,
    needs=("injected",),
    knows=lazy("toolpair.formats.vibe.detection:is_own"),
    read=lazy("toolpair.formats.vibe.format:read"),
    apply=lazy("toolpair.formats.vibe.format:apply"),
    sees=lazy("toolpair.formats.vibe.format:sees"),
    damage=lazy("toolpair.formats.vibe.format:damage"),
    reads_nan=True,
    check=lazy("toolpair.formats.vibe.format:check"),
)
