"""The journal: unsaved work of an earlier run is offered, to be applied again or discarded."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from toolpair.tui.aside import Aside
from toolpair.tui.numbers import ago_text, count_text
from toolpair.tui.screens.confirm import ConfirmScreen
from toolpair.tui.styled_text import Line

if TYPE_CHECKING:
    from toolpair.session.journal.left import TakenUp, UnsavedWork
    from toolpair.session.session import Session
    from toolpair.tui.controllers.owner import Owner


class JournalOffer:
    """Keeps what is applied until it is saved, and offers what was kept for the same file."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._warned = False

    def begin(self) -> None:
        """The whole file is read: start keeping what is applied to it, and look for unsaved work."""
        owner = self._owner
        make_folder, path = owner.tool.journal, owner.session.file.address
        if make_folder is None or path is None or owner.desk.keeper is not None:
            return
        from toolpair.session.journal.keeper import Keeper
        from toolpair.session.journal.left import left_for

        owner.desk.keeper = Keeper(make_folder, path)

        def look(aside: Aside) -> None:
            left = left_for(make_folder(), path)
            if left is not None:
                aside.run_in_ui(lambda: owner.when_on_top(partial(self._offer, left)))

        # If that fails there is nothing to offer; the reason is shown once there is something to keep.
        owner.in_thread(look, failed=lambda error: None)

    def warn(self, problem: str) -> None:
        """Say once that unsaved fixes cannot be kept."""
        if not self._warned:
            self._warned = True
            self._owner.say(f"! what is not saved would be lost in a crash: the journal cannot be written ({problem})")

    def _offer(self, left: UnsavedWork | str) -> None:
        if isinstance(left, str):
            self._owner.say(f"! {left}")
            return
        from toolpair.session.journal.left import since

        entry = left.entry
        fixes = count_text(entry.fixes, "fix")
        from_then = f"{fixes} from {ago_text(time.time() - entry.time)}"
        words = f"{from_then} {'was' if entry.fixes == 1 else 'were'} applied but not saved."
        changed = {
            "same": "",
            "grown": " The file has grown since then.",
            "changed": " The file has changed since then: you will be told what no longer fits, and why.",
        }[since(self._owner.session, entry)]
        them = "it" if entry.fixes == 1 else "them"

        def answered(answer: str | None) -> None:
            if answer == "take":
                self._apply_left(left)
            elif answer == "discard":
                self._ask_to_forget(left, from_then)
            else:
                left.release()
                self._owner.say("not applied. Open the file again to be asked again")

        answers = [("enter", "take", f"apply {them}"), ("D", "discard", f"discard {them}")]
        self._owner.ask(ConfirmScreen("Not saved", words + changed, answers, escape="not now"), answered)

    def _ask_to_forget(self, left: UnsavedWork, what: str) -> None:
        def answered(answer: str | None) -> None:
            if answer is not None:
                left.forget()
                self._owner.say("discarded")
            else:
                self._offer(left)

        them = "it" if left.entry.fixes == 1 else "them"
        words = f"Discard {what}? Nothing brings {them} back."
        self._owner.ask(ConfirmScreen("Discard", words, [("D", "discard", f"discard {them}")]), answered)

    def _apply_left(self, left: UnsavedWork) -> None:
        """Apply it in the background, on top of what has been applied by now."""
        from toolpair.session.journal.left import take_up

        entry = left.entry
        done: list[TakenUp] = []
        if entry.leaf is not None and not self._owner.session.staged:
            try:
                self._owner.session.choose_leaf(entry.leaf)
            except ValueError:
                pass  # the branch is gone, and the fixes for it will say so
            self._owner.overview.current = None
            self._owner.reload(0)

        def change(draft: Session) -> None:
            done.append(take_up(draft, entry))

        def ended(draft: Session) -> None:
            self._owner.session.accept(draft)
            if self._owner.desk.keeper is not None:
                self._owner.desk.keeper.take_up(left)
            self._owner.overview.forget_marks()
            self._owner.overview.current = None
            self._owner.reload()
            self._owner.show_first_problem()
            self._say_taken_up(done[-1])

        self._owner.work.on_draft("applying", entry.fixes, change, ended)

    def _say_taken_up(self, taken: TakenUp) -> None:
        if taken.fixes:
            verb = "is" if taken.fixes == 1 else "are"
            applied = f"{count_text(taken.fixes, 'fix')} {verb} applied again, not saved"
            self._owner.say(f"{applied}. {self._owner.glyphs.key('w', 'review')} reviews and saves")
        else:
            self._owner.say("nothing could be applied again")
        if not taken.dropped:
            return
        reasons = Counter((one.rule, one.reason) for one in taken.dropped)
        words = f"{count_text(len(taken.dropped), 'fix')} could not be applied again:"

        def lines(width: int, height: int) -> list[Line]:
            out = self._owner.glyphs.paragraph(words, width, "bold")
            for (rule, reason), count in reasons.most_common(max(1, height - 2)):
                times = f"{count:,} × " if count > 1 else ""
                out += self._owner.glyphs.paragraph(f"{times}{rule}: {reason}.", width, indent=3, limit=2)
            return out

        self._owner.open(ConfirmScreen("No longer fits", lines, []))
