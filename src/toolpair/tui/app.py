"""The application: starts, opens the screens that others do not know, ends."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from signal import SIGINT
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.css.query import QueryError
from textual.worker import WorkerFailed

from toolpair.tui.application import Application
from toolpair.tui.keys import PROGRAM
from toolpair.tui.open_sessions import OpenSessions
from toolpair.tui.own import USUAL, Own
from toolpair.tui.screens.base_screen import is_small
from toolpair.tui.typed_ahead import is_forwarded_input, is_input

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.screen import Screen

    from toolpair.session.journal.folder import Folder
    from toolpair.session.session import Session
    from toolpair.tui.background_loading import Opening
    from toolpair.tui.commands import Command
    from toolpair.tui.preferences import Preferences
    from toolpair.tui.session_list import Sessions

_KEEP = 0.4
"""Seconds between checks whether the journal must be written."""
_LOOK = 0.01
"""Seconds between checks whether a save has ended."""


class ToolpairApp(Application):
    """Owns the open sessions, and asks about unsaved work on quitting. Without a session it starts with the list."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    TITLE = "toolpair"
    BINDINGS: ClassVar[list[BindingType]] = PROGRAM.bindings(priority=True)

    def __init__(
        self,
        session: Session | None,
        at: str | None = None,
        ascii: bool = False,
        sessions: Callable[[], Sessions] | None = None,
        opening: Opening | None = None,
        journal: Callable[[], Folder] | None = None,
        preferences: Preferences | None = None,
        own: Own = USUAL,
        theme: str = "",
    ) -> None:
        """`journal` is the folder for unsaved fixes; it is called in a thread."""
        super().__init__(ascii, sessions, journal, preferences, own, theme)
        self._opening = opening
        self._leaving: asyncio.Task[None] | None = None
        self.open_sessions: OpenSessions = OpenSessions(self, session, at)
        self.scroll_sensitivity_y = 3.0

    def get_driver_class(self) -> type[Driver]:
        default = super().get_driver_class()
        if default.__name__ != "LinuxDriver":
            return default
        from toolpair.tui.terminal_driver import TerminalDriver

        return TerminalDriver

    def _handle_exception(self, error: Exception) -> None:
        """Whatever fails leaves the terminal as it was, and the command line says it in a sentence."""
        if self.typed_ahead.has_ended() and isinstance(error, QueryError):
            return  # a message that arrived too late for a screen being removed
        self._end(keep=True)
        if os.environ.get("TOOLPAIR_TRACEBACK"):
            super()._handle_exception(error)
            return
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            error = error.error
        if self.result.error is None:
            self.result.error = self._exception = error
            self._exception_event.set()
        self._return_code = 1
        self.panic()

    def on_mount(self) -> None:
        if self.journal is not None:
            self.set_interval(_KEEP, self.open_sessions.keep)
        if self.open_sessions.desks:
            self.open_sessions.begin()
        elif self._opening is not None:
            from toolpair.tui.screens.loading import OpeningScreen

            def failed(error: Exception) -> None:
                self.result.error = error
                self.exit()

            self.push_screen(OpeningScreen(self._opening, failed))
        else:
            from toolpair.tui.screens.picker import PickerScreen

            if self.sessions is not None:
                self.push_screen(PickerScreen(self.sessions))

    def on_unmount(self) -> None:
        self.colours.close()

    # screens that others open without knowing them

    def open_help(self) -> None:
        from toolpair.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def command_list(self, commands: Sequence[Command]) -> Screen[str | None]:
        from toolpair.tui.screens.command import CommandScreen

        return CommandScreen(commands)

    # the end

    @property
    def has_terminal(self) -> bool:
        """Whether the terminal is in the state that the interface needs."""
        return getattr(self._driver, "has_terminal", False)

    async def interrupt(self) -> None:
        """Quit as `q` does, at the request of another process."""
        if self.typed_ahead.has_ended():
            return
        await self.action_quit()
        if self.typed_ahead.has_ended():
            self.result.signal = SIGINT

    def leave(self, signal: int) -> None:
        """End without asking, because of a signal; unsaved work is kept."""
        if self.typed_ahead.has_ended():
            return
        self.result.signal = signal
        self._leaving = asyncio.create_task(self._leave())

    async def _leave(self) -> None:
        from toolpair.tui.screens.writing import WritingScreen

        if isinstance(self.screen, WritingScreen):
            # A save ends before the program does, given up or not, so that nothing of it is left lying about.
            self.screen.give_up()
            while any(isinstance(each, WritingScreen) for each in self.screen_stack) or self.typed_ahead.busy:
                await asyncio.sleep(_LOOK)
        self.exit()

    def exit(self, *arguments: Any, **named: Any) -> None:
        self._end(keep=bool(self.result.signal))
        super().exit(*arguments, **named)

    def _end(self, keep: bool) -> None:
        """Stop handling events and close all sessions. `keep`: the user did not ask for the end."""
        self.typed_ahead.end()
        self.colours.close()
        if keep:
            with suppress(Exception):  # the session may be what failed
                self.result.unsaved = sum(desk.unsaved_fixes for desk in self.open_sessions.desks)
        for desk in self.open_sessions.desks:
            with suppress(Exception):
                desk.close(keep)
                self.result.kept = self.result.kept or (keep and desk.is_kept)

    # keys

    async def on_event(self, event: events.Event) -> None:
        if not is_input(event):
            if not (is_forwarded_input(event) and self.typed_ahead.is_outdated):
                await super().on_event(event)
            elif isinstance(event, events.Key):
                self.typed_ahead.came_late(event)
        elif self.typed_ahead.admits(event):
            try:
                await self._handle_input(event)
            finally:
                self.typed_ahead.handled()

    async def _handle_input(self, event: events.Event) -> None:
        """When the terminal is too small to read anything, the only thing possible is to quit."""
        leaving = PROGRAM.held({}) | set(self.own.keys.get("quit", "q").split(","))
        if not is_small(*self.size):
            await super().on_event(event)
        elif isinstance(event, events.Key) and event.key in leaving:
            await self.action_quit()

    async def action_quit(self) -> None:
        """Quit; with fixes that are not saved, ask first."""
        from toolpair.tui.screens.writing import WritingScreen

        if isinstance(self.screen, WritingScreen):
            self.screen.say_not_now()
        else:
            self.open_sessions.ask_about_unsaved("Quit?", "discard them and quit", self.exit)

    def action_suspend_process(self) -> None:
        """Stop until a shell continues the program."""
        from toolpair.tui.terminal_driver import TerminalDriver

        if isinstance(self._driver, TerminalDriver):
            self._driver.suspend(group=True)

    def on_signal_resume(self) -> None:
        self.screen.refresh(layout=True)
