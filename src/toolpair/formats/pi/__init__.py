"""pi: its session files, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="pi",
    title="pi",
    where="~/.pi/agent/sessions/--<folder>--/<time>_<session id>.jsonl (or under $PI_CODING_AGENT_DIR)",
    containers=frozenset({"lines"}),
    profile="anthropic",
    agents={"pi": lazy("toolpair.formats.pi.format:AGENT")},
    sniff=lazy("toolpair.formats.pi.format:sniff"),
    surest=95,
    knows=lazy("toolpair.formats.pi_family.records:knows"),
    profile_for=lazy("toolpair.formats.pi_family.records:profile_for"),
    read=lazy("toolpair.formats.pi.format:read"),
    apply=lazy("toolpair.formats.pi_family.records:apply"),
    id_key="id",
    links=("parentId", "firstKeptEntryId"),
    sees=lazy("toolpair.formats.pi_family.records:sees"),
    damage=lazy("toolpair.formats.pi_family.records:damage"),
    check=lazy("toolpair.formats.pi.format:check"),
    inactive=lazy("toolpair.formats.pi_family.records:inactive"),
    request_kept=lazy("toolpair.formats.pi_family.records:request_kept"),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.pi_family.records:usage"),
)
