"""The installed program in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE

_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-9;:?<=>!$ ]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|[()][A-Z0-9]|[=>78cDEHM])", re.DOTALL
)
_LOOK = 0.02
"""Seconds between checks whether the program is working."""
MODES = {
    "the alternate screen": (b"\x1b[?1049h", b"\x1b[?1049l"),
    "the mouse": (b"\x1b[?1000h", b"\x1b[?1000l"),
    "the mouse's movements": (b"\x1b[?1003h", b"\x1b[?1003l"),
    "the mouse's positions": (b"\x1b[?1006h", b"\x1b[?1006l"),
    "the cursor": (b"\x1b[?25l", b"\x1b[?25h"),
    "pasting": (b"\x1b[?2004h", b"\x1b[?2004l"),
    "focus": (b"\x1b[?1004h", b"\x1b[?1004l"),
    "wrapping": (b"\x1b[?7l", b"\x1b[?7h"),
}
"""What a terminal is told when a program takes it, and when it gives it back."""


def kept_modes(output: bytes) -> list[str]:
    """What the terminal was not given back."""
    return [name for name, (on, off) in MODES.items() if output.rfind(on) > output.rfind(off)]


def program() -> list[str]:
    """The installed command, or `python -m` if it is not installed."""
    installed = Path(sys.executable).with_name("toolpair")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "toolpair"]


class Terminal:
    """A program in a terminal, and its output so far, read as it arrives."""

    def __init__(
        self,
        arguments: list[str],
        stdin: Path | None = None,
        *,
        columns: int = 100,
        lines: int = 30,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.pid, self._master = pty.fork()
        if self.pid == 0:  # the child: only exec may happen here
            try:
                self._become(arguments, stdin, columns, lines, environment, folder)
            finally:
                os._exit(127)
        self.output = b""
        self._looked = 0
        self._is_closed = False
        self.is_deaf = False
        """A terminal that does not respond, as after ctrl+s."""
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read_all, daemon=True)
        self._reader.start()
        self._code: int | None = None

    @staticmethod
    def _become(
        arguments: list[str],
        stdin: Path | None,
        columns: int,
        lines: int,
        environment: Mapping[str, str] | None,
        folder: Path | None,
    ) -> None:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if stdin is not None:
            os.dup2(os.open(stdin, os.O_RDONLY), 0)
        if folder is not None:
            os.chdir(folder)
        # `nohup` has the first ignored, a shell's `&` the others, by all that they start.
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        os.execve(arguments[0], arguments, dict(os.environ if environment is None else environment))

    def _read_all(self) -> None:
        while not self._is_closed:
            if self.is_deaf:
                time.sleep(0.02)
                continue
            # Not blocked in a read: during one, a closed terminal stays open.
            if not select.select([self._master], [], [], 0.05)[0]:
                continue
            try:
                piece = os.read(self._master, 1 << 16)
            except OSError:  # the system's way of saying that the other end is closed
                piece = b""
            if not piece:
                return
            with self._news:
                self.output += piece
                self._news.notify_all()

    def read(self, seconds: float = 0, until: bytes | None = None, since: int | None = None) -> bytes:
        """The output of `seconds` in which the program is idle, since the last key or the last look, or since that byte.

        With `until`, the output until that occurs, however long it takes, or until the program ends.
        """
        # Not since this call: the answer to a key may be there already.
        start = self._looked if since is None else since
        deadline, idle = time.monotonic() + PATIENCE, 0.0
        while time.monotonic() < deadline and (idle < seconds if until is None else until not in self.output[start:]):
            if until is not None and not self._reader.is_alive():
                break
            seen, begun = len(self.output), time.monotonic()
            if until is None:
                time.sleep(_LOOK)
                # Time during which the machine itself sleeps does not count.
                idle += min(time.monotonic() - begun, 2 * _LOOK) if seen == len(self.output) and self._is_idle() else 0
            else:
                with self._news:
                    if until not in self.output[start:]:
                        self._news.wait(0.2)
        self._looked = len(self.output)
        assert time.monotonic() < deadline, f"still waiting for {until!r}; it wrote {self.output[start:][-2000:]!r}"
        return self.output[start:]

    def _is_idle(self) -> bool:
        """Whether no thread of the program is running or runnable; always True where the system does not show it."""
        try:
            states = [
                (task / "stat").read_text().rpartition(")")[2].split()[0]
                for task in Path(f"/proc/{self.pid}/task").iterdir()
            ]
        except OSError:
            return True
        return not {"R", "D"}.intersection(states)

    def text(self, since: int = 0) -> str:
        """The output since that byte, without cursor movements and colours."""
        return _ESCAPES.sub(b"", self.output[since:]).decode(errors="replace")

    def said(self) -> str:
        """The output after the interface released the screen."""
        return _ESCAPES.sub(b"", self.output.rpartition(b"\x1b[?1049l")[2]).decode(errors="replace")

    def press(self, keys: str | bytes) -> None:
        self._looked = len(self.output)
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def hang_up(self) -> None:
        """Close the terminal, as when its window is closed."""
        if not self._is_closed:
            self._is_closed = True
            self._reader.join()
            os.close(self._master)

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def settings(self) -> list[Any]:
        """The terminal's settings: echo, line mode, and so on."""
        return termios.tcgetattr(self._master)

    @property
    def has_ended(self) -> bool:
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code is not None

    def close(self, seconds: float = PATIENCE) -> int:
        """The exit code; a program that does not end is killed."""
        deadline = time.monotonic() + seconds
        while not self.has_ended:
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the program did not end; it wrote {self.output[-2000:]!r}")
            time.sleep(0.02)
        self._reader.join(0.2)
        self.hang_up()
        assert self._code is not None
        return self._code

    def kill(self) -> None:
        """Kill it."""
        if not self.has_ended:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._code = -signal.SIGKILL
        self.hang_up()
