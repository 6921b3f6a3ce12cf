"""Lines to type in, whose value is always safe to show, whatever is pasted."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from toolpair.text.safe import visible
from toolpair.tui.styled_text import Glyphs
from toolpair.tui.widgets.text_block import Lines


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

    def take(self, text: str) -> None:
        """Insert a paste at the cursor."""
        self.put_in(" ".join(text.split()))

    def put_in(self, text: str) -> None:
        """Insert a text in place of the selection."""
        if self.selection.is_empty:
            self.insert_text_at_cursor(text)
        else:
            self.replace(text, *self.selection)

    def _on_paste(self, event: events.Paste) -> None:
        self.take(event.text)
        event.prevent_default()
        event.stop()


class Field(Horizontal):
    """`sign` is the key: `/`, `&`, `:`, `@`; without one the text begins where other text does."""

    DEFAULT_CSS = """
    Field { height: 1; background: $panel; }
    Field > Lines { width: 3; height: 1; background: $panel; }
    Field > Lines.-none { width: 1; }
    Field > SafeInput { width: 1fr; }
    """

    def __init__(self, glyphs: Glyphs, field: SafeInput, sign: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sign = Lines([(glyphs.ui(f" {sign} ", "key"),)] if sign else [()])
        self._sign.set_class(not sign, "-none")
        self._field = field

    def compose(self) -> ComposeResult:
        yield self._sign
        yield self._field


_SHOWN: Final = 2_000
_ENDS: Final = 600


class PasteInput(SafeInput):
    """Shows a paste as one line, shortened in the middle if long; `whole` has it with its line breaks."""

    def __init__(self, value: str = "") -> None:
        super().__init__(value)
        self._pasted: list[tuple[str, str]] = []

    @property
    def whole(self) -> str:
        """The text, with each paste exactly as pasted unless it was edited since."""
        text = self.value
        for shown, pasted in self._pasted:
            text = text.replace(shown, pasted, 1)
        return text

    def take(self, text: str) -> None:
        shown = " ".join(text.split())
        if len(shown) > _SHOWN:
            shown = f"{shown[:_ENDS]} … {len(shown) - 2 * _ENDS:,} more characters … {shown[-_ENDS:]}"
        shown = visible(shown)
        if not shown:
            return
        self._pasted.append((shown, text))
        self.put_in(shown)
