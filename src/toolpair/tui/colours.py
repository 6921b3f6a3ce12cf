"""Syntax colours, made in a separate process with a time limit: no key ever waits for a lexer."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from typing import Any, Final

LIMIT: Final = 0.2
"""Seconds for one answer; a text that takes longer has no colours."""
_LOADING: Final = 5.0
"""Seconds for loading a lexer, whose time does not depend on the text."""
_TRIES: Final = 5
"""After so many failures nothing is coloured any more."""


class Colours:
    """Asks `colour_worker`, which is started with the first text and again after one that took too long.

    The process ends with this one, however this one ends: it is killed, or finds its input closed. It is in a session
    of its own, so that nothing that a terminal does to a job stops it before it sees that.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._failures = 0
        self._closed = False
        self._asking = threading.Lock()
        """One question at a time: answers carry no name."""
        self._changing = threading.Lock()
        """Held while the process is started or taken away, so that none is started after the end."""

    def runs(self, file: str | None, language: str | None, lines: tuple[str, ...]) -> list[list[tuple[int, int, str]]]:
        """The runs of each line. Blocks until the answer arrives; empty without one."""
        asked = json.dumps({"file": file, "language": language, "lines": lines}).encode() + b"\n"
        with self._asking:
            try:
                process = self._started()
                self._answer(process, asked, _LOADING)
                answer = self._answer(process, b"", LIMIT)
            except (OSError, ValueError):
                self._failures += 1
                self._end()
                return []
            return _runs(answer)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._closed or self._failures >= _TRIES or not sys.executable:
                raise OSError("closed")
            if self._process is None:
                # -P: do not import from the user's current folder.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "toolpair.tui.colour_worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            return self._process

    @staticmethod
    def _answer(process: subprocess.Popen[bytes], asked: bytes, limit: float) -> Any:
        """The next line of the process, which is killed if it does not come in time."""
        assert process.stdin is not None and process.stdout is not None
        alarm = threading.Timer(limit, process.kill)
        alarm.daemon = True
        alarm.start()
        try:
            process.stdin.write(asked)
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        finally:
            alarm.cancel()

    def close(self) -> None:
        """Kill the process, whatever it is doing; a waiting caller gets nothing."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        with self._changing:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]


def _runs(answer: Any) -> list[list[tuple[int, int, str]]]:
    return [[(run[0], run[1], run[2]) for run in line] for line in answer] if isinstance(answer, list) else []
