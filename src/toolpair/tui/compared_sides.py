"""What can be compared: a name, and how its history is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.session.session import Conversation, Session
    from toolpair.tui.background_loading import Open


class Side(Struct, frozen=True):
    """One of the two. `load` runs in a thread; it calls what it is given now and then, which may raise to end it."""

    name: str
    load: Callable[[Callable[[int], None]], Conversation]


def name_of(session: Session) -> str:
    """What a session is called in a comparison."""
    return session.file.name


def known(name: str, conversation: Conversation) -> Side:
    """A history that is already there."""
    return Side(name, lambda _: conversation)


def fixed(session: Session) -> Side:
    """The session with all recommended fixes."""

    def load(on_progress: Callable[[int], None]) -> Conversation:
        draft = session.draft(on_progress)
        draft.stage_recommended()
        return draft.conversation

    return Side("after everything safe is fixed", load)


def beside(session: Session, path: Path) -> Side:
    """A file that has to do with the session."""
    from toolpair.session.reopening import open_beside

    def load(on_progress: Callable[[int], None]) -> Conversation:
        other = open_beside(session, str(path), progress=on_progress, checking=lambda done, _: on_progress(done))
        return other.conversations[min(session.current, len(other.conversations) - 1)]

    return Side(path.name, load)


def branch_title(words: str) -> str:
    """What a branch is called, by its first words."""
    return f"branch: {words}" if words else "another branch"


def branch_side(session: Session, leaf: str | None, words: str) -> Side:
    """Another branch of the session."""
    now, view = session.conversation, session.reader.view
    return Side(branch_title(words), lambda _: now.viewed(replace(view, leaf=leaf)))


def on_machine(path: str, open: Open) -> Side:
    """A session on this machine."""

    def load(on_progress: Callable[[int], None]) -> Conversation:
        return open(path, progress=on_progress, checking=lambda done, _: on_progress(done)).conversation

    return Side(os.path.basename(path), load)
