"""What the list of sessions is made of, and what is known of them while the interface runs. Loads no Textual."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct, field

from toolpair.shell.machine import Machine
from toolpair.tui.picker_checks import Judge, Mark, ProcessJudge

if TYPE_CHECKING:
    from toolpair.tui.background_loading import Open


def _process_judge() -> Judge:
    return ProcessJudge()


class Sessions(Struct):
    """What the picker lists and how it opens one; kept while the interface runs, marks and all."""

    open: Open
    machine: Machine
    folder: str
    """Whose sessions come first."""
    judge: Callable[[], Judge] = _process_judge
    marks: dict[tuple[str, float, int], Mark] = field(default_factory=dict)
    """By path, time and size of a file: one that has changed is judged again."""
    last: str | None = None
    """The path of the session that was opened last."""
