"""Ending because of a signal or a closed terminal.

The terminal is restored if it still exists, and no work is lost.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from types import FrameType

    from toolpair.tui.app import ToolpairApp

ENDING: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
_PATIENCE: Final = 6.0
"""Seconds for an orderly end; a running save is cancelled or finished in that time."""
_LAST: Final = 0.5
"""Seconds for final output to a terminal that may no longer respond."""
GIVE_BACK: Final = (
    "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[<u"
    "\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
"""Resets everything that the interface sets on a terminal."""
Handler = Any
"""What `signal.signal` accepts and returns."""


class Leaving:
    """A context in which signals end the interface in an orderly way, and SIGINT asks as `q` does."""

    def __init__(self, app: ToolpairApp) -> None:
        self._app = app
        app.hang_up = self._hang_up
        self._attributes = _attributes(0)
        self._before: dict[int, Handler] = {}
        self._over = threading.Event()

    def __enter__(self) -> None:
        self._reading, self._writing = os.pipe()
        threading.Thread(target=self._watch, name="signals", daemon=True).start()
        for number in (*ENDING, signal.SIGINT):
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN:  # ignored already, as under nohup
                self._before[number] = before
                signal.signal(number, self._heard)

    def __exit__(self, *error: object) -> None:
        for number, before in self._before.items():
            # An interrupt now is too late, and the messages about saved files are still to be printed.
            signal.signal(number, before if number != signal.SIGINT else signal.SIG_IGN)
        self._over.set()
        os.write(self._writing, b"\0")
        if self._app.has_terminal:
            # The interface failed without time to restore the terminal.
            self._give_back()
        silence_lost_streams()

    def _heard(self, number: int, frame: FrameType | None) -> None:
        # All that is safe inside a signal handler.
        os.write(self._writing, bytes([number]))

    def _hang_up(self) -> None:
        """The terminal is gone."""
        os.write(self._writing, bytes([signal.SIGHUP]))

    def _watch(self) -> None:
        """In a thread: the interface may be busy, or wait for a terminal that does not respond."""
        is_leaving = False
        while not self._over.is_set():
            number = os.read(self._reading, 1)[0]
            if not number:
                return
            is_ending = self._app.typed_ahead.has_ended()
            if number == signal.SIGINT and (is_ending or self._app.is_running):
                # When it is about to end, the question has been answered.
                self._app.call_later(self._app.interrupt)
            elif not is_leaving and (is_ending or self._app.is_running):
                is_leaving = True
                self._app.call_later(self._app.leave, number)
                threading.Thread(target=self._end_after_a_while, args=(number,), daemon=True).start()
            else:
                self._end_now(number)

    def _end_after_a_while(self, number: int) -> None:
        if not self._over.wait(_PATIENCE):
            self._end_now(number)

    def _end_now(self, number: int) -> None:
        self._app.open_sessions.close()
        if self._app.has_terminal:
            _in_time(self._give_back)
        os._exit(128 + number)

    def _give_back(self) -> None:
        if self._attributes is not None:
            import termios

            try:
                termios.tcsetattr(0, termios.TCSANOW, self._attributes)
            except termios.error:
                pass  # it is gone
        if sys.__stderr__ is not None:
            try:
                os.write(sys.__stderr__.fileno(), GIVE_BACK.encode())
            except (OSError, ValueError):
                pass


def _attributes(descriptor: int) -> list[Any] | None:
    """The terminal's settings; None if there is none."""
    try:
        import termios

        return termios.tcgetattr(descriptor)
    except Exception:  # no terminal, or a system without termios
        return None


def _in_time(what: Callable[[], None]) -> None:
    thread = threading.Thread(target=what, daemon=True)
    thread.start()
    thread.join(_LAST)


def silence_lost_streams() -> None:
    """Redirect output whose terminal is gone to nowhere, so that writing to it does not fail."""
    try:
        import termios
    except ImportError:
        return
    for number in (1, 2):
        try:
            termios.tcgetattr(number)
        except termios.error as error:
            if error.args[0] == errno.EIO:  # a file or a pipe fails differently
                os.dup2(os.open(os.devnull, os.O_WRONLY), number)
