"""What the list of sessions asks about files, answered in processes of their own, so that no key ever waits for it."""

from __future__ import annotations

import json
import time
from typing import Any, Final, Protocol

import msgspec

from toolpair.tui.worker_process import WorkerProcess

FIND_LIMIT: Final = 20.0
"""Seconds for finding words in one session: in the largest that are searched it takes about two."""


class Checked(msgspec.Struct, frozen=True):
    """What a check of a file found: how many errors, and the verdict on its worst conversation."""

    errors: int
    outlook: str
    badge: str


Mark = Checked | None
"""None when it cannot be read."""


class Glimpse(msgspec.Struct, frozen=True):
    """What the preview of a session shows."""

    first: str | None
    """The user's first words."""
    last: str | None
    """The user's last words, if they are others."""
    reply: str | None
    """The agent's last words."""
    badge: str
    outlook: str
    sentence: str
    """The verdict; empty where there are several conversations."""
    causes: tuple[tuple[int, str, str], ...]
    """How many problems, what they have in common, and the outlook of the worst."""


class Judge(Protocol):
    """Answers one question at a time, and blocks until the answer arrives; None where it cannot be read."""

    def judge(self, path: str) -> Mark:
        """The verdict on a file."""

    def glimpse(self, path: str) -> Glimpse | None: ...

    def find(self, path: str, words: str) -> str | None:
        """Where the words are said in it, on one line; None if they are not. Raises TimeoutError after `FIND_LIMIT`."""

    def close(self) -> None: ...


class ProcessJudge:
    """Asks `picker_worker`, started with the first file and restarted if a file has killed it."""

    def __init__(self, cached: bool = True) -> None:
        """`cached`: verdicts are kept, and those of earlier runs count."""
        self._cached = cached
        self._worker = WorkerProcess("toolpair.tui.picker_worker")

    def judge(self, path: str) -> Mark:
        answer: Checked | None = self._ask(Checked | None, "judge", path, self._cached)
        return answer

    def glimpse(self, path: str) -> Glimpse | None:
        answer: Glimpse | None = self._ask(Glimpse | None, "glimpse", path)
        return answer

    def find(self, path: str, words: str) -> str | None:
        begun = time.monotonic()
        answer: str | None = self._ask(str | None, "find", path, words, limit=FIND_LIMIT)
        if answer is None and time.monotonic() - begun >= FIND_LIMIT:
            raise TimeoutError
        return answer

    def _ask(self, answer: Any, *question: object, limit: float | None = None) -> Any:
        """None as well when the process cannot be started, and when it takes more than `limit` seconds."""
        try:
            said = self._worker.ask(json.dumps(question).encode() + b"\n", limit)
            return msgspec.convert(json.loads(said), answer)
        except (OSError, ValueError):
            self._worker.end()
            return None

    def close(self) -> None:
        """A waiting caller gets None."""
        self._worker.close()
