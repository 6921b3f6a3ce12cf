"""The copy menu: ids, texts, places and commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolpair.dialects.block_values import as_json
from toolpair.history.row_texts import whole_text
from toolpair.text.safe import visible, visible_text
from toolpair.tui.resume_text import command_of

if TYPE_CHECKING:
    from toolpair.history.summary import PairRow
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.menu import MenuEntry

_OF_MANY_LINES = ("call", "result", "text")
"""What may be copied with line breaks."""


def _record_of(row: PairRow) -> int | None:
    return row.result.record if row.result is not None else row.record


def choose_copy(owner: Owner) -> None:
    """Show what can be copied from the row under the cursor."""
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    row = owner.pairs.row
    if row is None:
        return
    session = owner.session
    texts: dict[str, Callable[[], str]] = {}
    entries: list[MenuEntry] = []

    def offer(value: str, label: str, make: Callable[[], str], note: str = "") -> None:
        texts[value] = make
        entries.append(MenuEntry(value, f"{len(entries) + 1}  {label}", note))

    pair = row.pair
    if pair is not None:
        call, result = pair.call, row.result
        if call is not None:
            offer("id", "the id", lambda: str(call.id), str(call.id)[:60])
        if result is not None and (call is None or call.id != result.id):
            offer("result-id", "the result's id", lambda: str(result.id), str(result.id)[:60])
        if call is not None:
            offer("call", "the call", lambda: as_json(call, indent=2))
        if result is not None:
            offer("result", "the result", lambda: result.text)
    else:
        text = whole_text(session.conversation, row)
        offer("text", "the text", lambda: text)
    problem = owner.overview.current
    if problem is not None and session.path is not None:
        line = session.location(problem).line
        if line is not None:
            place = f"{session.path}:{line}"
            offer("place", "the file and line", lambda: place, place)
    command = command_of(session.resume_command())
    if command:
        offer("resume", "the command to resume", lambda: command, command)

    at = pair.call.record if pair is not None and pair.call is not None else _record_of(row)
    if at is not None:
        offer("request", "the request that produced this turn …", lambda: "", "as a body for an API")

    def chosen(value: str | None) -> None:
        if value == "request" and at is not None:
            from toolpair.tui.controllers.request_copy import choose_api

            choose_api(owner, at)
        elif value is not None:
            # Text pasted into a shell must not contain line breaks.
            safe = visible_text if value in _OF_MANY_LINES else visible
            owner.say(owner.tool.copy(safe(texts[value]())))

    owner.ask(MenuScreen("Copy", entries), chosen)
