"""Choosing what to compare the session with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from toolpair.text.cells import cut
from toolpair.text.safe import visible
from toolpair.tui.compared_sides import Side, beside, branch_side, branch_title, fixed, known, name_of, on_machine
from toolpair.tui.numbers import count_text

if TYPE_CHECKING:
    from toolpair.formats.agent import FoundSession
    from toolpair.session.session import Branch, Conversation
    from toolpair.tui.controllers.owner import Owner

_BRANCHES = 9
_WORDS = 60


def choose_other(owner: Owner) -> None:
    """Show the menu: before and after the fixes, originals, forks, branches, any other session."""
    from toolpair.session.reopening import relatives_of
    from toolpair.tui.screens.menu import MenuEntry, choose

    if not owner.is_whole():
        return
    session = owner.session
    entries: list[MenuEntry] = []
    now, here = session.conversation, known(name_of(session), session.conversation)
    if session.changed:
        before = known("now", session.staging.original[session.current])
        after = known("after saving", now)
        entries.append(MenuEntry("the file as it is now, and after saving", partial(_compare, owner, before, after)))
    elif any(problem.recommended is not None for problem in session.problems):
        go = partial(_compare, owner, known("now", now), fixed(session))
        entries.append(MenuEntry("now, and after everything safe is fixed", go))
    for relative in relatives_of(session):
        other = beside(session, relative.path)
        go = partial(_compare, owner, here, other)
        entries.append(MenuEntry(relative.what, go, visible(relative.path.name)))
    for branch in islice(_other_branches(now), _BRANCHES):
        words = cut(visible(" ".join(branch.words.split())), _WORDS, owner.glyphs.ellipsis)
        there = branch_side(session, None if branch.active else branch.leaf, words)
        go = partial(_compare, owner, here, there)
        entries.append(MenuEntry(branch_title(words), go, count_text(branch.messages, "message")))
    if owner.tool.sessions is not None:
        entries.append(MenuEntry("another session on this machine …", partial(_choose_session, owner, here)))
    if not entries:
        owner.say("there is nothing to compare it with: no original, no fork, no fix")
        return
    choose(owner, "Compare with", entries, filter=len(entries) > _BRANCHES)


def _other_branches(now: Conversation) -> Iterator[Branch]:
    tree = now.transcript.tree
    for branch in tree.branches:
        if branch.leaf != tree.leaf and not (branch.active and tree.leaf is None):
            yield branch


def _compare(owner: Owner, a: Side, b: Side) -> None:
    from toolpair.tui.screens.compare import CompareScreen

    owner.open(CompareScreen(a, b))


def _choose_session(owner: Owner, a: Side) -> None:
    from toolpair.tui.screens.picker import PickerScreen

    sessions = owner.tool.sessions
    if sessions is None:
        return

    def chosen(found: FoundSession) -> None:
        owner.when_on_top(lambda: _compare(owner, a, on_machine(found.path, sessions.open)))

    owner.open(PickerScreen(sessions, chosen))
