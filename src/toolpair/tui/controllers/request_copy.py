"""Copying the request that produced the turn under the cursor, for any API that `toolpair export` knows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolpair.reports.export.exported import Exported, ExportRefused
from toolpair.reports.export.exporting import export
from toolpair.reports.export.source import turn_of
from toolpair.reports.export.targets import TARGETS
from toolpair.shell.program import command
from toolpair.shell.quoting import operand
from toolpair.text.safe import visible, visible_text
from toolpair.transcript.counting import plural
from toolpair.tui.screens.menu import MenuEntry, choose
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.aside import Aside
    from toolpair.tui.controllers.owner import Owner

MOST: Final = 100_000
"""Characters of a body that is copied: part of one would be of no use."""


def choose_api(owner: Owner, record: int) -> None:
    """Ask for which API, and copy the request there."""
    own = owner.session.conversation.format.profile
    names = sorted(TARGETS, key=lambda name: name != own)
    entries = [
        MenuEntry(
            f"{number}  {TARGETS[name].title}",
            partial(_make, owner, name, record),
            "as it was sent" if name == own else "",
        )
        for number, name in enumerate(names, 1)
    ]
    choose(owner, "Copy the request for", entries)


def _make(owner: Owner, to: str, record: int) -> None:
    draft = owner.session.draft()
    owner.say("making the request …")

    def in_thread(aside: Aside) -> None:
        try:
            turn = turn_of(draft.conversation, record)
            made = export(draft, to, turn=turn)
        except ExportRefused as refusal:
            text = str(refusal)
            aside.run_in_ui(lambda: owner.say(visible(text)))
            return
        aside.run_in_ui(lambda: owner.say(_copied(owner, draft, made)))

    def failed(error: Exception) -> None:
        owner.say(f"nothing was copied: {failure(error)}")

    owner.in_thread(in_thread, "export", failed, of_state=True)


def _copied(owner: Owner, session: Session, made: Exported) -> str:
    body = made.json.decode()
    if len(body) > MOST:
        turn = f" --turn {made.turn}" if made.turn is not None else ""
        where = "FILE" if session.file.address is None else operand(session.file.address)
        line = command(f"export {where} --to {made.to}{turn} -o body.json")
        return visible(f"too long to copy ({len(body):,} characters): {line}")
    said = owner.tool.copy(visible_text(body))
    what = f"the request of turn {made.turn} of {made.turns}" if made.turn is not None else "the whole history"
    notes = f"; {plural(len(made.notes), 'note')}: {made.notes[0]}" if made.notes else ""
    return visible(f"{said}: {what}{notes}")
