"""Other processes that work with the file: searched for in the background when it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.text.safe import visible
from toolpair.tui.aside import Aside

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner


def look_for_neighbours(owner: Owner) -> None:
    """Search for processes that write to the file, and agents that have its history in memory; name the first."""
    session = owner.session

    def look(aside: Aside) -> None:
        from toolpair.session.surroundings import leftover_notes

        left = leftover_notes(session.path) if session.path is not None else ()
        found = (*left, *session.look_around())
        if found:
            aside.run_in_ui(lambda: warn(found[0]))

    def warn(warning: str) -> None:
        owner.pairs.forget()  # such an agent may be running the call at the end
        if not owner.note:
            owner.say(f"! {visible(warning)}")

    # If that fails, a save will find out by itself.
    owner.in_thread(lambda aside: session.remember(), failed=lambda error: None)
    owner.in_thread(look, failed=lambda error: None)
