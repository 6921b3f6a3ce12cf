"""Continue: its session files, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="continue",
    title="Continue",
    where="~/.continue/sessions/<session id>.json (or under $CONTINUE_GLOBAL_DIR)",
    containers=frozenset({"array"}),
    profile="openai-chat",
    agents={"continue": lazy("toolpair.formats.continue_dev.format:AGENT")},
    sniff=lazy("toolpair.formats.continue_dev.format:sniff"),
    surest=96,
    needs=("message",),
    knows=lazy("toolpair.formats.continue_dev.format:is_own"),
    read=lazy("toolpair.formats.continue_dev.format:read"),
    apply=lazy("toolpair.formats.continue_dev.format:apply"),
    with_outer=lazy("toolpair.formats.continue_dev.format:with_outer"),
    sees=lazy("toolpair.formats.continue_dev.format:sees"),
    damage=lazy("toolpair.formats.continue_dev.format:damage"),
    check=lazy("toolpair.formats.continue_dev.format:check"),
    usage_of=lazy("toolpair.formats.continue_dev.format:usage"),
)
