"""opencode and Kilo's command line: their databases and folders of sessions, and the agents themselves."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import FolderClue, Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="opencode",
    title="opencode, Kilo CLI",
    where=(
        "~/.local/share/opencode/opencode.db, ~/.local/share/kilo/kilo.db (or under $XDG_DATA_HOME); before 1.2 the "
        "folder storage there"
    ),
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={
        "opencode": lazy("toolpair.formats.opencode.agent:OPENCODE_AGENT"),
        "kilo-cli": lazy("toolpair.formats.opencode.agent:KILO_AGENT"),
    },
    layouts=(
        lazy("toolpair.formats.opencode.database:OPENCODE_LAYOUT"),
        lazy("toolpair.formats.opencode.database:KILO_LAYOUT"),
    ),
    folders=(
        FolderClue(lazy("toolpair.formats.opencode.folder:OPENCODE_FOLDER"), "ses_", ("session", "message")),
        FolderClue(lazy("toolpair.formats.opencode.folder:KILO_FOLDER"), "ses_", ("session", "message")),
        FolderClue(
            lazy("toolpair.formats.opencode.folder:OPENCODE_OLDER_FOLDER"),
            "ses_",
            ("session/info", "session/message"),
        ),
    ),
    sniff=lazy("toolpair.formats.opencode.detection:sniff"),
    surest=96,
    needs=("session",),
    knows=lazy("toolpair.formats.opencode.detection:knows"),
    profile_for=lazy("toolpair.formats.opencode.detection:profile_for"),
    read=lazy("toolpair.formats.opencode.reading:read"),
    apply=lazy("toolpair.formats.opencode.writing:apply"),
    sees=lazy("toolpair.formats.opencode.sending:sees"),
    damage=lazy("toolpair.formats.opencode.checks:damage"),
    check=lazy("toolpair.formats.opencode.checks:check"),
    light=lazy("toolpair.formats.opencode.light:light"),
    clean_by=frozenset({"openai-chat", "anthropic"}),
    subagent_sessions=lazy("toolpair.formats.opencode.subagents:subagent_sessions"),
    time_of=lazy("toolpair.formats.opencode.reading:time_of"),
    usage_of=lazy("toolpair.formats.opencode.reading:usage"),
    seconds_of=lazy("toolpair.formats.opencode.reading:seconds_of"),
)
