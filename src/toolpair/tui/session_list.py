"""The model of the session list, kept while the interface runs. Loads no Textual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from toolpair.agents.catalog import index, pages_of
from toolpair.formats.agent import FoundSession
from toolpair.shell.machine import Machine
from toolpair.tui.picker_checks import Glimpse, Judge, Mark, ProcessJudge

if TYPE_CHECKING:
    from toolpair.tui.background_loading import Open


class Sessions(Struct):
    """What the picker lists and how it opens a session; kept with all marks while the interface runs."""

    open: Open
    machine: Machine
    folder: str
    """The folder whose sessions come first."""
    judge: Callable[[], Judge] = ProcessJudge
    marks: dict[tuple[str, float, int], Mark] = field(default_factory=dict)
    """By path, time and size of a file: a file that has changed is checked again."""
    glimpses: dict[tuple[str, float, int], Glimpse | None] = field(default_factory=dict)
    """By the same: what the preview shows."""
    of: str | None = None
    """The database whose sessions are listed; None for all on this machine."""
    last: str | None = None
    """The path of the session that was opened last."""

    def pages(self) -> Iterator[tuple[list[FoundSession], str | None]]:
        """The sessions to list, the first of many at once, and a sentence on those that cannot be opened.

        Raises Unreadable for a database that cannot be read.
        """
        if self.of is None:
            yield index(self.machine, self.folder), None
        else:
            yield from pages_of(self.of)
