"""The application: what the screens share."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.worker import WorkerFailed

from toolpair.text.safe import SafeText, visible
from toolpair.text.shell import shell_word
from toolpair.tui.escape_key import prompt
from toolpair.tui.overview import Overview
from toolpair.tui.paint import PAINT_CSS
from toolpair.tui.result import RunResult
from toolpair.tui.screens.base import is_small
from toolpair.tui.spans import Glyphs
from toolpair.tui.theme import DARK, LIGHT, terminal_is_light
from toolpair.tui.work import Work

if TYPE_CHECKING:
    from textual.driver import Driver

    from toolpair.session import Saved, Session, Staged
    from toolpair.tui.opening import Opening
    from toolpair.tui.screens.main import MainScreen
    from toolpair.tui.sessions import Sessions

COPY_LIMIT = 100_000
"""Characters: terminals and tmux drop a longer OSC 52."""


class ToolpairApp(App[None]):
    """Owns the session, and guards it when the user quits. Without a session it begins with the list of them."""

    CSS = PAINT_CSS
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    TITLE = "toolpair"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", show=False, priority=True, id="app.quit"),
        Binding("ctrl+c", "quit", "quit", show=False, priority=True, id="app.interrupt"),
    ]

    session: Session
    overview: Overview

    def __init__(
        self,
        session: Session | None,
        at: str | None = None,
        ascii: bool = False,
        sessions: Callable[[], Sessions] | None = None,
        opening: Opening | None = None,
    ) -> None:
        super().__init__()
        self.at = at
        self.glyphs = Glyphs(ascii)
        self.result = RunResult()
        self._make_sessions = sessions
        self._opening = opening
        self._sessions: Sessions | None = None
        self._has_session = session is not None
        if session is not None:
            self.session = session
            self.overview = Overview(session)
        self.came_from: Path | None = None
        self._copied: tuple[Staged, ...] = ()
        self._last_key = 0.0
        self.scroll_sensitivity_y = 3.0
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = "toolpair-light" if terminal_is_light() else "toolpair-dark"
        self.set_class(self.no_color, "-no-color")

    def get_driver_class(self) -> type[Driver]:
        return prompt(super().get_driver_class())

    def _handle_exception(self, error: Exception) -> None:
        """Whatever fails leaves the terminal as it was, and the command line says it in a sentence."""
        if os.environ.get("TOOLPAIR_TRACEBACK"):
            super()._handle_exception(error)
            return
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            error = error.error
        if self.result.error is None:
            self.result.error = self._exception = error
            self.result.unsaved = self._fixes_in_no_file()
            self._exception_event.set()
        self._return_code = 1
        self.panic()

    def _fixes_in_no_file(self) -> int:
        try:
            return sum(staged.problems for staged in self.session.staged) if self.unsaved else 0
        except Exception:  # the session may be what failed
            return 0

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    @property
    def placeholder(self) -> str:
        """The text that a placeholder has when the user does not change it."""
        from toolpair.session import PLACEHOLDER

        return PLACEHOLDER

    def on_mount(self) -> None:
        if self._has_session:
            from toolpair.tui.screens.main import MainScreen

            self.push_screen(MainScreen(self.overview, self.at))
        elif self._opening is not None:
            from toolpair.tui.screens.opening import OpeningScreen

            self._work = Work("reading", self._opening.size)
            self.push_screen(OpeningScreen(self._opening.path, self._work))
        else:
            from toolpair.tui.screens.picker import PickerScreen

            if self.sessions is not None:
                self.push_screen(PickerScreen(self.sessions))

    @property
    def sessions(self) -> Sessions | None:
        """What the list of sessions is made of; None where there is no such list."""
        if self._sessions is None and self._make_sessions is not None:
            self._sessions = self._make_sessions()
        return self._sessions

    def begin_opening(self) -> None:
        """Open the file that the program was started with; when it cannot be read, say so on leaving."""

        def failed(error: Exception) -> None:
            self.result.error = error
            self.exit()

        if self._opening is not None:
            self.open_file(self._opening, self._work, failed)

    def open_file(self, opening: Opening, work: Work, failed: Callable[[Exception], None]) -> None:
        """Open a file beside the keys and show what there is of it. `failed` is called when nothing is shown yet."""
        from toolpair.tui.opening import begin

        shown: list[MainScreen] = []
        before = self.screen

        def beginning(session: Session) -> None:
            if self.screen is before:
                shown.append(self._show(session, opening, work))

        def whole(session: Session) -> None:
            # What was just read lives as long as the program does: nothing of it is to be collected.
            gc.freeze()
            if shown:
                shown[0].take_whole(session)
            elif self.screen is before:
                self.show_session(session)

        def not_read(error: Exception) -> None:
            if shown:
                shown[0].not_read(error)
            elif self.screen is before:
                failed(error)

        begin(self, opening, work, beginning, whole, not_read)

    def _show(self, session: Session, opening: Opening | None = None, work: Work | None = None) -> MainScreen:
        """Put the main screen in the place of the one that is shown. With `opening` it has but the beginning."""
        from toolpair.tui.screens.main import MainScreen

        self.session = session
        self.overview = Overview(session, opening.size if opening is not None else None)
        self._copied = ()
        self._has_session = True
        screen = MainScreen(self.overview, self.at, opening, work)
        self.switch_screen(screen)
        self.at = None
        return screen

    def show_session(self, session: Session, came_from: Path | None = None) -> None:
        """Put the main screen with this session in the place of the one that is shown.

        `came_from` is the file that a sub-agent's was opened from, and to which `b` leads back.
        """
        self.came_from = came_from
        self._show(session)

    def show_list(self) -> None:
        """Put the list of sessions in the place of the main screen; what is staged and not saved is asked about."""
        from toolpair.tui.screens.confirm import ConfirmScreen
        from toolpair.tui.screens.picker import PickerScreen

        sessions = self.sessions
        if sessions is None:
            return

        def leave() -> None:
            self._has_session = False
            self.switch_screen(PickerScreen(sessions))

        def answered(answer: str | None) -> None:
            if answer == "discard":
                leave()
            elif answer == "save":
                self.open_review()

        if not self.unsaved:
            leave()
            return
        fixes = sum(staged.problems for staged in self.session.staged)
        words = f"{fixes:,} {'fix is' if fixes == 1 else 'fixes are'} not saved."
        question = ConfirmScreen(
            "To another session?",
            lambda width, height: self.glyphs.paragraph(words, width),
            [("s", "save", "review and save"), ("d", "discard", "discard them and go")],
        )
        self.push_screen(question, answered)

    def session_changed(self) -> None:
        """Tell the main screen that the session is another one now."""
        from toolpair.tui.screens.main import MainScreen

        for screen in self.screen_stack:
            if isinstance(screen, MainScreen):
                screen.forget_note()
                screen.reload()

    def read_again(self) -> str:
        """Open the file anew, without what was staged. Gives back why not, nothing when it is done."""
        from toolpair.session import SessionError

        old = self.session
        if old.path is None:
            return "It was read from standard input, so it cannot be read again."
        try:
            self.session = old.opened_again()
        except (SessionError, OSError) as error:
            return f"Not read again. {error}"
        self.session.current = min(old.current, len(self.session.conversations) - 1)
        self._copied = ()
        self.overview.forget(self.session)
        self.session_changed()
        return ""

    def copy(self, text: SafeText) -> str:
        """Put `text` into the clipboard. Gives back what to say of it."""
        short = text[:COPY_LIMIT]
        self.copy_to_clipboard(short)
        if len(short) < len(text):
            return f"copied the first {len(short):,} of {len(text):,} characters"
        return f"copied {len(text):,} characters"

    @property
    def unsaved(self) -> bool:
        """Whether quitting now would throw something away: fixes that no file has."""
        return self._has_session and self.session.changed and tuple(self.session.staged) != self._copied

    def note_saved(self, saved: Saved, mended: Sequence[str], in_place: bool) -> None:
        """Keep what there is to say after quitting; go on from the file as it is now."""
        if in_place:
            # What is saved is what the session starts from now.
            self.overview.forget(self.session)
        else:
            self._copied = tuple(self.session.staged)
        lines = [f"Saved {visible(saved.path)}"]
        lines += [f"  {visible(line)}" for line in mended]
        if saved.backup is not None:
            lines.append(f"The original is kept as {visible(saved.backup)}")
            lines.append(f"To take it back: toolpair restore {shell_word(saved.path)} --backup latest")
        if saved.aside is not None:
            lines.append(f"What was set aside is kept as {visible(saved.aside)}")
        lines += [f"An older backup was removed, as you set it: {visible(old)}" for old in saved.removed]
        lines += [f"Note: {visible(note)}" for note in saved.notes]
        if saved.resume and visible(saved.resume) != saved.resume:
            lines.append("Go on as before, in its folder, whose name cannot be shown here.")
        elif saved.resume:
            lines.append(f"{'To go on' if saved.resume.endswith('.') else 'Go on with'}: {saved.resume}")
        self.result.saved.append(saved.path)
        self.result.told += lines

    def note_restored(self, saved: Saved, backup: Path) -> None:
        """Keep what there is to say after quitting."""
        lines = [f"Put {visible(backup.name)} back as {visible(saved.path)}"]
        if saved.backup is not None:
            lines.append(f"What it held until then is kept as {visible(saved.backup)}")
        self.result.saved.append(saved.path)
        self.result.told += [*lines, *(f"Note: {visible(note)}" for note in saved.notes)]

    async def on_event(self, event: events.Event) -> None:
        """In a terminal that is too small nothing can be read, so only quitting is possible."""
        if isinstance(event, events.InputEvent):
            self._last_key = time.monotonic()
        if isinstance(event, events.InputEvent) and not event.is_forwarded and is_small(*self.size):
            if isinstance(event, events.Key) and event.key in ("q", "ctrl+q", "ctrl+c"):
                await self.action_quit()
            return
        await super().on_event(event)

    async def action_quit(self) -> None:
        """Quit; with fixes that are not saved, ask first."""
        from toolpair.tui.screens.writing import WritingScreen

        if isinstance(self.screen, WritingScreen):
            self.screen.say_not_now()
            return
        if not self.unsaved:
            self.exit()
            return
        from toolpair.tui.screens.confirm import ConfirmScreen

        if isinstance(self.screen, ConfirmScreen) and self.screen.id == "quit-guard":
            return

        def answered(answer: str | None) -> None:
            if answer == "discard":
                self.exit()
            elif answer == "save":
                self.open_review()

        fixes = sum(staged.problems for staged in self.session.staged)
        words = f"{fixes:,} {'fix is' if fixes == 1 else 'fixes are'} not saved."
        guard = ConfirmScreen(
            "Quit?",
            lambda width, height: self.glyphs.paragraph(words, width),
            [("s", "save", "review and save"), ("d", "discard", "discard them and quit")],
        )
        guard.id = "quit-guard"
        self.push_screen(guard, answered)

    def open_review(self) -> None:
        """Close what lies over the main screen and open the review."""
        from toolpair.tui.screens.main import MainScreen

        while len(self.screen_stack) > 2 and not isinstance(self.screen, MainScreen):
            self.pop_screen()
        if isinstance(self.screen, MainScreen):
            self.screen.action_review()

    def last_key(self) -> float:
        """When something was typed or clicked, by the monotonic clock."""
        return self._last_key

    def switch_colours(self) -> None:
        self.theme = "toolpair-light" if self.theme == "toolpair-dark" else "toolpair-dark"
