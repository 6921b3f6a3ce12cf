"""Asks for a place to go to: an id, a line, or an error text as an API gave it."""

from __future__ import annotations

from collections.abc import Callable

from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.widgets.field import PasteInput, SafeInput

NOTE = "an id, a rule, line:N, message:N, pair:N, or a whole API error, pasted"


class GotoScreen(PromptScreen):
    """Stays open, with the reason, when a text leads nowhere; the next paste replaces it.

    `look` searches for a text and returns None when found, else why not.
    """

    sign = "@"

    def __init__(self, look: Callable[[str], str | None], pasted: str = "") -> None:
        super().__init__("Go to", "", [NOTE])
        self._look = look
        self._first = pasted

    def field(self, value: str) -> SafeInput:
        return PasteInput(value)

    def on_mount(self) -> None:
        super().on_mount()
        if self._first:
            self.query_one(PasteInput).take(self._first)

    def action_submit(self) -> None:
        field = self.query_one(PasteInput)
        text = field.whole.strip()
        if not text:
            self.finish(None)
            return
        wrong = self._look(text)
        if wrong is None:
            self.finish(text)
        else:
            self.show_notes(NOTE, wrong)
            field.select_all()
