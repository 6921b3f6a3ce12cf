"""Codex's own index of a paginated rollout: a database with the byte offsets of turns."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.formats.codex.forks import home_of
from toolpair.formats.format import Beside
from toolpair.transcript.counting import plural


def index_notes(beside: Beside, before: int, after: int) -> Sequence[str]:
    """Notes on a save in place that changes the size of the file."""
    home = home_of(beside)
    if home is None or before == after:
        return ()
    found = sorted(
        name for name in beside.names(home) if name.startswith("thread_history_") and name.endswith(".sqlite")
    )
    if not found:
        return ()
    folder = (beside.path.parent / home).resolve()
    return (
        f"Codex's index of this session, {folder / found[-1]}, is then off by {plural(abs(after - before), 'byte')}. "
        "Delete that file while Codex is not running: Codex makes it again.",
    )
