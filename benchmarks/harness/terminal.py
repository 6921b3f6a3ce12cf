"""A program in a real pseudo terminal: what it writes, and when."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import tempfile
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from benchmarks.harness.failed import Failed

QUIET: Final = 0.015
"""Seconds without a byte that end a frame."""
REST: Final = 0.1
"""Seconds without a byte after which nothing more of a key is expected."""
_ESCAPES: Final = re.compile(
    rb"\x1b\[[0-?]*[ -/]*m|(\x1b\[[0-?]*[ -/]*[@-~])"
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_].*?\x1b\\|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_ASKS_SYNC: Final = b"\x1b[?2026$p"
_HAS_SYNC: Final = b"\x1b[?2026;2$y"
_TEXT: Final = 1 << 20
"""Bytes of output that are looked through for words, counted from the newest."""


class Terminal:
    """Runs `argv` in a terminal of `width` by `height`; a thread drains it and notes when each piece came.

    Words are looked for in what was written, not on the screen that it makes: those of one line that is written at
    once. Times are those of `time.perf_counter`.

    The program has a state folder of its own: one that is killed leaves its journal, and the next one to open the same
    file would ask about it instead of taking keys.
    """

    def __init__(self, argv: Sequence[str], width: int = 120, height: int = 40) -> None:
        self._pieces: list[tuple[float, bytes]] = []
        self._news = threading.Condition()
        self._open = True
        self._state = tempfile.TemporaryDirectory(prefix="toolpair-benchmarks-")
        environment = dict(os.environ, TERM="xterm-256color", COLORTERM="truecolor", XDG_STATE_HOME=self._state.name)
        environment.pop("NO_COLOR", None)
        self.begun = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            _become(argv, width, height, environment)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def now(self) -> int:
        """A mark: output from here on."""
        with self._news:
            return len(self._pieces)

    def text(self, mark: int = 0) -> str:
        """What was written since the mark, without escape sequences; a jump of the cursor is a line end."""
        with self._news:
            data = b"".join(piece for _, piece in self._pieces[mark:])
        return _ESCAPES.sub(lambda found: b"\n" if found[1] else b"", data[-_TEXT:]).decode(errors="replace")

    def wait_for(self, words: str, mark: int = 0, timeout: float = 60) -> float:
        """When the piece came with which the regular expression `words` was to be read; Failed when it never is."""
        until = time.perf_counter() + timeout
        while True:
            with self._news:
                seen, is_open = len(self._pieces), self._open
            if seen > mark and re.search(words, self.text(mark)):
                return self._first(words, mark, seen)
            left = until - time.perf_counter()
            if left <= 0 or not is_open:
                end = "ended" if not is_open else f"has not shown it after {timeout:.0f} s"
                raise Failed(f"the interface {end}: no {words!r}; its last words: {self.text()[-200:].strip()!r}")
            with self._news:
                if len(self._pieces) == seen and self._open:
                    self._news.wait(left)

    def press(self, keys: str, words: str | None = None, timeout: float = 20) -> Frame:
        """Send keys and wait for the frame that they bring: the first one, or the one that has `words` in it."""
        mark = self.now
        begun = self.send(keys)
        shown = self.wait_for("(?s)." if words is None else words, mark, timeout)
        until = begun + timeout
        while (rest := self._newest() + REST - time.perf_counter()) > 0 and time.perf_counter() < until:
            time.sleep(rest)
        with self._news:
            times = [moment for moment, _ in self._pieces[mark:] if moment >= shown]
        end = shown
        for moment in times:
            if moment - end > QUIET:
                break
            end = moment
        return Frame(end - begun, times[-1] - begun)

    def send(self, keys: str) -> float:
        """Send keys, and wait for nothing. When they were sent."""
        begun = time.perf_counter()
        os.write(self._fd, keys.encode())
        return begun

    def settle(self, timeout: float = 300, quiet: float = 0.4) -> float:
        """Wait until the program writes nothing and works on nothing; seconds since its start."""
        until = time.perf_counter() + timeout
        worked = self._worked()
        while time.perf_counter() < until:
            mark = self.now
            time.sleep(quiet)
            now = self._worked()
            if not self._open:
                raise Failed(f"the interface ended; its last words: {self.text()[-200:].strip()!r}")
            if now - worked <= 0.1 * quiet and self.now == mark:
                return time.perf_counter() - self.begun
            worked = now
        raise Failed(f"the interface did not come to rest in {timeout:.0f} s")

    def close(self) -> None:
        """End the program, whatever it is at."""
        if self._open:
            os.kill(self.pid, signal.SIGKILL)
        self._reader.join(5)
        try:
            os.waitpid(self.pid, 0)
        except ChildProcessError:
            pass
        os.close(self._fd)
        self._state.cleanup()

    def _newest(self) -> float:
        with self._news:
            return self._pieces[-1][0]

    def _first(self, words: str, mark: int, upto: int) -> float:
        """The piece among those up to `upto` with which the words were complete."""
        with self._news:
            pieces = self._pieces[mark:upto]
        low, high = 0, len(pieces) - 1
        while low < high:  # what is readable stays readable, so halves can be left out
            middle = (low + high) // 2
            data = b"".join(piece for _, piece in pieces[: middle + 1])
            text = _ESCAPES.sub(lambda found: b"\n" if found[1] else b"", data).decode(errors="replace")
            low, high = (low, middle) if re.search(words, text) else (middle + 1, high)
        return pieces[low][0]

    def _drain(self) -> None:
        while True:
            select.select([self._fd], [], [])
            try:
                data = os.read(self._fd, 1 << 16)
            except OSError:  # the system's way to say that the other end is closed
                data = b""
            moment = time.perf_counter()
            if _ASKS_SYNC in data:
                os.write(self._fd, _HAS_SYNC)
            with self._news:
                if data:
                    self._pieces.append((moment, data))
                else:
                    self._open = False
                self._news.notify_all()
            if not data:
                return

    def _worked(self) -> float:
        """Seconds of processor time of the program so far; 0 where the system does not tell."""
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as stat:
                parts = stat.read().rsplit(b")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Frame:
    """One answer of the screen, in seconds from the key: the last byte of the frame, and of all that came after it."""

    seconds: float
    whole: float


def _become(argv: Sequence[str], width: int, height: int, environment: Mapping[str, str]) -> None:
    """In the child: become the program. Never returns."""
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    try:
        os.execvpe(argv[0], list(argv), environment)
    finally:
        os._exit(127)
