"""Forms: how lists of messages that no agent's folder knows spell calls and results, as tables.

A table (`*.toml`, here and in the user's folder) says where in an element its role, texts, calls and results are, and
what a new result looks like. `table` is its schema, `compiled` makes the reader, `reading` and `writing` are what a
format has, `detection` says which form a file is in. Nothing here is loaded before a file asks for it.
"""

from __future__ import annotations

from typing import Final

from toolpair.formats.format import FolderClue
from toolpair.formats.lazy import lazy

_STRANDS: Final = lazy("toolpair.formats.forms.folders:STRANDS_FOLDER")
FOLDERS: Final = (FolderClue(_STRANDS, "message", ("agents",)), FolderClue(_STRANDS, "agent_", ("agents",)))
"""By what folders may be recognised that hold sessions of which each message is a file."""
