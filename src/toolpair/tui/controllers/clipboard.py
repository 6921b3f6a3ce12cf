"""The copy menu: ids, texts, places and commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolpair.dialects.block_values import as_json
from toolpair.history.row_texts import whole_text
from toolpair.text.safe import SafeText, visible, visible_text
from toolpair.tui.run_result import command_of

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.menu import MenuEntry


def choose_copy(owner: Owner) -> None:
    """Show what can be copied from the row under the cursor."""
    from toolpair.tui.screens.menu import MenuEntry, choose

    row = owner.pairs.row
    if row is None:
        return
    session = owner.session
    entries: list[MenuEntry] = []

    def offer(label: str, text: Callable[[], str], note: str = "", safe: Callable[[str], SafeText] = visible) -> None:
        """Text pasted into a shell must not contain line breaks: what may have some is `safe` otherwise."""
        entries.append(MenuEntry(_numbered(entries, label), lambda: owner.say(owner.tool.copy(safe(text()))), note))

    pair = row.pair
    if pair is not None:
        call, result = pair.call, row.result
        if call is not None:
            offer("the id", lambda: str(call.id), str(call.id)[:60])
        if result is not None and (call is None or call.id != result.id):
            offer("the result's id", lambda: str(result.id), str(result.id)[:60])
        if call is not None:
            offer("the call", lambda: as_json(call, indent=2), safe=visible_text)
        if result is not None:
            offer("the result", lambda: result.text, safe=visible_text)
    else:
        offer("the text", lambda: whole_text(session.conversation, row), safe=visible_text)
    problem = owner.overview.current
    if problem is not None and session.path is not None:
        line = session.location(problem).line
        if line is not None:
            place = f"{session.path}:{line}"
            offer("the file and line", lambda: place, place)
    command = command_of(session.resume_command())
    if command:
        offer("the command to resume", lambda: command, command)

    block = pair.call if pair is not None and pair.call is not None else row.result
    at = block.record if block is not None else row.record
    if at is not None:

        def choose_api() -> None:
            from toolpair.tui.controllers import request_copy

            request_copy.choose_api(owner, at)

        label = _numbered(entries, "the request that produced this turn …")
        entries.append(MenuEntry(label, choose_api, "as a body for an API"))
    choose(owner, "Copy", entries, of_state=False)


def _numbered(entries: list[MenuEntry], label: str) -> str:
    return f"{len(entries) + 1}  {label}"
