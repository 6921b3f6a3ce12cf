"""Read-only views: a row in full, the bytes that a fix changes, what the model sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.dialects.block_values import as_json
from toolpair.text.safe import visible

if TYPE_CHECKING:
    from toolpair.session.session import Problem
    from toolpair.tui.controllers.owner import Owner


def view_row(owner: Owner) -> None:
    """Show the row under the cursor in full."""
    from toolpair.tui.screens.viewer import ViewerPage, ViewerScreen

    row = owner.pairs.row
    if row is None:
        return
    if row.pair is None:
        label = row.label
        owner.open(ViewerScreen("Message", [ViewerPage("text", lambda: label)]))
        return
    pages: list[ViewerPage] = []
    call, result = row.pair.call, row.result
    if call is not None:
        pages.append(ViewerPage("call", lambda: as_json(call, indent=2)))
    if result is not None:
        pages.append(ViewerPage("result", lambda: result.text))
        pages.append(ViewerPage("result as it is written", lambda: as_json(result, indent=2)))
    start = 1 if owner.pairs.side == "result" and call is not None and result is not None else 0
    name = visible(call.name or "") if call is not None else "result"
    owner.open(ViewerScreen(f"{row.pair.index} {name}", pages, start))


def view_bytes(owner: Owner, problem: Problem) -> None:
    """Show what the recommended fix would change in the file."""
    fix = problem.recommended or (problem.fixes[0] if problem.fixes else None)
    if fix is None:
        owner.say("no fix is known here, so no byte would change")
        return
    from toolpair.session.carrying_out import preview
    from toolpair.tui.bytes_text import diff_style, parts_text, whole_text
    from toolpair.tui.screens.viewer import ViewerPage, ViewerScreen

    noun, changes = owner.overview.noun, preview(owner.session.conversation, fix)
    pages = [
        ViewerPage("what differs", lambda: parts_text(changes, noun), diff_style),
        ViewerPage("whole lines", lambda: whole_text(changes, noun), diff_style),
    ]
    owner.open(ViewerScreen(visible(fix.title), pages))


def view_sent(owner: Owner) -> None:
    """Show what the model sees, now and after saving."""
    from toolpair.tui.screens.viewer import ViewerPage, ViewerScreen
    from toolpair.tui.sees_text import full_text, line_style, records_text, short_text

    if owner.overview.partial is not None:
        owner.say(owner.busy_reason)
        return
    session, now = owner.session, owner.session.conversation
    before = session.staging.original[session.current]
    pages = [ViewerPage("as sent", lambda: short_text(session, now), line_style)]
    if now.document is not before.document:
        pages[0] = ViewerPage("after saving", pages[0].make, line_style)
        pages.insert(0, ViewerPage("now", lambda: short_text(session, before), line_style))
    pages.append(ViewerPage("in full", lambda: full_text(session, now), line_style))
    pages.append(ViewerPage("lines", lambda: records_text(now)))
    owner.open(ViewerScreen("What the model sees", pages, len(pages) - 3))
