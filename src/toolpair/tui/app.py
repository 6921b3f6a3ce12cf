"""The application: what all screens share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from signal import SIGINT
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.css.query import QueryError
from textual.worker import WorkerFailed

from toolpair.text.safe import SafeText
from toolpair.tui.colours import Colours
from toolpair.tui.keys import PROGRAM
from toolpair.tui.open_sessions import OpenSessions
from toolpair.tui.overview import Overview
from toolpair.tui.paint import Palette
from toolpair.tui.run_result import RunResult
from toolpair.tui.screens.base_screen import is_small
from toolpair.tui.styled_text import Glyphs
from toolpair.tui.theme import OWN, THEMES, roles_of, terminal_is_light, theme_for
from toolpair.tui.typed_ahead import TypedAhead, is_forwarded_input, is_input
from toolpair.tui.unsaved_question import UnsavedQuestion

if TYPE_CHECKING:
    from textual.driver import Driver

    from toolpair.session.journal import Folder
    from toolpair.session.session import Session
    from toolpair.tui.background_loading import Opening
    from toolpair.tui.desk import Desk
    from toolpair.tui.leaving import Leaving
    from toolpair.tui.preferences import Preferences
    from toolpair.tui.session_list import Sessions

COPY_LIMIT = 100_000
"""Characters: terminals and tmux drop a longer OSC 52."""
_KEEP = 0.4
"""Seconds between checks whether the journal must be written."""
_LOOK = 0.01
"""Seconds between checks whether a save has ended."""


class ToolpairApp(App[None]):
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
    ) -> None:
        """`journal` is the folder for unsaved fixes; it is called in a thread."""
        self._palette: tuple[dict[str, str], Palette] | None = None
        super().__init__()
        self.glyphs = Glyphs(ascii)
        self.result = RunResult()
        self.typed_ahead = TypedAhead(self)
        self.journal = journal
        self._make_sessions = sessions
        self._opening = opening
        self._sessions: Sessions | None = None
        self.unsaved_question = UnsavedQuestion(self)
        self.leaving: Leaving | None = None
        self._leaving: asyncio.Task[None] | None = None
        self.open_sessions = OpenSessions(self, session, at)
        self.scroll_sensitivity_y = 3.0
        self.colours = Colours()
        self.shows_times = False
        """Whether lists of pairs show times."""
        for theme in OWN:
            self.register_theme(theme)
        self._preferences = preferences
        chosen = preferences.theme if preferences is not None else ""
        self._light = terminal_is_light()
        self.asks_terminal = chosen not in THEMES
        """Whether the theme follows the terminal's background."""
        self.theme = theme_for(self._light) if self.asks_terminal else chosen

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

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {} if self.current_theme in OWN else roles_of(self.current_theme)

    @property
    def palette(self) -> Palette:
        """The styles of all that is drawn, in the current theme."""
        if self._palette is None or self._palette[0] != self.theme_variables:
            self._palette = self.theme_variables, Palette(self.theme_variables, self.no_color)
        return self._palette[1]

    @property
    def placeholder(self) -> str:
        """The text that a placeholder has when the user does not change it."""
        from toolpair.session.session import PLACEHOLDER

        return PLACEHOLDER

    # open sessions

    @property
    def desk(self) -> Desk | None:
        """The session on top."""
        return self.open_sessions.top

    @property
    def session(self) -> Session:
        return self.open_sessions.desks[-1].session

    @property
    def overview(self) -> Overview:
        return self.open_sessions.desks[-1].overview

    @property
    def unsaved(self) -> bool:
        """Whether quitting now would lose something: fixes that are in no file."""
        return self.open_sessions.unsaved

    @property
    def sessions(self) -> Sessions | None:
        """The model of the list of sessions; None if there is no such list."""
        if self._sessions is None and self._make_sessions is not None:
            self._sessions = self._make_sessions()
        return self._sessions

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

    def copy(self, text: SafeText) -> str:
        """Copy `text` to the clipboard. Returns the message for the user."""
        short = text[:COPY_LIMIT]
        self.copy_to_clipboard(short)
        if len(short) < len(text):
            return f"copied the first {len(short):,} of {len(text):,} characters"
        return f"copied {len(text):,} characters"

    # the end

    @property
    def has_terminal(self) -> bool:
        """Whether the terminal is in the state that the interface needs."""
        return getattr(self._driver, "has_terminal", False)

    def hang_up(self) -> None:
        """The terminal is gone. May be called from another thread."""
        if self.leaving is not None:
            self.leaving.hang_up()

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
        elif self.typed_ahead.admits(event):
            try:
                await self._handle_input(event)
            finally:
                self.typed_ahead.handled()

    async def _handle_input(self, event: events.Event) -> None:
        """When the terminal is too small to read anything, the only thing possible is to quit."""
        if not is_small(*self.size):
            await super().on_event(event)
        elif isinstance(event, events.Key) and event.key in ("q", "ctrl+q", "ctrl+c"):
            await self.action_quit()

    async def action_quit(self) -> None:
        """Quit; with fixes that are not saved, ask first."""
        from toolpair.tui.screens.writing import WritingScreen

        if isinstance(self.screen, WritingScreen):
            self.screen.say_not_now()
        else:
            self.unsaved_question.ask("Quit?", "discard them and quit", self.exit)

    def action_suspend_process(self) -> None:
        """Stop until a shell continues the program."""
        from toolpair.tui.terminal_driver import TerminalDriver

        if isinstance(self._driver, TerminalDriver):
            self._driver.suspend(group=True)

    def on_signal_resume(self) -> None:
        self.screen.refresh(layout=True)

    @property
    def carets(self) -> bool:
        """Whether diffs mark what differs below the lines, because colours may not show it."""
        return self.no_color or self.glyphs.ascii

    def last_key(self) -> float:
        """When the user last typed or clicked, by the monotonic clock."""
        return self.typed_ahead.last

    # colours

    def note_background(self, light: bool) -> None:
        """The terminal has said whether its background is light. May be called from another thread."""
        self.call_later(self._follow_background, light)

    def _follow_background(self, light: bool) -> None:
        self._light = light
        if self.asks_terminal and not self.typed_ahead.has_ended():
            self.theme = theme_for(light)

    def try_theme(self, name: str) -> None:
        """Show this theme without choosing it."""
        self.theme = name or theme_for(self._light)

    def choose_theme(self, name: str) -> bool:
        """Change to this theme, or with an empty name to what the terminal's background asks for. Returns whether it
        will be remembered.
        """
        self.asks_terminal = not name
        self.try_theme(name)
        return self._preferences is not None and self._preferences.remember_theme(name)
