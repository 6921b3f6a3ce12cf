"""Choosing a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.theme import THEMES

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner


def choose_theme(owner: Owner) -> None:
    """Show the themes as a menu: each while the cursor is on it, the chosen one from then on."""
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    tool = owner.tool
    entries = [MenuEntry("", "As the terminal is", "dark or light"), *(MenuEntry(name, name) for name in THEMES)]
    before = tool.theme
    here = 0 if tool.asks_terminal else 1 + THEMES.index(tool.theme)

    def chosen(name: str | None) -> None:
        if name is None:
            tool.try_theme(before)
        else:
            remembered = tool.choose_theme(name)
            owner.say(f"theme {tool.theme}{'' if remembered else ', for now: it cannot be remembered'}")

    owner.ask(MenuScreen("Themes", entries, here, on_move=tool.try_theme), chosen)
