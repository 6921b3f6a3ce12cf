"""The menu of the file's conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.numbers import count_text

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner


def choose_conversation(owner: Owner) -> None:
    """Show the menu; the chosen conversation is shown."""
    session = owner.session
    if session.file.is_stored and owner.tool.sessions is not None:
        from msgspec.structs import replace

        from toolpair.tui.screens.picker import PickerScreen

        of_database = replace(owner.tool.sessions, of=str(session.path), last=session.file.address)
        owner.open(PickerScreen(of_database))
        return
    conversations = session.conversations
    if len(conversations) < 2:
        owner.say("this file holds only one conversation")
        return
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    entries = []
    for n, conversation in enumerate(conversations):
        errors = conversation.verdict.errors
        count = f"{count_text(errors, 'problem') if errors else 'no problems':>13}"
        entries.append(MenuEntry(str(n), f"{n + 1:>4}  {count}  {conversation.label or f'conversation {n + 1}'}"))

    def chosen(value: str | None) -> None:
        if value is not None and int(value) != session.current:
            session.current = int(value)
            owner.show_other_history()
            owner.problems.show_first()

    owner.ask(MenuScreen(f"{len(conversations):,} conversations", entries, session.current), chosen, of_state=True)
