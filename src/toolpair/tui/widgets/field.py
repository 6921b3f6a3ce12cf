"""A line to type in, with the key that opened it in front."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal

from toolpair.tui.styled_text import Glyphs
from toolpair.tui.widgets.safe_input import SafeInput
from toolpair.tui.widgets.text_block import Lines


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
