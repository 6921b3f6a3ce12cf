"""A file is opened beside the keys: where it is large its beginning comes first, and then all of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct

from toolpair.tui.work import LongTask, Stopped

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.aside import Aside
    from toolpair.tui.later import LaterOn

LARGE: Final = 1 << 19
"""Bytes from which on the beginning of a file is shown before all of it is read."""
HEAD: Final = 1 << 16
LINES: Final = 100
"""Bytes and lines of that beginning, at most: about what a screen shows."""
LONGEST: Final = 1 << 24
"""Bytes that are looked at for the end of the first line."""
_PACKED: Final = ".zst"


class Open(Protocol):
    """Opens a session; with `data` these are the bytes that it reads.

    `progress` is told how many it has read, `checking` how much of what it has read is judged, and of how much.
    """

    def __call__(
        self,
        path: str,
        /,
        *,
        data: bytes | None = None,
        progress: Callable[[int], None] | None = None,
        checking: Callable[[int, int], None] | None = None,
    ) -> Session: ...


class Opening(Struct, frozen=True):
    """A file to open, and how that is done."""

    path: str
    open: Open

    @property
    def size(self) -> int:
        """Bytes; 0 where nothing is known of it."""
        try:
            return os.stat(self.path).st_size
        except OSError:
            return 0

    def beginning(self) -> Session | None:
        """A session of the file's first records; None where it is small, or nothing can be told from them."""
        if self.size < LARGE or self.path.endswith(_PACKED):
            return None
        for data in _beginnings(self.path):
            with contextlib.suppress(Exception):  # of a part of a file anything may be wrong; all of it says what
                session = self.open(self.path, data=data)
                if len(session.conversation.rows):
                    return session
        return None

    def whole(self, work: LongTask) -> Session:
        """All of it, judged."""
        session = self.open(self.path, progress=work.heed, checking=work.check)
        work.go_on("checking")
        know(session)
        return session


def know(session: Session) -> None:
    """Work out what a screen asks first."""
    conversation = session.conversation
    asked: list[object] = [
        session.problems,
        conversation.groups,
        session.conversation.verdict,
        conversation.rows,
        conversation.places,
    ]
    if session.changed:
        asked.append(session.staging.losses)


def _beginnings(path: str) -> Iterator[bytes]:
    """What the file may begin with: whole lines, the beginning of one document, or one very long line."""
    with open(path, "rb") as file:
        data = file.read(HEAD)
        text = data.lstrip(b"\xef\xbb\xbf \t\r\n")
        first, newline, _ = text.partition(b"\n")
        if newline and first.startswith(b"{") and first.rstrip().endswith(b"}"):
            yield b"".join(data[: data.rfind(b"\n") + 1].splitlines(keepends=True)[:LINES])
            return
        yield data
        if text.startswith(b"{"):
            yield data + file.readline(LONGEST)


class InThread(Protocol):
    """A screen, as far as something is done beside its keys."""

    def in_thread(self, work: Callable[[Aside], None], name: str = "aside") -> Aside: ...


def begin(
    screen: InThread,
    opening: Opening,
    work: LongTask,
    whole: Callable[[Session], None],
    failed: Callable[[Exception], None],
    beginning: Callable[[Session], LaterOn[Any] | None] | None = None,
) -> None:
    """Open it in a thread for a screen; nothing of it is told after `work` was stopped.

    `beginning` shows the first records of a large file, and gives back the screen that the rest is told to.
    """

    def run(aside: Aside) -> None:
        def show(how: Callable[[Session], None], session: Session) -> None:
            # Asked where keys are heard, too: escape may have come since the thread looked.
            if not work.stopped:
                how(session)

        def show_beginning(session: Session) -> None:
            shown = beginning(session) if beginning is not None else None
            if shown is not None:
                aside.hand_over(shown.ticket())

        try:
            head = opening.beginning() if beginning is not None else None
            if head is not None:
                aside.tell(lambda: show(show_beginning, head))
            session = opening.whole(work)
            work.heed(work.done)
            aside.tell(lambda: show(whole, session))
        except Stopped:
            return
        except Exception as error:
            told = error  # the name of a handler is gone when this is told
            if not work.stopped:
                aside.tell(lambda: failed(told))

    screen.in_thread(run, "work")
