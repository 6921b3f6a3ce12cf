"""Who else works with the file: looked for when it is opened, beside the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.session.surroundings import leftover_notes
from toolpair.text.safe import visible
from toolpair.tui.aside import Aside

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner


def look_for_neighbours(owner: Owner) -> None:
    """Look for who writes to the file, and which agent has its history in memory; the first is named."""
    session = owner.session

    def look(aside: Aside) -> None:
        left = leftover_notes(session.path) if session.path is not None else ()
        found = (*left, *session.look_around())
        if found:
            aside.tell(lambda: warn(found[0]))

    def warn(warning: str) -> None:
        owner.pairs.forget()  # who is there may be at work on the call at the end
        if not owner.note:
            owner.say(f"! {visible(warning)}")

    # Where that fails, a save finds out by itself.
    owner.in_thread(lambda aside: session.remember(), failed=lambda error: None)
    owner.in_thread(look, failed=lambda error: None)
