"""Checking the listed files one by one in a separate process, so that no key ever waits for it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from typing import Protocol

import msgspec


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

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def judge(self, path: str) -> Mark:
        """None as well when the process cannot be started."""
        try:
            process = self._started()
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(path).encode() + b"\n")
            process.stdin.flush()
            return msgspec.json.decode(process.stdout.readline(), type=Checked | None)
        except (OSError, ValueError):
            self._end()
            return None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise OSError("closed")
        if self._process is None:
            # -P: do not import from the user's current folder.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "toolpair.tui.picker_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def close(self) -> None:
        """Kill the process, whatever it is doing; a waiting caller gets None."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]
