"""A progress bar for work of more than a second, only on a terminal: a line of standard error that removes itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import IO, TYPE_CHECKING, Final

from toolpair.cli.inputs import Input, tell_leftovers
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


class FilesProgress:
    """Counts files and bytes if the bar is visible; otherwise it does nothing, and looks nothing up."""

    def __init__(self, sources: Iterable[Input], noun: str = "") -> None:
        """`noun`: what to call them where none of them is named."""
        self.shown = can_draw(sys.stderr)
        self._noun = noun
        self.sources: Iterator[Input] = iter(sources)
        """The files; iterate over these."""
        self._bar: Progress | None = None
        self._looked_in: set[str] = set()
        if not self.shown:
            return
        listed = list(self.sources)
        self.sources = iter(listed)
        self._sizes = {source.name: source.size for source in listed}
        self._files = len(listed)
        self._finished = 0
        self._done = 0
        self._reading: dict[str, int] = {}
        """Bytes read so far of each file in progress, by name."""
        self._bar = Progress(sum(self._sizes.values()), self._label(listed[0] if listed else None))

    def __enter__(self) -> FilesProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def read(self, source: Input, done: int) -> None:
        """Note how many bytes of the file have been read."""
        if self._bar is not None and source.name in self._sizes:
            self._reading[source.name] = min(done, self._sizes[source.name])
            self._draw(source)

    def finish(self, source: Input) -> None:
        """The file has been checked."""
        if self._bar is not None:
            self._reading.pop(source.name, None)
            self._done += self._sizes.pop(source.name, 0)
            self._finished += 1
            self._draw(source)

    def tell_leftovers(self, source: Input) -> None:
        """Report what killed saves have left beside the file, once a folder."""
        if (folder := os.path.dirname(source.name)) not in self._looked_in:
            self._looked_in.add(folder)
            self.clear()
            tell_leftovers(source.name)

    def clear(self) -> None:
        """Remove the bar, to print something."""
        if self._bar is not None:
            self._bar.clear()

    def _draw(self, source: Input) -> None:
        assert self._bar is not None
        self._bar.label = self._label(source)
        self._bar.advance(self._done + sum(self._reading.values()))

    def _label(self, source: Input | None) -> str:
        if self._files > 1 or self._noun:
            return f"{self._finished:,} of {self._files:,} {self._noun or 'files'}"
        return f"checking {source.name}" if source is not None else ""
