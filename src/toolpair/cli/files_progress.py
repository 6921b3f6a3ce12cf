"""The progress of `check` through its files, for the bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from toolpair.cli.inputs import Input
from toolpair.cli.progress import Progress, can_draw


class FilesProgress:
    """Counts files and bytes if the bar is visible; otherwise it does nothing, and looks nothing up."""

    def __init__(self, sources: Iterable[Input]) -> None:
        self.shown = can_draw(sys.stderr)
        self.sources: Iterator[Input] = iter(sources)
        """The files; iterate over these."""
        self._bar: Progress | None = None
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

    def clear(self) -> None:
        """Remove the bar, to print something."""
        if self._bar is not None:
            self._bar.clear()

    def _draw(self, source: Input) -> None:
        assert self._bar is not None
        self._bar.label = self._label(source)
        self._bar.advance(self._done + sum(self._reading.values()))

    def _label(self, source: Input | None) -> str:
        if self._files > 1:
            return f"{self._finished:,} of {self._files:,} files"
        return f"checking {source.name}" if source is not None else ""
