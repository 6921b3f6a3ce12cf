"""Colours for what is in view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolpair.tui.aside import Aside
    from toolpair.tui.bodies.body import Colourable
    from toolpair.tui.later import LaterOn


def ask_for_colours(owner: LaterOn[Any], asked: Colourable, done: Callable[[bool], None]) -> None:
    """Colour these lines, in a thread. `done` is called with whether there were any colours."""
    colours = owner.tool.colours

    def work(aside: Aside) -> None:
        runs = colours.runs(asked.file, asked.language, asked.lines)
        aside.run_in_ui(lambda: ended(runs))

    def ended(runs: list[list[tuple[int, int, str]]]) -> None:
        if runs:
            asked.body.coloured(asked, runs)
        done(bool(runs))

    owner.in_thread(work, "colours")
