"""Mistral Vibe: its session files, the store that it has since 2.26 (`unified`, only read), and the agent itself."""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import FolderClue, Format
from toolpair.formats.lazy import lazy

FORMAT: Final = Format(
    id="vibe",
    title="Mistral Vibe",
    where="~/.vibe/logs/session/session_<time>_<id>/messages.jsonl (or under $VIBE_HOME)",
    containers=frozenset({"lines"}),
    profile="mistral",
    agents={"vibe": lazy("toolpair.formats.vibe.agent:AGENT")},
    sniff=lazy("toolpair.formats.vibe.detection:sniff"),
    surest=94,
    needs=("injected",),
    knows=lazy("toolpair.formats.vibe.detection:is_own"),
    read=lazy("toolpair.formats.vibe.format:read"),
    apply=lazy("toolpair.formats.vibe.format:apply"),
    sees=lazy("toolpair.formats.vibe.format:sees"),
    damage=lazy("toolpair.formats.vibe.format:damage"),
    reads_nan=True,
    check=lazy("toolpair.formats.vibe.format:check"),
)
_FOLDER: Final = lazy("toolpair.formats.vibe.store_folder:VIBE_FOLDER")
UNIFIED: Final = Format(
    id="vibe-unified",
    title="Mistral Vibe's store",
    where="~/.vibe/logs/session/unified/<session id> (or under $VIBE_HOME)",
    containers=frozenset({"lines"}),
    profile="mistral",
    agents={"vibe-unified": lazy("toolpair.formats.vibe.agent:STORE_AGENT")},
    folders=(FolderClue(_FOLDER, "CURRENT", ("chunks", "generations")),),
    sniff=lazy("toolpair.formats.vibe.detection:sniff_stored"),
    surest=97,
    needs=("vibe_session", "vibe_message"),
    knows=lazy("toolpair.formats.vibe.detection:knows_stored"),
    read=lazy("toolpair.formats.vibe.store_format:read"),
    apply=lazy("toolpair.formats.vibe.store_format:apply"),
    sees=lazy("toolpair.formats.vibe.store_format:sees"),
    damage=lazy("toolpair.formats.vibe.store_format:damage"),
    read_only=(
        "Mistral Vibe's newer store is only read: each file of it is named or counted by the hash of what it says. "
        "Export the session, or repair it there."
    ),
)
