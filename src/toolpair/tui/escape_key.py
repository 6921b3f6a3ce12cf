"""How long to wait before escape counts as a key rather than the start of a sequence."""

from __future__ import annotations

import os
import selectors
from typing import Final

_DELAY: Final = "15"
"""Milliseconds for the rest of a sequence to arrive, as in other terminal programs. ESCDELAY overrides it."""


def expect_soon() -> None:
    """Call this before Textual is loaded: it reads its delay then."""
    os.environ.setdefault("ESCDELAY", _DELAY)


class PromptSelector(selectors.SelectSelector):
    """After input has arrived, waits for `seconds` at most, once."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._came = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self._came and (timeout is None or timeout > self._seconds):
            timeout = self._seconds
        found = super().select(timeout)
        self._came = bool(found)
        return found
