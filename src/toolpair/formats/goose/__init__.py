"""goose: its database of sessions, its older files, and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="goose",
    title="goose",
    where="~/.local/share/goose/sessions/sessions.db (or under $GOOSE_PATH_ROOT); before 1.10: .jsonl files there",
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={"goose": lazy("toolpair.formats.goose.agent:AGENT")},
    layouts=(lazy("toolpair.formats.goose.database:LAYOUT"),),
    sniff=lazy("toolpair.formats.goose.detection:sniff"),
    surest=94,
    knows=lazy("toolpair.formats.goose.detection:knows"),
    profile_for=lazy("toolpair.formats.goose.detection:profile_for"),
    read=lazy("toolpair.formats.goose.history:read"),
    apply=lazy("toolpair.formats.goose.writing:apply"),
    sees=lazy("toolpair.formats.goose.sending:sees"),
    damage=lazy("toolpair.formats.goose.checks:damage"),
    levels_refused=lazy("toolpair.formats.goose.readable:levels_refused"),
    check=lazy("toolpair.formats.goose.checks:check"),
    light=lazy("toolpair.formats.goose.light:light"),
    clean_by=frozenset({"openai-chat", "anthropic"}),
    time_of=lazy("toolpair.formats.goose.history:time_of"),
)
