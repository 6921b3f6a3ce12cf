"""Folders of conversations that OpenHands keeps: one is read as the list of the events that count, in the form of such
lists. May import `engine`.
"""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import FolderClue
from toolpair.formats.lazy import lazy

_FOLDER: Final = lazy("toolpair.formats.openhands.folder:OPENHANDS_FOLDER")
FOLDERS: Final = (FolderClue(_FOLDER, "event", ("events",)),)
