"""A session that is open in the interface, and what is known of it there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.dataclass import dataclass
from toolpair.tui.overview import Overview

if TYPE_CHECKING:
    from toolpair.session import Conversation, Session, Staged


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One state of an open session: what it holds, what is applied, which conversation is looked at."""

    session: Session
    conversations: tuple[Conversation, ...]
    current: int

    @classmethod
    def of(cls, session: Session) -> State:
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
        self._copied: tuple[Staged, ...] = ()

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
