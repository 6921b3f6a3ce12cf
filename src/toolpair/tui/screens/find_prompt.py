"""The line in which a search is typed: each change of it is searched for at once."""

from __future__ import annotations

from collections.abc import Callable

from textual.widgets import Input

from toolpair.tui.screens.prompt import PromptScreen


class FindPrompt(PromptScreen):
    """Returns the words, or None after escape."""

    sign = "/"
    DEFAULT_CSS = "FindPrompt { background: $background 0%; }"  # the rows must be readable while one types

    def __init__(self, value: str, typed: Callable[[str], None], note: str) -> None:
        """`typed` is called with the words whenever they have changed."""
        super().__init__("Find", value, [note], "keep")
        self._typed = typed
        self._last = value

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._last and not self.inert:
            self._last = event.value
            self._typed(event.value)
