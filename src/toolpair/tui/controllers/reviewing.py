"""Opens the review of staged fixes, and the screen after saving."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.review import SavedSteps


def review(owner: Owner) -> None:
    """Show what saving would do; after a save, show its result."""
    if not owner.session.changed:
        owner.say("nothing changed, so there is nothing to save")
        return
    from toolpair.tui.screens.review import ReviewScreen

    def closed(saved: SavedSteps | None) -> None:
        if saved is not None:
            from toolpair.tui.screens.saved import SavedScreen

            owner.note = ""
            owner.reload()
            owner.ask(SavedScreen(owner.desk, *saved), undone)

    def undone(words: str | None) -> None:
        if words is not None:
            owner.problems.show_first()
            owner.say(words)

    owner.ask(ReviewScreen(owner.desk), closed)
