"""The menu of the file's branches and sub-agents: the chosen one is shown and checked on its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolpair.text.cells import cut
from toolpair.text.safe import visible
from toolpair.tui.numbers import count_text
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner

WORDS = 60
"""Maximum characters of a branch's last words in the menu."""


def choose_branch(owner: Owner) -> None:
    """Show the menu."""
    from toolpair.session.surroundings import subagent_sessions_of
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    session = owner.session
    transcript = session.conversation.transcript
    branches, subagent_sessions = (
        transcript.tree.branches,
        subagent_sessions_of(session.conversation, session.reader.view.beside),
    )
    desks = owner.tool.open_sessions.desks
    above = desks[-2].session if len(desks) > 1 else None
    if not branches and not subagent_sessions and above is None:
        owner.say("this file has only one branch, and no sub-agent")
        return
    entries: list[MenuEntry] = []
    here = 0
    for number, branch in enumerate(branches):
        marks = "agent" if branch.active else "sub-agent" if branch.kind == "sub-agent" else ""
        if branch.leaf == transcript.tree.leaf or (transcript.tree.leaf is None and branch.active):
            here = number
        words = cut(visible(" ".join(branch.words.split())), WORDS, owner.glyphs.ellipsis)
        label = f"{_moment(branch.time):<16}  {count_text(branch.messages, 'message'):>14}  {marks:<9}  {words}"
        entries.append(MenuEntry(f"leaf {branch.leaf if not branch.active else ''}", label))
    for subagent in subagent_sessions:
        words = cut(visible(subagent.label), WORDS, owner.glyphs.ellipsis)
        label = f"{'':<16}  {'a file':>14}  sub-agent  {words}" if branches else f"sub-agent  {words}"
        entries.append(MenuEntry(f"file {subagent.path}", label, subagent.path.name))
    if above is not None:
        name = above.path.name if above.path is not None else ""
        entries.append(MenuEntry("back", "Back to the session that this sub-agent belongs to", name))
    broken = len(session.conversation.inactive_problems())
    title = "Branches: the agent resumes the one marked agent" if branches else "Sub-agents"
    if broken:
        title += f" · {count_text(broken, 'problem')} in what it does not send"

    def chosen(value: str | None) -> None:
        kind, _, name = (value or "").partition(" ")
        if kind == "leaf":
            _show_branch(owner, name or None)
        elif kind == "file":
            _open_subagent(owner, name)
        elif kind == "back":
            owner.tool.open_sessions.go_back()

    owner.ask(MenuScreen(title, entries, here, filter=len(entries) > 9), chosen, of_state=True)


def _show_branch(owner: Owner, leaf: str | None) -> None:
    try:
        owner.session.choose_leaf(leaf)
    except ValueError as error:
        owner.say(str(error))
        return
    owner.overview.forget_marks()
    owner.show_other_history()
    owner.problems.show_first()
    owner.say(
        "back on the branch that the agent resumes"
        if leaf is None
        else "b goes back to the branch that the agent resumes"
    )


def _open_subagent(owner: Owner, path: str) -> None:
    """Show a sub-agent's file on top of this session, which stays as it is."""
    from toolpair.session.reopening import open_beside
    from toolpair.tui.background_loading import Opening
    from toolpair.tui.screens.loading import OpeningScreen

    def failed(error: Exception) -> None:
        screen.when_on_top(screen.finish)
        owner.say(f"not opened: {failure(error)}")

    screen = OpeningScreen(
        Opening(path, partial(open_beside, owner.session)), failed, len(owner.tool.open_sessions.desks)
    )
    owner.open(screen)


def _moment(time: str | None) -> str:
    """A timestamp to the minute."""
    return visible((time or "")[:16].replace("T", " "))
