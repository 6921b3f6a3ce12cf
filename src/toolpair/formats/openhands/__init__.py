"""Conversations that OpenHands keeps in folders: each event is a file, read by the table of the form that a list of
them has.
"""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import FolderClue, Format
from toolpair.formats.lazy import lazy

_FOLDER: Final = lazy("toolpair.formats.openhands.folder:OPENHANDS_FOLDER")
FORMAT: Final = Format(
    id="openhands",
    title="OpenHands",
    where="~/.openhands/conversations/<conversation id>",
    containers=frozenset({"lines"}),
    profile="openai-chat",
    agents={"openhands": lazy("toolpair.formats.openhands.agent:AGENT")},
    folders=(FolderClue(_FOLDER, "event", ("events",)),),
    sniff=lazy("toolpair.formats.openhands.detection:sniff"),
    surest=97,
    needs=("openhands_event", "openhands_state"),
    knows=lazy("toolpair.formats.openhands.detection:knows"),
    read=lazy("toolpair.formats.openhands.format:read"),
    apply=lazy("toolpair.formats.openhands.writing:apply"),
    sees=lazy("toolpair.formats.openhands.sending:sees"),
    damage=lazy("toolpair.formats.openhands.format:damage"),
    reads_nan=True,
    stricter={"call.reused_id": "error"},
    check=lazy("toolpair.formats.openhands.format:check"),
    time_of=lazy("toolpair.formats.openhands.format:time_of"),
)
