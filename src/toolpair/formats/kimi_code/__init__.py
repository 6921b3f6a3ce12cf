"""Kimi Code: the events of its agents, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="kimi-code",
    title="Kimi Code",
    where="~/.kimi-code/sessions/wd_<folder>_<hash>/<session>/agents/<agent>/wire.jsonl (or under $KIMI_CODE_HOME)",
    containers=frozenset({"lines"}),
    profile="moonshot",
    agents={"kimi-code": lazy("toolpair.formats.kimi_code.agent:AGENT")},
    sniff=lazy("toolpair.formats.kimi_code.detection:sniff"),
    surest=95,
    knows=lazy("toolpair.formats.kimi_code.detection:knows"),
    read=lazy("toolpair.formats.kimi_code.history:read"),
    apply=lazy("toolpair.formats.kimi_code.history:apply"),
    sees=lazy("toolpair.formats.kimi_code.sending:sees"),
    damage=lazy("toolpair.formats.kimi_code.history:damage"),
    check=lazy("toolpair.formats.kimi_code.history:check"),
    light=lazy("toolpair.formats.kimi_code.light:light"),
    clean_by=frozenset({"moonshot", "openai-chat"}),
    time_of=lazy("toolpair.formats.kimi_code.history:time_of"),
)
