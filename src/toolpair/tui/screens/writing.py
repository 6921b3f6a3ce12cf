"""The progress of writing a file, or of reading it again; no key changes anything until it is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.tui.aside import Aside
from toolpair.tui.numbers import size_text
from toolpair.tui.screens.base_screen import Dialog
from toolpair.tui.styled_text import Glyphs, Line, Span, spread
from toolpair.tui.typed_ahead import EarlyKeys
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.later import LaterOn

T = TypeVar("T")
LARGE = 8 << 20
"""A file of fewer bytes is written too fast to need progress."""
_PATIENCE = 0.3
"""Seconds before anything is shown."""
_PAUSE = 0.1
_BAR = 24


def takes_long(session: Session, size: int = 0) -> bool:
    """Whether writing its file, or so many bytes, is too slow for a key. What holds a session among others may be
    large, locked, or checked as a whole.
    """
    return session.file.is_stored or max(session.file.size, size) >= LARGE


class GivenUp(Exception):
    """The user cancelled; nothing was written."""


class Steps(Protocol):
    """Through this the work reports its progress."""

    def advance(self, done: int) -> None:
        """This many bytes are written. Raises GivenUp after escape."""

    def written(self) -> None:
        """The file is complete: what follows cannot be cancelled."""


def write(
    screen: LaterOn[Any],
    session: Session,
    total: int,
    work: Callable[[Steps | None], T],
    ended: Callable[[T | Exception | None], None],
    size: int = 0,
) -> None:
    """Do the work and call `ended` with its result or exception: at once, or with its progress if that takes long.

    `total` is about how many bytes it writes; with `size` it takes long if these are many.
    """
    if takes_long(session, size):
        screen.ask(WritingScreen(0 if session.file.is_stored else total, work), ended)
        return
    try:
        result: T | Exception = work(None)
    except Exception as error:
        result = error
    ended(result)


class WritingScreen(Dialog[T | Exception], Generic[T]):
    """Runs `work` in the background and returns its result or exception, GivenUp after escape."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    WritingScreen { background: transparent; }
    WritingScreen > #box { display: none; }
    WritingScreen.-shown > #box { display: block; }
    """

    def __init__(self, total: int, work: Callable[[Steps], T], what: str = "saving") -> None:
        """`total` is the approximate number of bytes, 0 if nobody knows it; `what` is done."""
        super().__init__()
        self._what = what
        self._early = EarlyKeys()
        """While nothing is shown, no key is meant for this screen."""
        self._total = total
        self._work = work
        self._done = 0
        self._given_up = False
        self._is_written = False
        self._begun = time.monotonic()

    def build(self) -> ComposeResult:
        yield Lines(id="text")

    def on_mount(self) -> None:
        self.every(_PAUSE, self._look)
        self.in_thread(self._run)

    def _run(self, aside: Aside) -> None:
        result: T | Exception
        try:
            result = self._work(self)
        except Exception as error:  # raised where it is awaited
            result = error
        aside.run_in_ui(lambda: self._end(result))

    def _end(self, result: T | Exception) -> None:
        self.finish(result)
        self._early.hand_over(self.tool.typed_ahead)

    def advance(self, done: int) -> None:
        if self._given_up:
            raise GivenUp
        self._done = done

    def written(self) -> None:
        self._is_written = True

    def _look(self) -> None:
        if time.monotonic() - self._begun >= _PATIENCE:
            self.add_class("-shown")
            self.draw()

    def lay_out(self, width: int, height: int) -> None:
        if self._is_written:
            words, note = "saved, checking it", ""
        else:
            words = self._what
            note = self.note or ("stopping …" if self._given_up else "esc stops")
        right = (self.glyphs.ui(f"{note} ", "warning" if self.note else "dim"),)
        total = 0 if self._is_written else self._total
        bar = bar_line(self.glyphs, words, self._done, total, right, width)
        self.query_one("#text", Lines).show([self.glyphs.rule("", width), bar])

    def give_up(self) -> None:
        """Cancel it, if that is still possible."""
        self._given_up = True
        self._early.forget()
        self.note = ""
        self._look()

    def say_not_now(self) -> None:
        self.note = f"not while {self._what}. esc stops"
        self._look()

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.give_up()
        elif not self.has_class("-shown"):
            self._early.keep(event)
        else:
            self.say_not_now()


def bar_line(
    glyphs: Glyphs,
    what: str,
    done: int,
    total: int,
    right: tuple[Span, ...],
    cells: int,
    unit: Callable[[int], str] = size_text,
) -> Line:
    """`what ████░░░░ 50 % 250 MB of 500 MB`, with `right` at the end; on a narrow screen the bar is left out.

    Without a total only `what …`.
    """
    if not total:
        return spread((glyphs.ui(f" {what} …"),), right, cells, glyphs.ellipsis)
    whole = max(total, done, 1)
    full = done * _BAR // whole
    marks = ("#", ".") if glyphs.ascii else ("█", "░")
    bar = (marks[0] * full + marks[1] * (_BAR - full)) if cells >= 100 else ""
    words = [f" {what}", bar, f"{done * 100 // whole:3d} %", f"{unit(done)} of {unit(whole)}"]
    return spread((glyphs.ui("  ".join(filter(None, words))),), right, cells, glyphs.ellipsis)
