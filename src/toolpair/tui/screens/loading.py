"""The first screen: the name of the file being opened and, after a while, the progress."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.text.safe import visible
from toolpair.tui.keys import APP
from toolpair.tui.screens.base_screen import BaseScreen, hint_line
from toolpair.tui.styled_text import spread
from toolpair.tui.typed_ahead import EarlyKeys
from toolpair.tui.widgets.text_block import Lines
from toolpair.tui.work import LongTask

if TYPE_CHECKING:
    from toolpair.tui.background_loading import Opening

_PATIENCE = 0.4
"""Seconds before the progress bar is shown."""
_PAUSE = 0.1


class OpeningScreen(BaseScreen[None]):
    """Replaced by the main screen as soon as there is something to show."""

    BINDINGS: ClassVar[list[BindingType]] = APP.bindings()
    DEFAULT_CSS = "OpeningScreen #space { height: 1fr; }"

    def __init__(
        self,
        opening: Opening,
        failed: Callable[[Exception], None],
        keep: int = 0,
    ) -> None:
        """`failed` closes the screen, or the program; `keep` is how many open sessions stay below it."""
        super().__init__()
        self._opening = opening
        self._failed = failed
        self._keep = keep
        self._work = LongTask("reading", opening.size)
        self._begun = time.monotonic()
        self.early = EarlyKeys()

    def build(self) -> ComposeResult:
        yield Lines(id="head")
        yield Lines(id="space")
        yield Lines(id="keys")

    def on_mount(self) -> None:
        self.every(_PAUSE, self.draw)
        self.after_refresh(self._begin)

    def _begin(self) -> None:
        self.tool.open_sessions.open_file(self, self._opening, self._work, self._failed, self._keep)

    def lay_out(self, width: int, height: int) -> None:
        glyphs = self.glyphs
        name = (glyphs.ui(f" {visible(os.path.basename(self._opening.path))}", "title"),)
        line = spread(name, (glyphs.ui(" nothing changed ", "dim"),), width, glyphs.ellipsis)
        self.query_one("#head", Lines).show([line, (glyphs.ui(" Opening …", "dim"),)])
        hints = hint_line(
            glyphs,
            [("esc", "back" if self._keep else "quit", "back"), ("q", "back" if self._keep else "quit", "leave")],
            width,
        )
        above = glyphs.rule("", width)
        work = self._work
        if time.monotonic() - self._begun > _PATIENCE:
            from toolpair.tui.screens.writing import bar_line

            right = (glyphs.ui("esc stops ", "dim"),)
            above = bar_line(glyphs, work.what, work.done, work.total, right, width, work.unit)
        self.query_one("#keys", Lines).show([above, hints])

    def on_key(self, event: events.Key) -> None:
        """Keys that mean nothing here are meant for what is being opened."""
        if event.key not in APP.held(self.tool.own.keys):
            event.stop()
            self.early.keep(event)

    def action_back(self) -> None:
        self._work.stopped = True
        if self._keep:
            self.finish()
        else:
            self.app.exit()

    async def action_leave(self) -> None:
        self.action_back()
