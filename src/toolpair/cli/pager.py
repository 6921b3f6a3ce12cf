"""Long text is shown by a pager where there is a terminal, as git does it: TOOLPAIR_PAGER, PAGER, else less.

It is started by the first thing that is written, when progress has been shown already. What is said on standard error
while it runs follows when it has ended.
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

from toolpair.cli import streams

_USUAL: Final = "less"
_LESS: Final = "FRX"
"""As git has it: quit if it fits on a screen, colours, and leave on the screen what was read."""
_NONE: Final = ("", "cat")


def chosen() -> str | None:
    """The command of the pager; None if there is none, or none is wanted."""
    pager = next((os.environ[name] for name in ("TOOLPAIR_PAGER", "PAGER") if name in os.environ), _USUAL).strip()
    if pager in _NONE or os.environ.get("TERM", "dumb") == "dumb":
        return None
    try:
        program = shlex.split(pager)[0]
    except (ValueError, IndexError):
        return None
    return pager if shutil.which(program) else None


class _Pipe(io.RawIOBase):
    """To the pager. It counts as a terminal: colours and widths are as without it."""

    def __init__(self, pager: str) -> None:
        self._pager = pager
        self.process: subprocess.Popen[bytes] | None = None
        self._stderr = sys.stderr
        self._held = io.StringIO()

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        stdin = self.process.stdin if self.process is not None else None
        return stdin.fileno() if stdin is not None else sys.__stdout__.fileno()  # type: ignore[union-attr]

    def write(self, data: Any) -> int:
        if self.process is None:
            environment = {"LESS": _LESS, "LV": "-c", **os.environ}
            self.process = subprocess.Popen(self._pager, shell=True, stdin=subprocess.PIPE, env=environment, bufsize=0)
            sys.stderr = self._held
        assert self.process.stdin is not None
        return self.process.stdin.write(data) or 0

    def ended(self) -> None:
        """Wait for the pager, which ends when its reader wants it to: ctrl+c is for it alone."""
        if self.process is None:
            return
        assert self.process.stdin is not None
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self.process.stdin.close()
            self.process.wait()
        finally:
            signal.signal(signal.SIGINT, before)
            sys.stderr = self._stderr
            streams.say(self._held.getvalue())


def paged(run: Callable[[], int]) -> int:
    """Run a command that prints text, with what it prints in a pager."""
    pager = chosen()
    if pager is None:
        return run()
    pipe, terminal = _Pipe(pager), sys.stdout
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(pipe), encoding=terminal.encoding, errors="backslashreplace")
    try:
        return run()
    finally:
        streams.flush()
        sys.stdout = terminal
        pipe.ended()
