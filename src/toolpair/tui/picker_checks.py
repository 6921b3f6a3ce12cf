"""Checking the listed files one by one in a separate process, so that no key ever waits for it."""

from __future__ import annotations

import json
from typing import Protocol

import msgspec

from toolpair.tui.worker_process import WorkerProcess


class Checked(msgspec.Struct, frozen=True):
    """What a check of a file found: how many errors, and the verdict on its worst conversation."""

    errors: int
    outlook: str
    badge: str


Mark = Checked | None
"""None when it cannot be read."""


class Judge(Protocol):
    """Returns the verdict on a file, one file at a time."""

    def judge(self, path: str) -> Mark:
        """Blocks until the answer arrives."""

    def close(self) -> None: ...


class ProcessJudge:
    """Asks `picker_worker`, started with the first file and restarted if a file has killed it."""

    def __init__(self, cached: bool = True) -> None:
        """`cached`: verdicts are kept, and those of earlier runs count."""
        self._cached = cached
        self._worker = WorkerProcess("toolpair.tui.picker_worker")

    def judge(self, path: str) -> Mark:
        """None as well when the process cannot be started."""
        question = json.dumps([path, self._cached]).encode() + b"\n"
        try:
            return msgspec.json.decode(self._worker.ask(question), type=Checked | None)
        except (OSError, ValueError):
            self._worker.end()
            return None

    def close(self) -> None:
        """A waiting caller gets None."""
        self._worker.close()
