"""All sessions of a database or a folder, whatever pages they come in."""

from __future__ import annotations

from pathlib import Path

from toolpair.agents.catalog import pages_of
from toolpair.formats.agent import FoundSession


def listed(path: Path) -> tuple[list[FoundSession], str | None]:
    """As the commands list them, and the sentence on those that cannot be opened."""
    found: list[FoundSession] = []
    notice: str | None = None
    for page, said in pages_of(str(path)):
        found += page
        notice = said
    return found, notice
