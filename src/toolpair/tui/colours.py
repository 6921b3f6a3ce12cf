"""Syntax colours, made in a separate process with a time limit: no key ever waits for a lexer."""

from __future__ import annotations

import json
import threading
from typing import Any, Final

from toolpair.tui.worker_process import WorkerProcess

LIMIT: Final = 0.2
"""Seconds for one answer; a text that takes longer has no colours."""
_LOADING: Final = 5.0
"""Seconds for loading a lexer, whose time does not depend on the text."""
_TRIES: Final = 5
"""After so many failures nothing is coloured any more."""


class Colours:
    """Asks `colour_worker`, which is started again after a text that took too long."""

    def __init__(self) -> None:
        self._worker = WorkerProcess("toolpair.tui.colour_worker", own_session=True)
        self._failures = 0
        self._asking = threading.Lock()
        """One question at a time: answers carry no name."""

    def runs(self, file: str | None, language: str | None, lines: tuple[str, ...]) -> list[list[tuple[int, int, str]]]:
        """The runs of each line. Blocks until the answer arrives; empty without one."""
        asked = json.dumps({"file": file, "language": language, "lines": lines}).encode() + b"\n"
        with self._asking:
            if self._failures >= _TRIES:
                return []
            try:
                json.loads(self._worker.ask(asked, _LOADING))
                return _runs(json.loads(self._worker.ask(b"", LIMIT)))
            except (OSError, ValueError):
                self._failures += 1
                self._worker.end()
                return []

    def close(self) -> None:
        self._worker.close()


def _runs(answer: Any) -> list[list[tuple[int, int, str]]]:
    return [[(run[0], run[1], run[2]) for run in line] for line in answer] if isinstance(answer, list) else []
