"""Menus of the main screen: conversations, branches and sub-agents, kept originals, themes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolpair.text.cells import cut
from toolpair.text.safe import visible
from toolpair.tui.controllers.working import takes_long
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.screens.confirm import ask_first
from toolpair.tui.theme import THEMES
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.session.session import Backup, Session
    from toolpair.tui.controllers.owner import Owner

_WORDS = 60
"""Maximum characters of a branch's last words in the menu."""


def choose_conversation(owner: Owner) -> None:
    """Show the conversations of the file, or the sessions of its database; the chosen one is shown."""
    session = owner.session
    if session.file.is_stored and owner.tool.sessions is not None:
        from msgspec.structs import replace

        from toolpair.tui.screens.picker import PickerScreen

        of_database = replace(owner.tool.sessions, of=str(session.path), last=session.file.address)
        owner.open(PickerScreen(of_database))
        return
    conversations = session.conversations
    if len(conversations) < 2:
        owner.say("this file holds only one conversation")
        return
    from toolpair.tui.screens.menu import MenuEntry, choose

    def show(number: int) -> None:
        if number != session.current:
            session.current = number
            owner.show_other_history()
            owner.show_first_problem()

    entries = []
    for n, conversation in enumerate(conversations):
        errors = conversation.verdict.errors
        found = "" if session.format.is_guess else count_text(errors, "problem") if errors else "no problems"
        count = f"{found:>13}"
        label = f"{n + 1:>4}  {count}  {conversation.label or f'conversation {n + 1}'}"
        entries.append(MenuEntry(label, partial(show, n)))
    choose(owner, f"{len(conversations):,} conversations", entries, session.current)


def choose_branch(owner: Owner) -> None:
    """Show the branches and sub-agents of the file; the chosen one is shown and checked on its own."""
    from toolpair.session.surroundings import subagent_sessions_of
    from toolpair.tui.screens.menu import MenuEntry, choose

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
        words = cut(visible(" ".join(branch.words.split())), _WORDS, owner.glyphs.ellipsis)
        time = visible((branch.time or "")[:16].replace("T", " "))
        label = f"{time:<16}  {count_text(branch.messages, 'message'):>14}  {marks:<9}  {words}"
        entries.append(MenuEntry(label, partial(_show_branch, owner, None if branch.active else branch.leaf)))
    for subagent in subagent_sessions:
        words = cut(visible(subagent.label), _WORDS, owner.glyphs.ellipsis)
        label = f"{'':<16}  {'a file':>14}  sub-agent  {words}" if branches else f"sub-agent  {words}"
        entries.append(MenuEntry(label, partial(_open_subagent, owner, str(subagent.path)), subagent.path.name))
    if above is not None:
        name = above.path.name if above.path is not None else ""
        back = owner.tool.open_sessions.go_back
        entries.append(MenuEntry("Back to the session that this sub-agent belongs to", back, name))
    broken = len(session.conversation.inactive_problems())
    title = "Branches: the agent resumes the one marked agent" if branches else "Sub-agents"
    if broken:
        title += f" · {count_text(broken, 'problem')} in what it does not send"
    choose(owner, title, entries, here, filter=len(entries) > 9)


def _show_branch(owner: Owner, leaf: str | None) -> None:
    try:
        owner.session.choose_leaf(leaf)
    except ValueError as error:
        owner.say(str(error))
        return
    owner.overview.forget_marks()
    owner.show_other_history()
    owner.show_first_problem()
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


def choose_original(owner: Owner) -> None:
    """Show the backups kept by earlier saves; the chosen one is restored after one question."""
    from toolpair.source.rows.backup import backups_of
    from toolpair.source.saving.backups import backups
    from toolpair.tui.screens.menu import MenuEntry, choose

    path, rows = owner.session.path, owner.session.file.snapshot.rows
    kept = () if path is None else backups(path) if rows is None else backups_of(path, rows.session)
    if not kept:
        owner.say(f"no original of this {'file' if rows is None else 'session'} has been kept")
        return

    def ask(backup: Backup) -> None:
        what = "file" if rows is None else "session"
        words = f"Restore {backup.path.name}? What the {what} holds now is kept as a backup, too."
        words += "" if rows is None else " Other sessions stay as they are."
        if owner.desk.unsaved:
            words += " Fixes that are not saved are undone."
        ask_first(owner, "Restore", words, ("enter", "restore it"), partial(_restore, owner, backup))

    entries = []
    for n, one in enumerate(kept, 1):
        label = f"{n:>3}  {one.time:%Y-%m-%d %H:%M:%S}  {size_text(one.size):>8}"
        entries.append(MenuEntry(label, partial(ask, one), one.path.name))
    choose(owner, "Originals kept by earlier saves", entries)


def _restore(owner: Owner, backup: Backup) -> None:
    from toolpair.tui.controllers.backup_restore import restore_backup

    def ended(problem: str | None) -> None:
        owner.say(problem or f"restored {backup.path.name}; what the file held before is kept as a backup")

    restore_backup(owner, owner.desk, backup.path, ended)


def choose_theme(owner: Owner) -> None:
    """Show the themes as a menu: each while the cursor is on it, the chosen one from then on."""
    from toolpair.tui.screens.menu import MenuEntry, MenuScreen

    tool = owner.tool
    before = tool.theme
    here = 0 if tool.asks_terminal else 1 + THEMES.index(tool.theme)

    def take(name: str) -> None:
        remembered = tool.choose_theme(name)
        owner.say(f"theme {tool.theme}{'' if remembered else ', for now: it cannot be remembered'}")

    def entry(name: str, label: str, note: str = "") -> MenuEntry:
        return MenuEntry(label, partial(take, name), note, partial(tool.try_theme, name))

    def chosen(entry: MenuEntry | None) -> None:
        if entry is None:
            tool.try_theme(before)
        else:
            entry.go()

    entries = [entry("", "As the terminal is", "dark or light"), *(entry(name, name) for name in THEMES)]
    owner.ask(MenuScreen("Themes", entries, here), chosen)


def choose_profile(owner: Owner) -> None:
    from toolpair.tui.screens.profile_list import ProfilesScreen

    def chosen(value: str | None) -> None:
        now = owner.session.profile
        if value is not None and (value != now.id or not now.chosen):
            _check_against(owner, value)

    owner.ask(ProfilesScreen(owner.counted.of(owner.session.conversation.transcript)), chosen, of_state=True)


def _check_against(owner: Owner, profile: str) -> None:
    """Switch the profile, in the background if that takes long."""

    def checked() -> None:
        owner.overview.current = None
        owner.note = f"checked against {owner.session.profile.name}"
        owner.reload()
        owner.show_first_problem()

    if not takes_long(owner.session):
        owner.session.set_profile(profile)
        checked()
        return

    def ended(draft: Session) -> None:
        owner.session.accept(draft)
        checked()

    owner.work.on_draft("checking", 0, lambda draft: draft.set_profile(profile), ended)
