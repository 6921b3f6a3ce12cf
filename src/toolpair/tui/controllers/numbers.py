"""Opens the statistics, and shows what was chosen there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.text.safe import visible

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.statistics import Wanted


def view_statistics(owner: Owner) -> None:
    """Show them; a tool leads to its pairs, an output to its row."""
    from toolpair.tui.screens.statistics import StatisticsScreen

    if owner.overview.partial is not None:
        owner.say(owner.busy_reason)
        return
    conversation = owner.session.conversation

    def chosen(wanted: Wanted | None) -> None:
        if wanted is None:
            return
        kind, what = wanted
        if kind == "tool":
            owner.row_filter.filter_by(f"tool:{what}")
            return
        row = owner.session.conversation.places.of_pair(int(what))
        if row is None:
            owner.say("the session has changed: this output is no longer where it was")
        else:
            owner.row_filter.go_to_row(row)

    path = owner.session.path
    name = visible(conversation.head.session_id or (owner.session.file.name if path is not None else "standard input"))
    owner.ask(StatisticsScreen(conversation, name), chosen)
