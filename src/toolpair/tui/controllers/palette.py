"""The command palette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from toolpair.tui.keys import GROUPS, key_names

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.menu import MenuEntry


def choose_command(owner: Owner, run: Callable[[str], Awaitable[object]]) -> None:
    """Show all commands as a menu, and `run` the action of the chosen one."""
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    entries: list[MenuEntry] = []
    for group in GROUPS:
        for key in group.keys:
            if key.palette:
                entries.append(MenuEntry(key.action, key.label[0].upper() + key.label[1:], key_names(key.keys)))
    entries.append(MenuEntry("theme", "Choose a theme: dark, light, others"))
    entries.append(MenuEntry("leave", "Quit", "q"))

    async def chosen(value: str | None) -> None:
        if value is not None:
            await run(value)

    owner.ask(MenuScreen("Commands", entries, filter=True), chosen)
