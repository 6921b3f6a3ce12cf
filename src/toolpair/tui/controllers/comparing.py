"""Choosing what to compare the session with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.text.cells import cut
from toolpair.text.safe import visible
from toolpair.tui.numbers import count_text

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.agent import FoundSession
    from toolpair.session.session import Branch, Conversation, Session
    from toolpair.tui.background_loading import Open
    from toolpair.tui.controllers.owner import Owner
    from toolpair.tui.screens.compare import Side

_BRANCHES = 9
_WORDS = 60


def choose_other(owner: Owner) -> None:
    """Show the menu: before and after the fixes, originals, forks, branches, any other session."""
    from toolpair.session.relatives import relatives_of
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    if owner.overview.partial is not None:
        owner.say(owner.busy_reason)
        return
    session = owner.session
    entries: list[MenuEntry] = []
    ways: dict[str, Callable[[], None]] = {}

    def offer(label: str, note: str, go: Callable[[], None]) -> None:
        ways[str(len(entries))] = go
        entries.append(MenuEntry(str(len(entries)), label, note))

    now, here = session.conversation, _known(_name(session), session.conversation)
    if session.changed:
        before = _known("now", session.staging.original[session.current])
        offer(
            "the file as it is now, and after saving", "", partial(_compare, owner, before, _known("after saving", now))
        )
    elif any(problem.recommended is not None for problem in session.problems):
        fixed = partial(_compare, owner, _known("now", now), _fixed(session))
        offer("now, and after everything safe is fixed", "", fixed)
    for relative in relatives_of(session):
        other = _file(session, relative.path)
        offer(relative.what, visible(relative.path.name), partial(_compare, owner, here, other))
    for branch in islice(_other_branches(now), _BRANCHES):
        words = cut(visible(" ".join(branch.words.split())), _WORDS, owner.glyphs.ellipsis)
        there = _branch(session, None if branch.active else branch.leaf, words)
        offer(f"branch: {words}", count_text(branch.messages, "message"), partial(_compare, owner, here, there))
    if owner.tool.sessions is not None:
        offer("another session on this machine …", "", partial(_choose_session, owner, here))
    if not entries:
        owner.say("there is nothing to compare it with: no original, no fork, no fix")
        return

    def chosen(value: str | None) -> None:
        if value is not None:
            ways[value]()

    owner.ask(MenuScreen("Compare with", entries, filter=len(entries) > _BRANCHES), chosen, of_state=True)


def _other_branches(now: Conversation) -> Iterator[Branch]:
    tree = now.transcript.tree
    for branch in tree.branches:
        if branch.leaf != tree.leaf and not (branch.active and tree.leaf is None):
            yield branch


def _compare(owner: Owner, a: Side, b: Side) -> None:
    from toolpair.tui.screens.compare import CompareScreen

    owner.open(CompareScreen(a, b))


def _name(session: Session) -> str:
    return session.file.name if session.path is not None else "standard input"


def _known(name: str, conversation: Conversation) -> Side:
    from toolpair.tui.screens.compare import Side

    return Side(name, lambda _: conversation)


def _fixed(session: Session) -> Side:
    from toolpair.tui.screens.compare import Side

    def load(on_progress: Callable[[int], None]) -> Conversation:
        draft = session.draft(on_progress)
        draft.stage_recommended()
        return draft.conversation

    return Side("after everything safe is fixed", load)


def _file(session: Session, path: Path) -> Side:
    from toolpair.session.reopening import open_beside
    from toolpair.tui.screens.compare import Side

    def load(on_progress: Callable[[int], None]) -> Conversation:
        other = open_beside(session, str(path), progress=on_progress, checking=lambda done, _: on_progress(done))
        return other.conversations[min(session.current, len(other.conversations) - 1)]

    return Side(path.name, load)


def _branch(session: Session, leaf: str | None, words: str) -> Side:
    from toolpair.tui.screens.compare import Side

    now, view = session.conversation, session.reader.view
    return Side(f"branch: {words}", lambda _: now.viewed(replace(view, leaf=leaf)))


def file_side(path: str, open: Open) -> Side:
    """A session on this machine."""
    from toolpair.tui.screens.compare import Side

    def load(on_progress: Callable[[int], None]) -> Conversation:
        return open(path, progress=on_progress, checking=lambda done, _: on_progress(done)).conversation

    return Side(os.path.basename(path), load)


def _choose_session(owner: Owner, a: Side) -> None:
    from toolpair.tui.screens.picker import PickerScreen

    sessions = owner.tool.sessions
    if sessions is None:
        return

    def chosen(found: FoundSession) -> None:
        owner.when_on_top(lambda: _compare(owner, a, file_side(found.path, sessions.open)))

    owner.open(PickerScreen(sessions, chosen))
