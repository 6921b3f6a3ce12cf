"""An input that keeps a paste exactly, however little of it one line can show."""

from __future__ import annotations

from typing import Final

from textual import events

from toolpair.text.safe import visible
from toolpair.tui.widgets.safe_input import SafeInput

_SHOWN: Final = 2_000
_ENDS: Final = 600


class PasteInput(SafeInput):
    """Shows a paste as one line, shortened in the middle if long; `whole` has it with its line breaks."""

    def __init__(self, value: str = "", *, id: str | None = None) -> None:
        super().__init__(value, id=id)
        self._pasted: list[tuple[str, str]] = []

    @property
    def whole(self) -> str:
        """The text, with each paste exactly as pasted unless it was edited since."""
        text = self.value
        for shown, pasted in self._pasted:
            text = text.replace(shown, pasted, 1)
        return text

    def take(self, text: str) -> None:
        """Insert a paste at the cursor."""
        shown = " ".join(text.split())
        if len(shown) > _SHOWN:
            shown = f"{shown[:_ENDS]} … {len(shown) - 2 * _ENDS:,} more characters … {shown[-_ENDS:]}"
        shown = visible(shown)
        if not shown:
            return
        self._pasted.append((shown, text))
        selection = self.selection
        if selection.is_empty:
            self.insert_text_at_cursor(shown)
        else:
            self.replace(shown, *selection)

    def _on_paste(self, event: events.Paste) -> None:
        self.take(event.text)
        event.prevent_default()
        event.stop()
