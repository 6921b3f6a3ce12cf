"""A long task in the background, and its progress."""

from __future__ import annotations

from collections.abc import Callable

from toolpair.tui.numbers import size_text


class Stopped(Exception):
    """Escape was pressed: the work so far is discarded."""


class LongTask:
    """Its thread calls `on_progress`, which ends the task when the user does not wait."""

    def __init__(self, what: str, total: int, unit: Callable[[int], str] = size_text) -> None:
        """A `total` of 0 means that progress is unknown."""
        self.what = what
        self.total = total
        self.unit = unit
        self.done = 0
        self.stopped = False

    def on_progress(self, done: int) -> None:
        """This much is done. Raises Stopped after escape."""
        self.done = done
        if self.stopped:
            raise Stopped

    def check(self, done: int, total: int) -> None:
        """What was read is being checked; this much is done."""
        self.go_on("checking", total, lambda count: f"{count:,}")
        self.on_progress(done)

    def go_on(self, what: str, total: int = 0, unit: Callable[[int], str] = size_text) -> None:
        """Another kind of work follows; a `total` of 0 means that progress is unknown."""
        self.what, self.total, self.unit = what, total, unit
        self.on_progress(0)


def failure(error: Exception) -> str:
    """The message for work that failed, one sentence."""
    from toolpair.session.session import Refused, SaveFailed, SessionError

    match error:
        case MemoryError():
            return "There is not enough memory for this file."
        case RecursionError():
            return "The file is nested too deeply to be a session."
        case SessionError() | Refused() | SaveFailed() | OSError() | ValueError() | LookupError():
            return str(error)
    return f"toolpair itself failed ({type(error).__name__}: {error})."
