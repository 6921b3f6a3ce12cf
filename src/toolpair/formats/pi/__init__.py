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
    agents={"pi": lazy("toolpair.formats.pi.agent:AGENT")},
    sniff=lazy("toolpair.formats.pi_family.detection:sniff_pi"),
    surest=95,
    knows=lazy("toolpair.formats.pi_family.detection:knows"),
    profile_for=lazy("toolpair.formats.pi_family.detection:profile_for"),
    read=lazy("toolpair.formats.pi.format:read"),
    apply=lazy("toolpair.formats.pi_family.writing:apply"),
    session_slots=(("id",),),
    id_key="id",
    links=("parentId", "firstKeptEntryId"),
    sees=lazy("toolpair.formats.pi_family.sending:sees"),
    damage=lazy("toolpair.formats.pi_family.checks:damage"),
    check=lazy("toolpair.formats.pi.format:check"),
    light=lazy("toolpair.formats.pi.format:light"),
    clean_by=frozenset({"openai-chat", "anthropic"}),
    inactive=lazy("toolpair.formats.pi_family.history:inactive"),
    request_kept=lazy("toolpair.formats.pi_family.history:request_kept"),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.pi_family.history:usage"),
)
