"""Folders of sessions that programs with Strands keep (`FileSessionManager`): each message is a file, read by the table
of the form that a list of them has.
"""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import FolderClue, Format
from toolpair.formats.lazy import lazy

_FOLDER: Final = lazy("toolpair.formats.strands.folder:STRANDS_FOLDER")
FORMAT: Final = Format(
    id="strands-folder",
    title="Strands session folder",
    where="the folder `session_…` that a program gives Strands' `FileSessionManager`",
    containers=frozenset({"lines"}),
    profile="bedrock-converse",
    library=lazy("toolpair.formats.strands.sending:LIBRARY"),
    folders=(FolderClue(_FOLDER, "message", ("agents",)), FolderClue(_FOLDER, "agent_", ("agents",))),
    sniff=lazy("toolpair.formats.strands.detection:sniff"),
    surest=97,
    needs=("strands_message",),
    knows=lazy("toolpair.formats.strands.detection:knows"),
    read=lazy("toolpair.formats.strands.format:read"),
    apply=lazy("toolpair.formats.strands.writing:apply"),
    sees=lazy("toolpair.formats.strands.sending:sees"),
    damage=lazy("toolpair.formats.strands.format:damage"),
    check=lazy("toolpair.formats.strands.format:check"),
    time_of=lazy("toolpair.formats.strands.format:time_of"),
    light=lazy("toolpair.formats.strands.light:light"),
    clean_by=frozenset({"bedrock-converse"}),
)
