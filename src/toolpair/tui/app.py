"""The application: what all screens share."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGINT
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.css.query import QueryError
from textual.worker import WorkerFailed

from toolpair.shell.program import command
from toolpair.text.safe import SafeText, visible
from toolpair.text.shell import shell_word
from toolpair.tui.desk import Desk
from toolpair.tui.keys import PROGRAM
from toolpair.tui.numbers import count_text
from toolpair.tui.overview import Overview
from toolpair.tui.paint import PAINT_CSS
from toolpair.tui.run_result import RunResult
from toolpair.tui.screens.base_screen import BaseScreen, is_small
from toolpair.tui.styled_text import Glyphs
from toolpair.tui.theme import DARK, LIGHT, terminal_is_light
from toolpair.tui.typed_ahead import TypedAhead, is_input
from toolpair.tui.work import LongTask

if TYPE_CHECKING:
    from textual.driver import Driver

    from toolpair.session.journal import Folder
    from toolpair.session.saving import Saved
    from toolpair.session.session import Session
    from toolpair.tui.background_loading import Opening
    from toolpair.tui.leaving import Leaving
    from toolpair.tui.screens.pair_screen import PairScreen
    from toolpair.tui.session_list import Sessions

COPY_LIMIT = 100_000
"""Characters: terminals and tmux drop a longer OSC 52."""
_KEEP = 0.4
"""Seconds between checks whether the journal must be written."""
_LOOK = 0.01
"""Seconds between checks whether a save has ended."""


class ToolpairApp(App[None]):
    """Owns the open sessions, and asks about unsaved work on quitting. Without a session it starts with the list."""

    CSS = PAINT_CSS
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
    ) -> None:
        """`journal` is the folder for unsaved fixes; it is called in a thread."""
        super().__init__()
        self.at = at
        self.glyphs = Glyphs(ascii)
        self.result = RunResult()
        self.typed_ahead = TypedAhead(self)
        self.journal = journal
        self._make_sessions = sessions
        self._opening = opening
        self._sessions: Sessions | None = None
        self._asked: tuple[str, BaseScreen[Any]] | None = None
        """The latest question about unsaved work."""
        self.leaving: Leaving | None = None
        self._leaving: asyncio.Task[None] | None = None
        self.desks: list[Desk] = [Desk(session)] if session is not None else []
        """The session that was opened, with the sub-agents' sessions opened from it on top."""
        self.scroll_sensitivity_y = 3.0
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = "toolpair-light" if terminal_is_light() else "toolpair-dark"
        self.set_class(self.no_color, "-no-color")

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
        return DARK.variables

    @property
    def placeholder(self) -> str:
        """The text that a placeholder has when the user does not change it."""
        from toolpair.session.session import PLACEHOLDER

        return PLACEHOLDER

    # open sessions

    @property
    def desk(self) -> Desk | None:
        """The session on top."""
        return self.desks[-1] if self.desks else None

    @property
    def session(self) -> Session:
        return self.desks[-1].session

    @property
    def overview(self) -> Overview:
        return self.desks[-1].overview

    @property
    def unsaved(self) -> bool:
        """Whether quitting now would lose something: fixes that are in no file."""
        return any(desk.unsaved for desk in self.desks)

    @property
    def unsaved_fixes(self) -> int:
        return sum(desk.unsaved_fixes for desk in self.desks)

    @property
    def sessions(self) -> Sessions | None:
        """The model of the list of sessions; None if there is no such list."""
        if self._sessions is None and self._make_sessions is not None:
            self._sessions = self._make_sessions()
        return self._sessions

    def on_mount(self) -> None:
        if self.journal is not None:
            self.set_interval(_KEEP, self._keep)
        if self.desks:
            from toolpair.tui.screens.pair_screen import PairScreen

            self.push_screen(PairScreen(self.desks[-1], self.at))
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

    def open_file(
        self,
        screen: BaseScreen[Any],
        opening: Opening,
        work: LongTask,
        failed: Callable[[Exception], None],
        keep: int = 0,
    ) -> None:
        """Open a file in the background and show its contents in place of `screen`.

        `failed` is called when nothing is shown yet. `keep` is how many of the open sessions stay below it.
        """
        from toolpair.tui.background_loading import begin

        shown: list[PairScreen] = []

        def beginning(session: Session) -> PairScreen | None:
            if self.screen is screen:
                shown.append(self.show(session, keep, opening, work))
                return shown[0]
            return None

        def whole(session: Session) -> None:
            # What was just read lives as long as the program: none of it is garbage.
            gc.freeze()
            if shown:
                shown[0].take_whole(session)
            else:
                screen.when_on_top(lambda: self.show(session, keep))

        def not_read(error: Exception) -> None:
            if shown:
                shown[0].not_read(error)
            else:
                failed(error)

        begin(screen, opening, work, whole, not_read, beginning)

    def show(
        self, session: Session, keep: int = 0, opening: Opening | None = None, work: LongTask | None = None
    ) -> PairScreen:
        """Show a session on top of `keep` of the open ones. With `opening`, it holds only the beginning of its file."""
        from toolpair.tui.screens.pair_screen import PairScreen

        desk = Desk(session, opening.size if opening is not None else None)
        for closed in self.desks[keep:]:
            closed.close(keep=False)
        self.desks[keep:] = [desk]
        screen = PairScreen(desk, self.at, opening, work)
        self.at = None
        while len(self.screen_stack) > keep + 2:
            self.pop_screen()
        if len(self.screen_stack) == keep + 2:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)
        return screen

    def go_back(self) -> None:
        """Go back from a sub-agent's session to the one it was opened from."""

        def leave() -> None:
            while len(self.screen_stack) > len(self.desks):
                self.pop_screen()
            self.desks.pop().close(keep=False)

        self.ask_about_unsaved("Back?", "discard them and go back", leave, desks=self.desks[-1:])

    def ask_about_unsaved(
        self,
        title: str,
        discard: str,
        leave: Callable[[], None],
        desks: Sequence[Desk] | None = None,
    ) -> None:
        """Call `leave`; if that would lose fixes that are in no file, ask first, once."""
        from toolpair.tui.screens.confirm import ConfirmScreen

        screen = self.screen
        if self._asked == (title, screen):
            return
        fixes = sum(desk.unsaved_fixes for desk in (self.desks if desks is None else desks))
        if not fixes or not isinstance(screen, BaseScreen):
            leave()
            return

        def answered(answer: str | None) -> None:
            if answer == "discard":
                leave()
            elif answer == "save":
                self.review_unsaved()

        words = f"{count_text(fixes, 'fix')} {'is' if fixes == 1 else 'are'} applied but not saved."
        question = ConfirmScreen(
            title,
            lambda width, height: self.glyphs.paragraph(words, width),
            [("w", "save", "review and save"), ("d", "discard", discard)],
        )
        self._asked = title, question
        screen.ask(question, answered)

    def review_unsaved(self) -> None:
        """Go back to the last session with unsaved fixes, and open its review."""
        from toolpair.tui.screens.pair_screen import PairScreen

        number = max((n for n, desk in enumerate(self.desks) if desk.unsaved), default=None)
        if number is None:
            return
        while len(self.screen_stack) > number + 2:
            self.pop_screen()
        for closed in self.desks[number + 1 :]:
            closed.close(keep=False)
        del self.desks[number + 1 :]
        if isinstance(self.screen, PairScreen):
            self.screen.action_review()

    def main_screen_of(self, desk: Desk) -> PairScreen | None:
        """The main screen that shows the session."""
        from toolpair.tui.screens.pair_screen import PairScreen

        return next((each for each in self.screen_stack if isinstance(each, PairScreen) and each.desk is desk), None)

    def session_changed(self, desk: Desk) -> None:
        """Tell its main screen that the session has been replaced."""
        screen = self.main_screen_of(desk)
        if screen is not None:
            screen.forget_note()
            screen.reload()

    def read_again(self, desk: Desk) -> str:
        """Open the file again, without staged fixes. Returns why not; empty on success."""
        from toolpair.session.session import SessionError

        old = desk.session
        if old.path is None:
            return "This was read from standard input, so it cannot be read again."
        try:
            session = old.reopened()
        except (SessionError, OSError) as error:
            return f"Not read again. {error}"
        session.current = min(old.current, len(session.conversations) - 1)
        desk.go_on_with(session)
        self.session_changed(desk)
        return ""

    def copy(self, text: SafeText) -> str:
        """Copy `text` to the clipboard. Returns the message for the user."""
        short = text[:COPY_LIMIT]
        self.copy_to_clipboard(short)
        if len(short) < len(text):
            return f"copied the first {len(short):,} of {len(text):,} characters"
        return f"copied {len(text):,} characters"

    # saved files

    def note_saved(self, desk: Desk, saved: Saved, fixed: Sequence[str], in_place: bool) -> None:
        """Remember what to print after quitting; continue with the file's current state."""
        desk.note_saved(in_place)
        lines = [f"Saved {visible(saved.path)}"]
        lines += [f"  {visible(line)}" for line in fixed]
        if saved.backup is not None:
            lines.append(f"Original kept as {visible(saved.backup)}")
            lines.append(f"Undo: {command('restore')} {shell_word(saved.path)} --backup latest")
        if saved.aside is not None:
            lines.append(f"Lines set aside are kept as {visible(saved.aside)}")
        lines += [f"Older backup removed, as you configured: {visible(old)}" for old in saved.removed]
        lines += [f"Note: {visible(note)}" for note in saved.notes]
        if saved.resume and visible(saved.resume) != saved.resume:
            lines.append("Next: resume it in its folder, whose name cannot be shown here.")
        elif saved.resume:
            lines.append(f"Next: {saved.resume}")
        self.result.saved.append(saved.path)
        self.result.report_lines += lines

    def note_restored(self, saved: Saved, backup: Path) -> None:
        """Remember what to print after quitting."""
        lines = [f"Restored {visible(saved.path)} from {visible(backup.name)}"]
        if saved.backup is not None:
            lines.append(f"What it held before is kept as {visible(saved.backup)}")
        self.result.saved.append(saved.path)
        self.result.report_lines += [*lines, *(f"Note: {visible(note)}" for note in saved.notes)]

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

    def _keep(self) -> None:
        """Write the journal if unsaved fixes have changed."""
        for desk in self.desks:
            desk.keep()
            problem = desk.keeper.problem if desk.keeper is not None else None
            screen = self.main_screen_of(desk)
            if problem is not None and screen is not None:
                screen.warn_of_journal(problem)

    def keep_work(self) -> None:
        """Write the journal of unsaved fixes. May be called from another thread."""
        for desk in self.desks:
            desk.close(keep=True)

    def exit(self, *arguments: Any, **named: Any) -> None:
        self._end(keep=bool(self.result.signal))
        super().exit(*arguments, **named)

    def _end(self, keep: bool) -> None:
        """Stop handling events and close all sessions. `keep`: the user did not ask for the end."""
        self.typed_ahead.end()
        if keep:
            with suppress(Exception):  # the session may be what failed
                self.result.unsaved = self.unsaved_fixes
        for desk in self.desks:
            with suppress(Exception):
                desk.close(keep)
                self.result.kept = self.result.kept or (keep and desk.is_kept)

    # keys

    async def on_event(self, event: events.Event) -> None:
        if not is_input(event):
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
            self.ask_about_unsaved("Quit?", "discard them and quit", self.exit)

    def action_suspend_process(self) -> None:
        """Stop until a shell continues the program."""
        from toolpair.tui.terminal_driver import TerminalDriver

        if isinstance(self._driver, TerminalDriver):
            self._driver.suspend(group=True)

    def on_signal_resume(self) -> None:
        self.screen.refresh(layout=True)

    def last_key(self) -> float:
        """When the user last typed or clicked, by the monotonic clock."""
        return self.typed_ahead.last

    def switch_colours(self) -> None:
        self.theme = "toolpair-light" if self.theme == "toolpair-dark" else "toolpair-dark"
