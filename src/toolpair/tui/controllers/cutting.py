"""`C`: what is before the row under the cursor, or after it, left out, as a new session."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from toolpair.session.cutting import Part, Side, cut_at
from toolpair.text.safe import visible
from toolpair.transcript.counting import plural
from toolpair.tui.screens.menu import MenuEntry, choose
from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.screens.writing import Steps, write
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.session.session import Saved
    from toolpair.tui.controllers.owner import Owner


def choose_side(owner: Owner) -> None:
    row = owner.pairs.row
    message = row.message if row is not None else None
    if row is not None and row.pair is not None:
        message = row.pair.start[0]
    if message is None:
        owner.say("there is no message here to cut at")
        return
    sides: tuple[tuple[Side, str], ...] = (
        ("before", "1  leave out everything before this"),
        ("after", "2  leave out everything after this"),
    )
    entries = [MenuEntry(label, partial(_cut, owner, message, side)) for side, label in sides]
    choose(owner, "Cut: the rest becomes a new session, this file stays as it is", entries)


def _cut(owner: Owner, message: int, side: Side) -> None:
    try:
        part = cut_at(owner.session, message, side)
    except Exception as error:
        owner.say(failure(error))
        return
    path = owner.session.path
    value = str(path.with_name(part.file_name)) if path is not None else part.file_name
    if os.path.isdir(value):  # the session is many files in this folder
        value += "-part"
    notes = [part.text, part.estimate]
    if part.added is not None:
        notes.append(f"A user message is put at the start: {part.added}")

    def given(name: str | None) -> None:
        if name and name.strip():
            _write(owner, part, os.path.expanduser(name.strip()))

    owner.ask(PromptScreen("Save the new session as", value, notes, submit="save"), given, of_state=True)


def _write(owner: Owner, part: Part, name: str) -> None:
    def work(steps: Steps | None) -> Saved:
        return part.session.save_as(name, progress=steps.advance if steps is not None else None)

    def ended(result: Saved | Exception | None) -> None:
        if isinstance(result, Exception):
            owner.say(failure(result))
        elif result is not None:
            owner.say(f"{plural(part.kept, 'message')} written to {visible(name)}; this file is as it was")

    write(owner, part.session, part.session.file.size, work, ended)
