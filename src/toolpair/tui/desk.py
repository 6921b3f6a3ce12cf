"""An open session and what the interface knows about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from toolpair.tui.overview import Overview

if TYPE_CHECKING:
    from toolpair.session.journal.keeper import Keeper
    from toolpair.session.session import Conversation, Session, Staged


class DeskState(Struct, frozen=True, eq=False):
    """One state of an open session: its content, what is applied, which conversation is current."""

    session: Session
    conversations: tuple[Conversation, ...]
    current: int

    @classmethod
    def of(cls, session: Session) -> DeskState:
        return cls(session, session.conversations, session.current)

    def is_of(self, session: Session) -> bool:
        """Whether the session is in this state. Each change creates new conversations, so no content is compared."""
        return (
            self.session is session and self.conversations is session.conversations and self.current == session.current
        )


class Desk:
    """A session with its applied fixes; a sub-agent's lies on top of the one it was opened from."""

    def __init__(self, session: Session, partial: int | None = None) -> None:
        """`partial`: the session is the beginning of a file of this many bytes."""
        self.overview = Overview(session, partial)
        self.keeper: Keeper | None = None
        """Writes the journal, if there is one, once the whole file is read."""
        self._copied: tuple[Staged, ...] = ()
        self._kept: tuple[DeskState, tuple[Staged, ...], str] | None = None

    @property
    def session(self) -> Session:
        return self.overview.session

    @property
    def unsaved(self) -> bool:
        """Whether closing it now would lose something: fixes that are in no file."""
        return self.session.changed and tuple(self.session.staged) != self._copied

    @property
    def unsaved_fixes(self) -> int:
        return sum(staged.problems for staged in self.session.staged) if self.unsaved else 0

    def go_on_with(self, session: Session) -> None:
        """Replace the session by another one of the same file."""
        self._copied = ()
        self.overview.forget(session)

    def note_saved(self, in_place: bool) -> None:
        """What is applied has been written: to the file, where the session continues, or to a copy."""
        if in_place:
            self.overview.forget(self.session)
        else:
            self._copied = tuple(self.session.staged)
        self.keep()

    def note_written(self) -> None:
        """The file has everything applied: nothing is left to keep. May be called from another thread."""
        if self.keeper is not None:
            self.keeper.forget()

    def keep(self) -> None:
        """Have the journal written if applied fixes have changed."""
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
        """Whether unsaved fixes can be taken up again."""
        return self.keeper is not None and self.keeper.problem is None

    def close(self, keep: bool) -> None:
        """Nobody works on it any more. `keep`: the user did not ask for that."""
        if self.keeper is None:
            return
        if keep:
            self.keep()
        else:
            self.keeper.forget()
        self.keeper.flush()
