"""Times beside the rows of the list, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.layout import NARROW

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner


def switch_times(owner: Owner) -> None:
    """Show times, or no longer; kept for all sessions while the program runs."""
    if not owner.overview.times.any:
        owner.say("this file does not say when its records were written")
        return
    owner.tool.shows_times = not owner.tool.shows_times
    narrow = owner.tool.shows_times and owner.size.width < NARROW
    owner.say(f"times are shown from {NARROW} columns on" if narrow else "")
