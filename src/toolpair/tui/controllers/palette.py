"""The command palette, which `:` opens too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.tui.commands import Command
    from toolpair.tui.controllers.owner import Asks


def choose_command(owner: Asks, commands: Sequence[Command], run: Callable[[str], Awaitable[object]]) -> None:
    """Show commands by name, and `run` the action of the chosen one."""
    from toolpair.tui.screens.command import CommandScreen

    async def chosen(action: str | None) -> None:
        if action is not None:
            await run(action)

    owner.ask(CommandScreen(commands), chosen)
