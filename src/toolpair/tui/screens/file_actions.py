"""What the main screen does with the file as a whole: branches, what the model sees, following, originals."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolpair.text.cells import cut
from toolpair.text.safe import visible
from toolpair.tui.aside import Aside
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.overview import Overview
from toolpair.tui.screens.working import WorkingScreen, changing
from toolpair.tui.widgets.pair_view import PairView
from toolpair.tui.work import Work, failure

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.session import Backup, Session
    from toolpair.tui.desk import Desk

FIRST_LOOK = 0.01
"""Seconds until the first look: a timer of none fails in Textual."""
FOLLOW_EVERY = 1.0
"""Seconds, at least, between two looks at a file that is followed."""
WORDS = 60
"""Characters of a branch's last words in the menu."""


class FileActions(WorkingScreen):
    """The part of the main screen that knows the file; the screen itself knows problems and rows."""

    overview: Overview
    _desk: Desk
    _note: str
    _filter: str
    _following: Timer | None = None
    _taken_off: str = ""
    """What following took off the stage, while nothing else has been staged."""

    @property
    def session(self) -> Session:
        return self.overview.session

    @property
    def pairs(self) -> PairView:
        return self.query_one(PairView)

    def reload(self, row: int | None = None) -> None:
        raise NotImplementedError

    def _first(self) -> None:
        raise NotImplementedError

    def _on_draft(
        self, what: str, total: int, change: Callable[[Session], object], ended: Callable[[Session], None]
    ) -> None:
        """Change a draft of the session beside the keys; what the screen asks of it is known when it comes back."""
        from toolpair.tui.loading import know

        session = self.session

        def run(work: Work) -> Session:
            draft = session.draft(work.heed)
            change(draft)
            work.go_on("checking")
            know(draft)
            return draft

        self._note = ""
        self.beside(Work(what, total, lambda done: f"{done:,}"), run, ended)

    def _look_around(self) -> None:
        """Who writes to the file, and which agent has its history in memory: looked for beside the work."""
        session = self.session

        def look(aside: Aside) -> None:
            found = (*session.leftovers(), *session.look_around())
            if found:
                aside.tell(lambda: self._warn(found[0]))

        # Where that fails, a save finds out by itself.
        self.in_thread(lambda aside: session.remember(), failed=lambda error: None)
        self.in_thread(look, failed=lambda error: None)

    def _warn(self, warning: str) -> None:
        self.pairs.forget()  # who is there may be at work on the call at the end
        if not self._note:
            self.say(f"! {visible(warning)}")

    @changing
    def action_restore(self) -> None:
        from toolpair.tui.screens.confirm import ConfirmScreen
        from toolpair.tui.screens.menu import Entry, MenuScreen

        kept = self.session.backups()
        if not kept:
            self.say("no original of this file has been kept")
            return
        entries = [
            Entry(str(n), f"{n + 1:>3}  {one.time:%Y-%m-%d %H:%M:%S}  {size_text(one.size):>8}", one.path.name)
            for n, one in enumerate(kept)
        ]

        def chosen(value: str | None) -> None:
            if value is None:
                return
            backup = kept[int(value)]
            words = f"Restore {backup.path.name}? What the file holds now is kept as a backup, too."
            if self._desk.unsaved:
                words += " Fixes that are not saved are undone."
            answers = [("enter", "yes", "restore it")]
            question = ConfirmScreen("Restore", lambda width, _: self.glyphs.paragraph(words, width), answers)
            self.ask(question, lambda answer: self._put_back(backup) if answer == "yes" else None, of_state=True)

        self.ask(MenuScreen("Originals kept by earlier saves", entries), chosen, of_state=True)

    def _put_back(self, backup: Backup) -> None:
        from toolpair.tui.screens.putting_back import put_back

        def ended(problem: str | None) -> None:
            self.say(problem or f"restored {backup.path.name}; what the file held before is kept as a backup")

        put_back(self, self._desk, backup.path, ended)

    @changing
    def action_follow(self) -> None:
        if self._following is not None:
            self._stop_following("stopped following")
            return
        if self.session.path is None:
            self.say("this was read from standard input, so there is nothing to follow")
            return
        self._know_followed(True)
        self.say("following the file: new pairs appear at the end, F stops")
        self._following = self.later(FIRST_LOOK, self._look_again)

    def _know_followed(self, followed: bool) -> None:
        """A call at the end is still worked on while the file grows: its row says so."""
        self.overview.followed = followed
        self.pairs.forget()

    def _stop_following(self, note: str) -> None:
        if self._following is not None:
            self._following.stop()
            self._following = None
        self.overview.followed = False
        self._taken_off = ""
        self.say(note)

    def _look_again(self) -> None:
        """Look, and look again after a pause that leaves most of the time to the keys."""
        begin = time.monotonic()
        self._take_up()
        if self._following is not None:
            pause = max(FOLLOW_EVERY, 5 * (time.monotonic() - begin))
            self._following = self.later(pause, self._look_again)

    def _take_up(self) -> None:
        """Take up what came since the last look; not while another screen shows what is staged."""
        from toolpair.session.session import SessionError

        if self.held_up or self.app.screen is not self:
            return
        at_end = self.pairs.cursor >= len(self.pairs.shown) - 1
        try:
            followed = self.session.follow()
        except SessionError as error:
            self._stop_following(f"stopped following: {error}")
            return
        if followed is None:
            return
        if followed.dropped:
            self.overview.forget_marks()
            count = len(followed.dropped)
            reasons = "; ".join(dict.fromkeys(one.reason for one in followed.dropped))
            self._taken_off = f"{count_text(count, 'fix')} no longer {'applies' if count == 1 else 'apply'}: {reasons}."
        elif self.session.staged:
            self._taken_off = ""
        self.reload()
        if at_end and followed.change == "grown" and not self._filter:
            self.pairs.go_to_row(max(0, len(self.overview.rows) - 1))
        if followed.change == "gone":
            self._stop_following(followed.text)
        else:
            # What was taken off is said for as long as it may not have been read.
            came = "" if followed.dropped else followed.text
            self.say(" ".join(words for words in (self._taken_off, came, "F stops following") if words))

    @changing
    def action_branches(self) -> None:
        """All ways through the file and the sub-agents beside it; the chosen one is shown and judged by itself."""
        from toolpair.tui.screens.menu import Entry, MenuScreen

        session = self.session
        branches, companions = session.branches, session.companions
        above = self.tool.desks[-2].session if len(self.tool.desks) > 1 else None
        if not branches and not companions and above is None:
            self.say("this file has only one branch, and no sub-agent")
            return
        entries: list[Entry] = []
        here = 0
        for number, branch in enumerate(branches):
            marks = "agent" if branch.active else "sub-agent" if branch.kind == "sub-agent" else ""
            if branch.leaf == session.transcript.leaf or (session.transcript.leaf is None and branch.active):
                here = number
            words = cut(visible(" ".join(branch.words.split())), WORDS, self.glyphs.ellipsis)
            label = f"{_moment(branch.time):<16}  {count_text(branch.messages, 'message'):>14}  {marks:<9}  {words}"
            entries.append(Entry(f"leaf {branch.leaf if not branch.active else ''}", label))
        for companion in companions:
            words = cut(visible(companion.label), WORDS, self.glyphs.ellipsis)
            label = f"{'':<16}  {'a file':>14}  sub-agent  {words}" if branches else f"sub-agent  {words}"
            entries.append(Entry(f"file {companion.path}", label, companion.path.name))
        if above is not None:
            name = above.path.name if above.path is not None else ""
            entries.append(Entry("back", "Back to the session that this sub-agent belongs to", name))
        broken = len(session.conversation.inactive_problems())
        title = "Branches: the agent resumes the one marked agent" if branches else "Sub-agents"
        if broken:
            title += f" · {count_text(broken, 'problem')} in what it does not send"

        def chosen(value: str | None) -> None:
            kind, _, name = (value or "").partition(" ")
            if kind == "leaf":
                self._show_branch(name or None)
            elif kind == "file":
                self._open_companion(name)
            elif kind == "back":
                self.tool.go_back()

        self.ask(MenuScreen(title, entries, here, filter=len(entries) > 9), chosen, of_state=True)

    def _show_branch(self, leaf: str | None) -> None:
        try:
            self.session.choose_leaf(leaf)
        except ValueError as error:
            self.say(str(error))
            return
        self.overview.current = None
        self.overview.forget_marks()
        self._filter = ""
        self.reload(0)
        self._first()
        self.say(
            "back on the branch that the agent resumes"
            if leaf is None
            else "b goes back to the branch that the agent resumes"
        )

    def _open_companion(self, path: str) -> None:
        """A sub-agent's file on top of this session, which stays as it is."""
        from toolpair.tui.loading import Opening
        from toolpair.tui.screens.loading import OpeningScreen

        def failed(error: Exception) -> None:
            screen.when_on_top(screen.finish)
            self.say(f"not opened: {failure(error)}")

        screen = OpeningScreen(Opening(path, self.session.open_beside), failed, len(self.tool.desks))
        self.open(screen)

    def action_sees(self) -> None:
        from toolpair.tui.screens.viewer import Page, ViewerScreen
        from toolpair.tui.sees_text import full_text, line_style, records_text, short_text

        if self.overview.partial is not None:
            self.say(self.held_up)
            return
        session, now, before = self.session, self.session.conversation, self.session.conversation_before
        pages = [Page("as sent", lambda: short_text(session, now), line_style)]
        if now.document is not before.document:
            pages[0] = Page("after saving", pages[0].make, line_style)
            pages.insert(0, Page("now", lambda: short_text(session, before), line_style))
        pages.append(Page("in full", lambda: full_text(session, now), line_style))
        pages.append(Page("lines", lambda: records_text(now)))
        self.open(ViewerScreen("What the model sees", pages, len(pages) - 3))


def _moment(time: str | None) -> str:
    """A timestamp to the minute."""
    return visible((time or "")[:16].replace("T", " "))
