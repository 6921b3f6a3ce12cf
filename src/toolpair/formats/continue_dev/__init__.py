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
    agents={"continue": lazy("toolpair.formats.continue_dev.agent:AGENT")},
    sniff=lazy("toolpair.formats.continue_dev.detection:sniff"),
    surest=96,
    needs=("message",),
    knows=lazy("toolpair.formats.continue_dev.detection:is_own"),
    read=lazy("toolpair.formats.continue_dev.history:read"),
    apply=lazy("toolpair.formats.continue_dev.writing:apply"),
    with_outer=lazy("toolpair.formats.continue_dev.history:with_outer"),
    sees=lazy("toolpair.formats.continue_dev.sending:sees"),
    damage=lazy("toolpair.formats.continue_dev.checks:damage"),
    check=lazy("toolpair.formats.continue_dev.checks:check"),
    light=lazy("toolpair.formats.continue_dev.light:light"),
    clean_by=frozenset({"openai-chat"}),
    usage_of=lazy("toolpair.formats.continue_dev.history:usage"),
)
