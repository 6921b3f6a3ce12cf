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
        "opencode": lazy("toolpair.formats.opencode.database:OPENCODE_AGENT"),
        "kilo-cli": lazy("toolpair.formats.opencode.database:KILO_AGENT"),
    },
    layouts=(
        lazy("toolpair.formats.opencode.database:OPENCODE_LAYOUT"),
        lazy("toolpair.formats.opencode.database:KILO_LAYOUT"),
    ),
    folders=(
        FolderClue(lazy("toolpair.formats.opencode.folder:OPENCODE_FOLDER"), "ses_", ("session", "message")),
        FolderClue(lazy("toolpair.formats.opencode.folder:KILO_FOLDER"), "ses_", ("session", "message")),
        FolderClue(
            lazy("toolpair.formats.opencode.older_folder:OPENCODE_OLDER_FOLDER"),
            "ses_",
            ("session/info", "session/message"),
        ),
    ),
    sniff=lazy("toolpair.formats.opencode.format:sniff"),
    surest=96,
    needs=("session",),
    knows=lazy("toolpair.formats.opencode.format:knows"),
    profile_for=lazy("toolpair.formats.opencode.format:profile_for"),
    read=lazy("toolpair.formats.opencode.format:read"),
    apply=lazy("toolpair.formats.opencode.format:apply"),
    sees=lazy("toolpair.formats.opencode.format:sees"),
    damage=lazy("toolpair.formats.opencode.format:damage"),
    check=lazy("toolpair.formats.opencode.format:check"),
    subagent_sessions=lazy("toolpair.formats.opencode.format:subagent_sessions"),
    time_of=lazy("toolpair.formats.opencode.format:time_of"),
    usage_of=lazy("toolpair.formats.opencode.format:usage"),
    seconds_of=lazy("toolpair.formats.opencode.format:seconds_of"),
)
