"""oh-my-pi: its session files, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="oh-my-pi",
    title="oh-my-pi",
    where=(
        "~/.omp/agent/sessions/<folder>/<time>_<session id>.jsonl (or under $PI_CODING_AGENT_DIR; those of a profile "
        "under ~/.omp/profiles/<profile>/agent)"
    ),
    containers=frozenset({"lines"}),
    profile="anthropic",
    agents={"oh-my-pi": lazy("toolpair.formats.oh_my_pi.format:AGENT")},
    sniff=lazy("toolpair.formats.oh_my_pi.format:sniff"),
    surest=95,
    needs=("pad", "parentId"),
    knows=lazy("toolpair.formats.pi_family.records:knows"),
    profile_for=lazy("toolpair.formats.pi_family.records:profile_for"),
    read=lazy("toolpair.formats.oh_my_pi.format:read"),
    apply=lazy("toolpair.formats.pi_family.records:apply"),
    id_key="id",
    links=("parentId", "firstKeptEntryId"),
    sees=lazy("toolpair.formats.pi_family.records:sees"),
    damage=lazy("toolpair.formats.oh_my_pi.format:damage"),
    check=lazy("toolpair.formats.oh_my_pi.format:check"),
    inactive=lazy("toolpair.formats.pi_family.records:inactive"),
    request_kept=lazy("toolpair.formats.pi_family.records:request_kept"),
    time_of=lazy("toolpair.formats.engine.reading.clock:time_in"),
    usage_of=lazy("toolpair.formats.pi_family.records:usage"),
)
