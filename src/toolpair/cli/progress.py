"""A progress bar for work of more than a second, only on a terminal: one line of standard error that removes itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import monotonic
from typing import IO, TYPE_CHECKING, Final

from toolpair.cli.terminal import is_terminal

if TYPE_CHECKING:
    from toolpair.cli.progress_line import ProgressLine

_PATIENCE: Final = 1.0
"""Seconds before anything is drawn, or the library that draws it is imported."""
_PAUSE: Final = 0.1
"""Seconds between redraws."""


class Progress:
    """Progress of work on `total` bytes. `label` says what is being done.

    Nothing is drawn in the first second, or if standard error is not a terminal that can clear a line. Then `advance`
    costs almost nothing, so a reader may call it for each block. A context manager.
    """

    def __init__(
        self,
        total: int,
        label: str,
        *,
        stream: IO[str] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.total = total
        self.label = label
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._on = can_draw(self._stream)
        self._next = clock() + _PATIENCE
        self._line: ProgressLine | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def advance(self, done: int) -> None:
        """Set the number of bytes done, counted from the beginning. May be called as often as you like."""
        if not self._on:
            return
        now = self._clock()
        if now >= self._next:
            self._next = now + _PAUSE
            self._draw(done)

    def clear(self) -> None:
        """Clear the line, so that something else can be printed; the next `advance` may draw it again."""
        line, self._line = self._line, None
        if line is not None:
            try:
                line.remove()
            except (OSError, ValueError):
                self._on = False

    def close(self) -> None:
        """Clear the line for good."""
        self.clear()
        self._on = False

    def _draw(self, done: int) -> None:
        from toolpair.cli.progress_line import ProgressLine

        try:
            if self._line is None:
                self._line = ProgressLine(self._stream, bounded=bool(self.total))
            self._line.draw(self.label, done, self.total)
        except (OSError, ValueError):
            self._on = False  # the terminal is gone, so nobody needs the bar


def can_draw(stream: IO[str] | None) -> bool:
    """Whether `stream` is a terminal on which a line can be cleared."""
    return is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"
