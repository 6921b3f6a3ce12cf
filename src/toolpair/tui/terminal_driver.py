"""Textual's terminal driver for Unix, extended for terminals that are closed or suspended.

Loaded only when the interface starts: Textual reads the delay of escape when it is loaded.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from typing import IO, TYPE_CHECKING, Any, Final

from textual import events
from textual._xterm_parser import XTermParser
from textual.constants import ESCAPE_DELAY
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver

from toolpair.tui.application import Application

if TYPE_CHECKING:
    from textual.app import App

QUESTION: Final = "\x1b]11;?\x1b\\"
_BEGIN: Final = "\x1b]11;"
_ANSWER: Final = re.compile(
    "\x1b\\]11;(?:rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]{0,8})?(?:\x07|\x1b\\\\)"
)
_LONGEST: Final = 48
"""Characters of an answer."""
_LIGHT: Final = 0.5


class BackgroundAnswer:
    """Takes the answer out of what the terminal sends. It may come in pieces, or never."""

    def __init__(self) -> None:
        self._held = ""
        self._waits = True

    @property
    def holds(self) -> bool:
        """Whether the beginning of what may be an answer is held back."""
        return bool(self._held)

    def split(self, text: str) -> tuple[str, bool | None]:
        """The text without the answer, and whether that says that the background is light; None when it does not."""
        text = self.rest() + text
        if not self._waits:
            return text, None
        found = _ANSWER.search(text)
        if found is not None:
            self._waits = False
            return text[: found.start()] + text[found.end() :], _is_light(found)
        # A single escape is a key that must not wait.
        for start in range(max(0, len(text) - _LONGEST), len(text) - 1):
            rest = text[start:]
            if rest.startswith(_BEGIN) or _BEGIN.startswith(rest):
                self._held = rest
                return text[:start], None
        return text, None

    def rest(self) -> str:
        """What was held back and is no answer, since nothing has come after it."""
        held, self._held = self._held, ""
        return held


def _is_light(answer: re.Match[str]) -> bool | None:
    if answer[1] is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in answer.groups())
    brightness: float = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return brightness > _LIGHT


_READ: Final = 4096
_IDLE: Final = 0.1
"""Seconds between checks whether input must end."""
_SLACK: Final = 0.002
"""Seconds: a check that comes a moment too early would be followed by a whole wait."""


class _Parser(XTermParser):
    """Where another sequence follows at once, what it does not know is a key with alt, not "^" and what follows."""

    _alt = False

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if sequence == "\x1b":  # a key alone does not come here
            self._alt = True
            return ()
        alt, self._alt = alt or self._alt, False
        return super()._sequence_to_key_events(sequence, alt)


class TerminalDriver(LinuxDriver):
    """Ends the program when the terminal is gone, and releases and retakes the terminal on suspend."""

    _background: BackgroundAnswer | None = None
    """The terminal's answer about its background, once it has been asked."""

    def __init__(self, app: App[Any], **settings: Any) -> None:
        super().__init__(app, **settings)
        self.has_terminal = False
        """Whether the terminal is in the state that the interface needs."""
        # Textual's own handlers stop the program for good where no shell can continue it, and write to the terminal at
        # any moment, even during another write.
        for number in (signal.SIGTSTP, signal.SIGCONT):
            signal.signal(number, signal.SIG_DFL)
        assert sys.__stderr__ is not None
        self._file: Any = _Unfailing(sys.__stderr__, self._hung_up)

    def start_application_mode(self) -> None:
        self._writer_thread = None
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is None:  # there was no terminal to begin with
            self._writer_thread = WriterThread(self._file)
            self._writer_thread.start()
            self._hung_up()
        self.has_terminal = True
        if self._background is None and os.environ.get("TERM", "dumb") not in ("dumb", "linux"):
            self._background = BackgroundAnswer()
            self.write(QUESTION)
        # Handled between two events.
        self._loop.add_signal_handler(signal.SIGTSTP, self.suspend)
        self._loop.add_signal_handler(signal.SIGCONT, self._continued)

    def stop_application_mode(self) -> None:
        # First of all: from here on the terminal turns keys into signals.
        for number in (signal.SIGTSTP, signal.SIGCONT):
            self._loop.remove_signal_handler(number)
        super().stop_application_mode()
        self.has_terminal = False

    def _disable_mouse_support(self) -> None:
        super()._disable_mouse_support()
        if self._mouse_pixels:
            self.write("\x1b[?1016l")

    # input

    def run_input_thread(self) -> None:
        parser = _Parser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with PromptSelector(ESCAPE_DELAY + _SLACK) as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                text = ""
                if selector.select(_IDLE):
                    data = self._read()
                    if not data:
                        self._hung_up()
                        return
                    text = self._without_answer(decode(data))
                elif self._background is not None and self._background.holds:
                    text = self._background.rest()
                heard = 0
                try:
                    # An empty text would end the parser.
                    for event in parser.feed(text) if text else ():
                        self.process_message(event)
                        heard += 1
                    for event in parser.tick():
                        self.process_message(event)
                except Exception:  # a sequence that no terminal sends ends the parser, but not the program
                    parser = self._after_odd(text, heard)

    def _after_odd(self, text: str, heard: int) -> _Parser:
        """Listen once more to a text that ended the parser, of which `heard` events are known, past what ended it.

        The parser for what comes next.
        """
        parser = _Parser(self._debug)
        for character in text:
            try:
                for event in parser.feed(character):
                    if heard:
                        heard -= 1
                    else:
                        self.process_message(event)
            except Exception:
                parser = _Parser(self._debug)
        return parser

    def _without_answer(self, text: str) -> str:
        """What was typed: the terminal's answer about its background is for the theme."""
        if self._background is None:
            return text
        text, light = self._background.split(text)
        if light is not None and isinstance(self._app, Application):
            self._app.note_background(light)
        return text

    def _read(self) -> bytes:
        """The input that has arrived; empty when the terminal is gone."""
        try:
            return os.read(self.fileno, _READ)
        except OSError:
            return b""

    def _hung_up(self) -> None:
        """The terminal is gone, with or without a signal."""
        if isinstance(self._app, Application) and not self.exit_event.is_set():
            self._app.hang_up()

    # suspending

    def _sigtstp_application(self, *_: object) -> None:
        """Textual's own handler, not used."""

    def _sigcont_application(self, *_: object) -> None:
        """Likewise."""

    def suspend(self, group: bool = False) -> None:
        """Release the terminal and stop until a shell continues the program; `group`: with its whole job."""
        self.suspend_application_mode()
        begun = time.monotonic()
        os.kill(0 if group else os.getpid(), signal.SIGTSTP)
        # Stops here, unless no shell could continue it: then the system does not stop it.
        while not self._is_in_foreground():
            # Continued in the background, where nothing can be drawn.
            time.sleep(_IDLE if time.monotonic() - begun > _IDLE else 0)
            begun = time.monotonic()
            os.kill(os.getpid(), signal.SIGTSTP)
        self._must_signal_resume = True
        self.resume_application_mode()

    def _is_in_foreground(self) -> bool:
        try:
            return os.tcgetpgrp(self.fileno) == os.getpgrp()
        except OSError:
            return True  # the terminal no longer exists, as reading will find

    def _continued(self) -> None:
        """Stopped by SIGSTOP, which cannot be handled, and continued: another program has changed the terminal
        meanwhile.
        """
        before = self.attrs_before
        self.suspend_application_mode()
        self._must_signal_resume = True
        self.resume_application_mode()
        self.attrs_before = before


class PromptSelector(selectors.SelectSelector):
    """After input has arrived, waits for `seconds` at most, once."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._came = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self._came and (timeout is None or timeout > self._seconds):
            timeout = self._seconds
        found = super().select(timeout)
        self._came = bool(found)
        return found


class _Unfailing:
    """A stream whose reader may be gone: failed writes are dropped, and reported once."""

    def __init__(self, stream: IO[str], failed: Callable[[], None]) -> None:
        self._stream = stream
        self._failed = failed
        self._has_failed = False

    def write(self, text: str) -> None:
        self._try(lambda: self._stream.write(text))

    def flush(self) -> None:
        self._try(self._stream.flush)

    def fileno(self) -> int:
        return self._stream.fileno()

    def _try(self, what: Callable[[], object]) -> None:
        if self._has_failed:
            return
        try:
            what()
        except (OSError, ValueError):
            self._has_failed = True
            self._failed()
