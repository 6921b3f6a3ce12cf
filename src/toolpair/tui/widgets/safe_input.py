"""An input whose value is always safe to show, whatever is pasted."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from toolpair.text.safe import visible


class SafeInput(Input):
    """One line. A paste of several lines is joined with spaces: error texts are often wrapped."""

    DEFAULT_CSS = """
    SafeInput { border: none; height: 1; background: $panel; color: $words; }
    SafeInput > .input--placeholder { color: $muted; }
    SafeInput:focus { border: none; background-tint: $foreground 0%; }
    """

    def __init__(self, value: str = "", *, id: str | None = None) -> None:
        super().__init__(visible(value), id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def insert(self, text: str, index: int) -> None:
        super().insert(visible(text), index)

    def replace(self, text: str, start: int, end: int) -> None:
        super().replace(visible(text), start, end)

    def validate_value(self, value: str) -> str:
        return visible(value)

    def _on_paste(self, event: events.Paste) -> None:
        text = " ".join(event.text.split())
        selection = self.selection
        if selection.is_empty:
            self.insert_text_at_cursor(text)
        else:
            self.replace(text, *selection)
        event.prevent_default()
        event.stop()
