"""How soon escape is the key itself, and not the beginning of what another key sends."""

from __future__ import annotations

import os
import selectors
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from textual.driver import Driver

_DELAY: Final = "15"
"""Milliseconds in which the rest of a sequence has to come, as in other terminal programs. ESCDELAY says another."""
_SLACK: Final = 0.002
"""Seconds: a look that comes a moment too early would be followed by a whole wait."""


def expect_soon() -> None:
    """To be called before Textual is loaded, which reads its delay then."""
    os.environ.setdefault("ESCDELAY", _DELAY)


def prompt(driver: type[Driver]) -> type[Driver]:
    """The same driver, looking again for a lone escape when its delay is over.

    Textual's own looks ten times a second. Another driver than the one for Unix terminals stays as it is.
    """
    from textual.constants import ESCAPE_DELAY
    from textual.drivers import linux_driver

    if driver is linux_driver.LinuxDriver and ESCAPE_DELAY < 0.1:
        setattr(linux_driver, "selectors", _Selectors(ESCAPE_DELAY + _SLACK))  # noqa: B010
    return driver


class _Selectors:
    """The module, with a selector that waits less behind each piece of input."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(selectors, name)

    def SelectSelector(self) -> selectors.SelectSelector:
        return PromptSelector(self._seconds)


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
