"""A file of which the beginning is shown while the rest is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolpair.tui.numbers import count_text
from toolpair.tui.work import LongTask, failure

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.background_loading import Opening
    from toolpair.tui.controllers.owner import Owner


class ReadingOn:
    """Shows the reading's progress, takes its result, and reads the rest after it was stopped."""

    def __init__(self, owner: Owner, opening: Opening | None, work: LongTask | None, ended: Callable[[], None]) -> None:
        """`ended` is called when all of the file is shown."""
        self._owner = owner
        self._opening = opening
        self._work = work
        self._ended = ended

    @property
    def busy_reason(self) -> str:
        """Why nothing can be changed before all of it is read; empty when it is."""
        if self._owner.overview.partial is None:
            return ""
        if self._owner.work.now is None:
            key = self._owner.glyphs.key("r", "read_rest")
            return f"only the beginning has been read. {key} reads the rest"
        return "not yet: still reading the file, esc stops"

    def begin(self) -> None:
        """Show the progress."""
        if self._work is not None and not self._work.stopped:
            self._owner.work.follow(self._work)

    def take_whole(self, session: Session) -> None:
        """The whole file is read: continue with it, at the row where the cursor is."""
        owner = self._owner
        if owner.work.now is not None:
            owner.work.forget()
        row, before = owner.pairs.row, len(owner.overview.rows)
        moved, depth = owner.pairs.cursor > 0, owner.pairs.depth
        owner.overview.forget(session)
        owner.note = ""
        owner.rows_changed(0, len(owner.overview.rows) - before)
        if moved and row is not None and row.record is not None:
            owner.pairs.go_to_row(owner.overview.row_of_record(row.record) or 0, depth)
            errors = session.conversation.verdict.errors
            owner.note = f"the whole file is read: {count_text(errors, 'problem')}" + (
                ". ] goes to the first" if errors else ""
            )
            owner.redraw()
        elif not owner.is_led:
            owner.show_first_problem()
        owner.redraw()
        self._ended()

    def not_read(self, error: Exception) -> None:
        """The rest cannot be read."""
        self._owner.work.forget()
        self._owner.say(f"the rest was not read: {failure(error)}")

    def read_rest(self) -> None:
        """Read the rest after it was stopped."""
        owner, opening = self._owner, self._opening
        if owner.overview.partial is None or opening is None:
            owner.say("the whole file has been read")
        elif owner.work.now is None:
            from toolpair.tui.background_loading import begin

            work = LongTask("reading", opening.size)
            owner.note = ""
            owner.work.follow(work)
            begin(owner, opening, work, self.take_whole, self.not_read)
