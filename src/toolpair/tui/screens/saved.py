"""After saving: what was mended, where the original is, how to go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from toolpair.text.safe import SafeText, visible
from toolpair.tui.held_key import HeldKey
from toolpair.tui.keys import APP
from toolpair.tui.screens.base import BaseScreen, Hint, hint_line
from toolpair.tui.spans import Line
from toolpair.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from toolpair.session import Saved


class SavedScreen(BaseScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        *APP.bindings(),
        Binding("enter", "close", "back to the list", show=False),
        Binding("y", "yank", "copy the command", show=False),
    ]
    DEFAULT_CSS = "SavedScreen #body { height: 1fr; }"

    def __init__(self, saved: Saved, told: Sequence[str]) -> None:
        super().__init__()
        self._saved = saved
        self._told = told
        self._note = ""
        self._held = HeldKey(self)

    def build(self) -> ComposeResult:
        yield Lines(id="body")
        yield Lines(id="bottom")

    def lay_out(self, width: int, height: int) -> None:
        glyphs = self.glyphs
        lines: list[Line] = [glyphs.rule("Saved", width, "title")]
        for line in self._told:
            lines += glyphs.paragraph(line, width, limit=4)
        self.query_one("#body", Lines).show(lines)
        hints: list[Hint] = [("y", "copy the command", "yank")] if self._command else []
        hints += [("enter", "back to the list", "close"), ("q", "quit", "leave")]
        self.query_one("#bottom", Lines).show([glyphs.rule(self._note, width), hint_line(glyphs, hints, width, gap=4)])

    def action_close(self) -> None:
        if self._held.fresh():
            self.finish(None)
        else:
            self._note = "press enter again, now that you have read this"
            self.lay_out(self.size.width, self.size.height)

    async def action_leave(self) -> None:
        await self.app.action_quit()

    @property
    def _command(self) -> SafeText | None:
        """The command to go on with; None where it is words, or cannot be shown as it is."""
        resume = self._saved.resume
        if not resume or resume.endswith(".") or visible(resume) != resume:
            return None
        return visible(resume)

    def action_yank(self) -> None:
        if self._command:
            self._note = self.tool.copy(self._command)
            self.lay_out(self.size.width, self.size.height)
