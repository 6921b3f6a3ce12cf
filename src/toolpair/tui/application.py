"""The application, as its screens know it: they may use all of it, and it knows none of them.

`app.py` is the whole one, above all screens.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import App

from toolpair.text.safe import SafeText
from toolpair.tui.colours import Colours
from toolpair.tui.keys import held_keys, keymap_of
from toolpair.tui.paint import Palette
from toolpair.tui.run_result import RunResult
from toolpair.tui.styled_text import Glyphs
from toolpair.tui.theme import OWN, THEMES, readable_in, roles_of, terminal_is_light, theme_for
from toolpair.tui.typed_ahead import TypedAhead

if TYPE_CHECKING:
    from textual.screen import Screen

    from toolpair.session.journal.folder import Folder
    from toolpair.session.session import Session
    from toolpair.tui.background_loading import Opener, Opening
    from toolpair.tui.commands import Command
    from toolpair.tui.desk import Desk
    from toolpair.tui.overview import Overview
    from toolpair.tui.own import Own
    from toolpair.tui.preferences import Preferences
    from toolpair.tui.session_list import Sessions
    from toolpair.tui.work import LongTask

COPY_LIMIT = 100_000
"""Characters: terminals and tmux drop a longer OSC 52."""


class Opened:
    """The open sessions, one on top of the other."""

    def __init__(self) -> None:
        self.desks: list[Desk] = []
        self.sought = ""
        """What the session that is opened next is searched for at once."""

    @property
    def top(self) -> Desk | None:
        """The session that is looked at."""
        return self.desks[-1] if self.desks else None

    @property
    def unsaved(self) -> bool:
        """Whether quitting now would lose something: fixes that are in no file."""
        return any(desk.unsaved for desk in self.desks)

    @abstractmethod
    def open_file(
        self, screen: Opener, opening: Opening, work: LongTask, failed: Callable[[Exception], None], keep: int = 0
    ) -> None:
        """Open a file in the background and show its contents in place of `screen`.

        `failed` is called when nothing is shown yet. `keep` is how many of the open sessions stay below it.
        """

    @abstractmethod
    def go_back(self) -> None:
        """Go back from a sub-agent's session to the one it was opened from."""

    @abstractmethod
    def changed(self, desk: Desk) -> None:
        """Tell its main screen that the session has been replaced."""

    @abstractmethod
    def ask_about_unsaved(
        self, title: str, discard: str, leave: Callable[[], None], desks: Sequence[Desk] | None = None
    ) -> None:
        """Call `leave`; if that would lose fixes of `desks`, or any at all, that are in no file, ask first, once."""


class Application(App[None]):
    """What screens share: the open sessions, the theme, the clipboard, the keys not yet handled."""

    open_sessions: Opened

    def __init__(
        self,
        ascii: bool,
        sessions: Callable[[], Sessions] | None,
        journal: Callable[[], Folder] | None,
        preferences: Preferences | None,
        own: Own,
        theme: str,
    ) -> None:
        """`journal` is the folder for unsaved fixes; it is called in a thread."""
        self.own = own
        self._palette: tuple[dict[str, str], Palette] | None = None
        super().__init__()
        self.glyphs = Glyphs(ascii, held_keys(own.keys))
        self.typing_glyphs = Glyphs(ascii, held_keys(own.keys, typing=True))
        """Those of a screen where letters filter, and keys that are letters do nothing else."""
        self.set_keymap(keymap_of(own.keys))
        self.result = RunResult()
        self.typed_ahead = TypedAhead(self)
        self.journal = journal
        self._make_sessions = sessions
        self._sessions: Sessions | None = None
        self.hang_up: Callable[[], None] = lambda: None
        """Called, in any thread, when the terminal is gone."""
        self.colours = Colours()
        self.shows_times: bool | None = None
        """Whether rows have their times; None: where there is much room."""
        for one in OWN:
            self.register_theme(one)
        self._preferences = preferences
        self.lean = preferences.lean if preferences is not None else 0
        """Lines that the list has more than it would have."""
        chosen = theme or (preferences.theme if preferences is not None else "")
        self._light = terminal_is_light()
        self.asks_terminal = chosen not in THEMES
        """Whether the theme follows the terminal's background."""
        self.theme = theme_for(self._light) if self.asks_terminal else chosen

    # screens that others open without knowing them

    @abstractmethod
    def open_help(self) -> None:
        """Show all keys over the screen on top."""

    @abstractmethod
    def command_list(self, commands: Sequence[Command]) -> Screen[str | None]:
        """A screen that lists these commands, and returns the action of the chosen one."""

    # open sessions

    @property
    def session(self) -> Session:
        return self.open_sessions.desks[-1].session

    @property
    def overview(self) -> Overview:
        return self.open_sessions.desks[-1].overview

    @property
    def sessions(self) -> Sessions | None:
        """The model of the list of sessions; None if there is no such list."""
        if self._sessions is None and self._make_sessions is not None:
            self._sessions = self._make_sessions()
        return self._sessions

    def copy(self, text: SafeText) -> str:
        """Copy `text` to the clipboard. Returns the message for the user."""
        short = text[:COPY_LIMIT]
        self.copy_to_clipboard(short)
        if len(short) < len(text):
            return f"copied the first {len(short):,} of {len(text):,} characters"
        return f"copied {len(text):,} characters"

    @property
    def carets(self) -> bool:
        """Whether diffs mark what differs below the lines, because colours may not show it."""
        return self.no_color or self.glyphs.ascii

    def last_key(self) -> float:
        """When the user last typed or clicked, by the monotonic clock."""
        return self.typed_ahead.last

    # colours

    def get_css_variables(self) -> dict[str, str]:
        found = super().get_css_variables()
        if self.own.colours:
            found |= readable_in(found, self.own.colours)
            self.theme_variables = found
        return found

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {} if self.current_theme in OWN else roles_of(self.current_theme)

    @property
    def palette(self) -> Palette:
        """The styles of all that is drawn, in the current theme."""
        if self._palette is None or self._palette[0] != self.theme_variables:
            self._palette = self.theme_variables, Palette(self.theme_variables, self.no_color)
        return self._palette[1]

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

    def remember_lean(self) -> None:
        """Keep it for the next run."""
        if self._preferences is not None:
            self._preferences.remember("lean", str(self.lean))

    def choose_theme(self, name: str) -> bool:
        """Change to this theme, or with an empty name to what the terminal's background asks for. Returns whether it
        will be remembered.
        """
        self.asks_terminal = not name
        self.try_theme(name)
        return self._preferences is not None and self._preferences.remember("theme", name)
