"""How many cells a character takes as it is shown. Loads what measures it when something is measured."""

from __future__ import annotations

from functools import lru_cache

from toolpair.text.safe import TAB, visible


@lru_cache(65536)
def shown_width(char: str) -> int:
    """The maximum width in cells of what one character is shown as."""
    from rich.cells import cell_len

    return TAB if char == "\t" else cell_len(visible("x" + char)) - 1
