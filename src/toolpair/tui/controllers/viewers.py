"""What only shows: a row in full, the bytes that a fix changes, what the model sees, statistics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolpair.text.safe import visible
from toolpair.tui.row_lines import ROLES

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, PairRow, Problem
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.statistics import Wanted
    from toolpair.tui.screens.viewer import Shown, ViewerPage

_KINDS: Final = {
    "damaged": "Line that cannot be read",
    "cut": "History lost",
    "compaction": "Replaced by a summary",
}


def view_row(owner: Owner) -> None:
    """Show the row under the cursor in full."""
    from toolpair.tui.screens.viewer import ViewerScreen
    from toolpair.tui.viewer_pages import message_pages, pages_of

    row = owner.pairs.row
    if row is None:
        return
    if row.pair is None:
        who = ROLES.get(row.role or "", row.role or "message")
        where = f" · messages.{row.message}" if row.message is not None else ""
        title = _KINDS.get(row.kind, f"{visible(who)}{where}")
        pages = message_pages(owner.session.conversation, row, owner.overview.noun, owner.overview.current)
        owner.open(ViewerScreen(title, pages))
        return

    def shown(row: PairRow, side: str) -> Shown:
        problem = owner.session.conversation.worst.get(row.pair.index) if row.pair is not None else None
        title, pages = pages_of(owner.session.conversation, row, problem, owner.overview.noun, owner.tool.carets)
        return title, pages, 1 if side != "call" and pages[0].beside is not None else 0

    def neighbour(by: int, side: str) -> Shown | None:
        pairs = owner.pairs
        at = pairs.cursor + by
        while 0 <= at < len(pairs.shown):
            found = owner.overview.rows[pairs.shown[at]]
            if found.pair is not None:
                pairs.move_to(at, centre=True)
                return shown(found, side)
            at += by
        return None

    owner.open(ViewerScreen(*shown(row, owner.pairs.side), neighbour))


def view_bytes(owner: Owner, problem: Problem) -> None:
    """Show what the recommended fix would change in the file."""
    fix = problem.recommended or (problem.fixes[0] if problem.fixes else None)
    if fix is None:
        owner.say("no fix is known here, so no byte would change")
        return
    from toolpair.session.carrying_out import preview
    from toolpair.tui.fix_effects import EffectsBefore
    from toolpair.tui.screens.viewer import ViewerScreen
    from toolpair.tui.viewer_pages import change_pages

    changes = partial(preview, owner.session.conversation, fix)
    first = EffectsBefore(problem, fix, owner.session.conversation)
    pages = change_pages(changes, owner.overview.noun, owner.tool.carets, first, whole_new=True)
    owner.open(ViewerScreen(f"Exact bytes: {visible(fix.title)}", pages))


def view_sent(owner: Owner) -> None:
    """Show what the model sees, now and after saving."""
    from toolpair.tui.screens.sees import SeesScreen
    from toolpair.tui.screens.viewer import text_page
    from toolpair.tui.sees_text import SHORT, line_style, records_text, sent_text

    if not owner.is_whole():
        return
    session, now = owner.session, owner.session.conversation
    before = session.staging.original[session.current]

    def page(title: str, state: Conversation, most: int | None = SHORT) -> ViewerPage:
        return text_page(title, lambda: sent_text(owner.glyphs, state, most), line_style)

    pages = [page("as sent", now)]
    if now.document is not before.document:
        pages = [page("now", before), page("after saving", now)]
    pages.append(page("in full", now, None))
    pages.append(text_page("lines", lambda: records_text(now)))
    owner.open(SeesScreen("What the model sees", pages, len(pages) - 3, session))


def view_statistics(owner: Owner) -> None:
    """Show them; a tool leads to its pairs, an output to its row."""
    from toolpair.tui.screens.statistics import StatisticsScreen

    if not owner.is_whole():
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

    name = visible(conversation.head.session_id or owner.session.file.name)
    owner.ask(StatisticsScreen(conversation, name), chosen)
