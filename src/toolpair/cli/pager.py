"""Long text is shown by a pager where there is a terminal, as git does it: TOOLPAIR_PAGER, PAGER, else less.

It is started by the first thing that is written, when progress has been shown already. What is said on standard error
while it runs follows when it has ended.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from toolpair.cli import streams

_USUAL: Final = "less"
_LESS: Final = "FRX"
"""As git has it: quit if it fits on a screen, colours, and leave on the screen what was read."""
_NONE: Final = ("", "cat")
_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_SIMPLE: Final = re.compile(r"[^;&|()\n]+")
_PATIENCE: Final = 2.0
"""Seconds for a pager to end."""


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
        self._settings: Callable[[], None] | None = None
        """Puts the terminal back as it was."""
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
            self._settings = _settings()
            environment = {"LESS": _LESS, "LV": "-c", **os.environ}
            # Without a shell between, a signal reaches it.
            alone = os.name == "posix" and _SIMPLE.fullmatch(self._pager) is not None
            command = f"exec {self._pager}" if alone else self._pager
            self.process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, env=environment, bufsize=0)
            sys.stderr = self._held
            for number in _ENDING:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._end_by)
        assert self.process.stdin is not None
        return self.process.stdin.write(data) or 0

    def _end_by(self, number: int, frame: object) -> None:
        """A signal ends this process: not before its pager has ended, which leaves the terminal as it has set it."""
        assert self.process is not None
        ends = time.monotonic() + _PATIENCE
        with contextlib.suppress(OSError):
            self.process.terminate()
            # Not `wait` of the process: what the signal came into may be just that, and holds its lock.
            while os.waitpid(self.process.pid, os.WNOHANG)[0] == 0 and time.monotonic() < ends:
                time.sleep(0.01)
        if self._settings is not None:
            with contextlib.suppress(Exception):  # the terminal may be gone
                self._settings()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

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
            for number in _ENDING:
                if signal.getsignal(number) == self._end_by:
                    signal.signal(number, signal.SIG_DFL)
            sys.stderr = self._stderr
            streams.say(self._held.getvalue())


def _settings() -> Callable[[], None] | None:
    try:
        import termios

        number = sys.__stdout__.fileno()  # type: ignore[union-attr]
        return partial(termios.tcsetattr, number, termios.TCSADRAIN, termios.tcgetattr(number))
    except Exception:  # no terminal, or a system without termios
        return None


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
