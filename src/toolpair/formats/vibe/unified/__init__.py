"""The store in which Mistral Vibe keeps its sessions since 2.26 (`unified`): folders, which are only read."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import FolderClue, Format
from toolpair.formats.lazy import lazy

_FOLDER: Final = lazy("toolpair.formats.vibe.unified.folder:VIBE_FOLDER")
FORMAT: Final = Format(
    id="vibe-unified",
    title="Mistral Vibe's store",
    where="~/.vibe/logs/session/unified/<session id> (or under $VIBE_HOME)",
    containers=frozenset({"lines"}),
    profile="mistral",
    agents={"vibe-unified": lazy("toolpair.formats.vibe.unified.agent:AGENT")},
    folders=(FolderClue(_FOLDER, "CURRENT", ("chunks", "generations")),),
    sniff=lazy("toolpair.formats.vibe.unified.format:sniff"),
    surest=97,
    needs=("vibe_session", "vibe_message"),
    knows=lazy("toolpair.formats.vibe.unified.format:knows"),
    read=lazy("toolpair.formats.vibe.unified.format:read"),
    apply=lazy("toolpair.formats.vibe.unified.format:apply"),
    sees=lazy("toolpair.formats.vibe.unified.format:sees"),
    damage=lazy("toolpair.formats.vibe.unified.format:damage"),
    read_only=(
        "Mistral Vibe's newer store is only read: each file of it is named or counted by the hash of what it says. "
        "Export the session, or repair it there."
    ),
)
