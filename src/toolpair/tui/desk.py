"""A session that is open in the interface, and what is known of it there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from toolpair.tui.overview import Overview

if TYPE_CHECKING:
    from toolpair.session.journal import Keeper
    from toolpair.session.session import Conversation, Session, Staged


class DeskState(Struct, frozen=True, eq=False):
    """One state of an open session: what it holds, what is applied, which conversation is looked at."""

    session: Session
    conversations: tuple[Conversation, ...]
    current: int

    @classmethod
    def of(cls, session: Session) -> DeskState:
        return cls(session, session.conversations, session.current)

    def is_of(self, session: Session) -> bool:
        """Whether the session is in this state. Each change makes new conversations, so this compares no content."""
        return (
            self.session is session and self.conversations is session.conversations and self.current == session.current
        )


class Desk:
    """One session with the fixes that are applied to it; a sub-agent's lies on top of the one it was opened from."""

    def __init__(self, session: Session, partial: int | None = None) -> None:
        """`partial`: the session is the beginning of a file of so many bytes."""
        self.overview = Overview(session, partial)
        self.keeper: Keeper | None = None
        """Writes the journal, where there is one; from when all of the file is read."""
        self._copied: tuple[Staged, ...] = ()
        self._kept: tuple[DeskState, tuple[Staged, ...], str] | None = None

    @property
    def session(self) -> Session:
        return self.overview.session

    @property
    def unsaved(self) -> bool:
        """Whether closing it now would throw something away: fixes that no file has."""
        return self.session.changed and tuple(self.session.staged) != self._copied

    @property
    def unsaved_fixes(self) -> int:
        return sum(staged.problems for staged in self.session.staged) if self.unsaved else 0

    def go_on_with(self, session: Session) -> None:
        """Take another session of the same file, as it is now, into the place of this one."""
        self._copied = ()
        self.overview.forget(session)

    def note_saved(self, in_place: bool) -> None:
        """What is applied has been written: to the file, which the session starts from now, or to a copy."""
        if in_place:
            self.overview.forget(self.session)
        else:
            self._copied = tuple(self.session.staged)
        self.keep()

    def note_written(self) -> None:
        """The file has what is applied: nothing is left to keep. May be called in another thread."""
        if self.keeper is not None:
            self.keeper.forget()

    def keep(self) -> None:
        """Have the journal written, where what is applied has changed since the last time."""
        if self.keeper is None:
            return
        state = DeskState.of(self.session), self._copied, self.session.profile.id
        if self._kept is not None and self._kept[0].is_of(self.session) and self._kept[1:] == state[1:]:
            return
        self._kept = state
        if self.unsaved:
            self.keeper.keep(self.session)
        else:
            self.keeper.forget()

    @property
    def is_kept(self) -> bool:
        """Whether what is applied and not saved can be taken up again."""
        return self.keeper is not None and self.keeper.problem is None

    def close(self, keep: bool) -> None:
        """Nobody works on it any more. `keep`: not because the person wants it so."""
        if self.keeper is None:
            return
        if keep:
            self.keep()
        else:
            self.keeper.forget()
        self.keeper.flush()
