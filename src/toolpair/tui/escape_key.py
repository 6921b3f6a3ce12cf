"""How soon escape is the key itself, and not the beginning of what another key sends."""

from __future__ import annotations

import os
import selectors
from typing import Final

_DELAY: Final = "15"
"""Milliseconds in which the rest of a sequence has to come, as in other terminal programs. ESCDELAY says another."""


def expect_soon() -> None:
    """To be called before Textual is loaded, which reads its delay then."""
    os.environ.setdefault("ESCDELAY", _DELAY)


class PromptSelector(selectors.SelectSelector):
    """Behind something that came it waits for `seconds` at most, once."""

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
