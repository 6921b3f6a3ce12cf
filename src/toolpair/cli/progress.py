"""A bar for work of more than a second, on a terminal alone: one line of standard error that takes itself away."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import monotonic
from typing import IO, Final

from toolpair.cli.terminal import is_terminal

_PATIENCE: Final = 1.0
"""Seconds that pass before anything is drawn."""
_PAUSE: Final = 0.1
"""Seconds between two drawings."""
_BAR: Final = 24
"""Cells of the bar where there is room for it, and room is left for half as many of the label."""
_LABEL: Final = 8
"""A label in fewer cells says nothing."""
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """How far work on `total` bytes has come. `label` says what is done, to a file's name or to many files.

    Nothing is drawn in the first second, nor where standard error is no terminal, or one that cannot clear a line.
    `advance` costs next to nothing then, so that a reader may call it for each block. It is a context manager.
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
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def advance(self, done: int) -> None:
        """`done` of all bytes are done, counted from the beginning. Called as often as one likes."""
        if not self._on:
            return
        now = self._clock()
        if now >= self._next:
            self._next = now + _PAUSE
            self._write(_CLEAR + self._line(done))
            self._drawn = True

    def clear(self) -> None:
        """Take the line away, so that something else can be printed; the next `advance` may draw it again."""
        if self._drawn:
            self._drawn = False
            self._write(_CLEAR)

    def close(self) -> None:
        """Take the line away for good."""
        self.clear()
        self._on = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._on = False  # the terminal has gone, and nobody misses the bar

    def _line(self, done: int) -> str:
        from toolpair.text.safe import visible
        from toolpair.text.short import size_text

        room = _columns(self._stream) - 1  # a full line makes some terminals wrap
        whole = max(self.total, done, 1)
        amount = f"{size_text(done)} of {size_text(whole)}" if self.total else size_text(done)
        percent = f"{min(done * 100 // whole, 99 if done < whole else 100):3d} %" if self.total else ""
        end = "  ".join(part for part in (percent, amount) if part)
        if len(end) > room:
            return percent[:room]
        left = room - len(end) - 2
        parts = []
        if self.total and left >= _BAR + _BAR // 2:
            parts = [_bar(done, whole, self._stream)]
            left -= _BAR + 2
        label = _cut(visible(self.label), left) if left >= _LABEL else ""
        return "  ".join([*([label] if label else []), *parts, end])


def can_draw(stream: IO[str] | None) -> bool:
    """Whether a person looks at `stream` and a line of it can be taken back."""
    return is_terminal(stream) and os.environ.get("TERM", "dumb") != "dumb"


def _bar(done: int, whole: int, stream: IO[str]) -> str:
    plain = "utf" not in (getattr(stream, "encoding", None) or "").lower()
    full, empty = ("#", ".") if plain else ("█", "░")
    cells = done * _BAR // whole
    return full * cells + empty * (_BAR - cells)


def _columns(stream: IO[str]) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _cut(text: str, cells: int) -> str:
    """The beginning of `text` in at most `cells` (4 or more), with dots where something is left out."""
    from unicodedata import category, east_asian_width

    if text.isascii():
        return text if len(text) <= cells else text[: cells - 3] + "..."
    widths = [0 if category(char) in ("Mn", "Me") else 2 if east_asian_width(char) in "WF" else 1 for char in text]
    if sum(widths) <= cells:
        return text
    used = kept = 0
    while used + widths[kept] <= cells - 3:
        used += widths[kept]
        kept += 1
    return text[:kept] + "..."
