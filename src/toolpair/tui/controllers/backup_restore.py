"""Restoring a backup from the interface, and reloading the session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolpair.session.following import reapply
from toolpair.session.reopening import reopened
from toolpair.session.session import Refused, SaveFailed
from toolpair.tui.background_loading import know
from toolpair.tui.desk import Desk
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.writing import GivenUp, Steps, write
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.session.saving import Saved
    from toolpair.session.session import Session, Staged
    from toolpair.tui.later import LaterOn

Again = tuple["Saved", "Session | None", str]
"""What was written, the session as the file now has it, and what could not be done."""


def restore_backup(
    screen: LaterOn[Any],
    desk: Desk,
    backup: Path,
    ended: Callable[[str | None], None],
    steps: Sequence[Sequence[Staged]] = (),
    only_as_is: bool = False,
) -> None:
    """Restore the backup, reload the session, and apply `steps`.

    `ended` is called with the reason for a failure, or with what went wrong afterwards. `only_as_is`: only while the
    file holds what was saved.
    """
    session = desk.session

    def work(writing: Steps | None) -> Again:
        progress = writing.advance if writing is not None else None
        saved = session.restore(backup, progress, only_as_is)
        if writing is not None:
            writing.written()
        return (saved, *_again(session, steps))

    def done(result: Again | Exception | None) -> None:
        if not isinstance(result, tuple):
            ended(_why_not(result, screen.tool.glyphs.key("R", "restore") if only_as_is else ""))
            return
        saved, again, problem = result
        screen.tool.result.note_restored(saved, backup)
        if again is not None:
            desk.go_on_with(again)
            screen.tool.open_sessions.changed(desk)
        ended(problem or None)

    write(screen, session, _size(backup), work, done, _size(backup))


def _size(backup: Path) -> int:
    try:
        return backup.stat().st_size
    except OSError:
        return 0


def _again(session: Session, steps: Sequence[Sequence[Staged]]) -> tuple[Session | None, str]:
    """The file is written: later failures are reported, but do not undo that."""
    try:
        again = reopened(session)
        again.current = min(session.current, len(again.conversations) - 1)
        dropped = reapply(again.staging, steps)
        know(again)
    except Exception as error:
        return None, f"restored, but not read again: {failure(error)}"
    return (
        again,
        f"{count_text(len(dropped), 'fix')} no longer {'applies' if len(dropped) == 1 else 'apply'}" if dropped else "",
    )


def _why_not(error: Exception | None, other_key: str) -> str:
    """`other_key`: of a save that was to be undone, the key that restores its original all the same."""
    match error:
        case None | GivenUp():
            return "stopped: nothing was written"
        case Refused(reason="changed") if other_key:
            return f"not undone: the file has changed since it was saved. {other_key} restores an original all the same"
        case Refused() | SaveFailed() | OSError():
            return f"not restored: {error}"
    raise error
