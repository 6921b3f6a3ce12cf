"""The review: what saving would do, before anything is written."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.session.carrying_out import preview
from toolpair.session.reopening import reopened
from toolpair.session.saving import in_the_way
from toolpair.session.session import Refused, SaveFailed, SessionError
from toolpair.tui.aside import Aside
from toolpair.tui.background_loading import know
from toolpair.tui.bodies.body import Body
from toolpair.tui.bodies.change_parts import diff_of_changes
from toolpair.tui.bodies.diff_body import DiffBody
from toolpair.tui.bodies.stacked_body import LinesBody, StackedBody
from toolpair.tui.card_text import is_slow_to_preview
from toolpair.tui.controllers.working import takes_long
from toolpair.tui.desk import Desk
from toolpair.tui.fix_effects import EffectsBefore, filling, pair_parts
from toolpair.tui.keys import APP, REVIEW
from toolpair.tui.review_text import ReviewText, alike, counted
from toolpair.tui.screens.base_screen import BaseScreen, HeldKey, Hint, hint_line
from toolpair.tui.screens.confirm import ConfirmScreen, ask_first
from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.screens.viewer import ViewerScreen
from toolpair.tui.screens.writing import GivenUp, Steps, WritingScreen, write
from toolpair.tui.styled_text import Line, line_width
from toolpair.tui.viewer_pages import change_pages
from toolpair.tui.widgets.body_view import BodyView
from toolpair.tui.widgets.line_list import ReviewList
from toolpair.tui.widgets.text_block import Lines
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.opening import OpenedState
    from toolpair.session.saving import Saved
    from toolpair.session.session import Conversation, Problem, Refused, Session, Staged
    from toolpair.source.changes import Change

RowKey = tuple[object, ...]
_LISTED = 50
"""Problems listed of those that are left."""
_LEAST_DIFF = 6
"""Lines of the diff below the list; the list scrolls rather than leave it less."""
_SHOWN = 0.03
"""Seconds without a key before the diff follows the cursor."""
_NOT_IN_A_NAME = r"[^\w.-]"


def _key(row: Staged) -> RowKey:
    """Identifies a row even after the others were applied again."""
    return (row.conversation, row.rules, row.fix_ids, row.decisions[0].call_id, row.decisions[0].result_id)


def _folder_for(path: Path) -> Path:
    """Where a copy can be written: next to the file, in the current folder, or in the home folder."""
    places = (path.parent, Path(os.curdir), Path(os.path.expanduser("~")))
    return next((place for place in places if os.access(place, os.W_OK)), path.parent)


SavedSteps = tuple["Saved", tuple[tuple["Staged", ...], ...]]
"""The result of a save, and the saved steps."""


class ReviewScreen(BaseScreen[SavedSteps | None]):
    """Returns None when nothing was saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *APP.bindings(),
        *REVIEW.bindings(),
    ]
    DEFAULT_CSS = "ReviewScreen BodyView { height: 1fr; }"

    _desk: Desk

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._overview = desk.overview
        self._session = desk.session
        self._held = HeldKey(self)
        self._error = ""
        self._stale = False
        self._excluded: list[Staged] = []
        self._known: tuple[Sequence[Conversation], Sequence[Change]] | None = None
        self._listed: list[tuple[Staged, bool] | Problem | None] = []
        self._number = 0
        """Which of the changes of the row under the cursor is shown."""
        self._diff_room = 0
        self._following: Timer | None = None
        self._order: list[RowKey] = []
        """The rows in the order first shown: an included row returns to its old place."""

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield ReviewList(self.glyphs)
        yield Lines(id="of-row")
        yield BodyView(self.glyphs)
        yield Lines(id="rest")
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        self.query_one(ReviewList).focus()
        self.in_thread(self._look_around, failed=lambda error: None)

    def _look_around(self, aside: Aside) -> None:
        """Search again for processes that work with the file, because this is when it matters."""
        before = self._session.warnings
        if self._session.look_around() != before:
            aside.run_in_ui(lambda: self.say(self.note))

    def lay_out(self, width: int, height: int) -> None:
        text = ReviewText(self._overview, self.glyphs, width, self._changes())
        top = text.top()
        rest = text.rest()
        if self._error:
            rest = [*self.glyphs.paragraph(self._error, width, "error", limit=5), *rest]
        rows = self._rows()
        entries, headings = text.entries(rows), set()
        self._listed = list(rows)
        for title, problems in text.left():
            headings.add(len(entries))
            entries.append([self.glyphs.rule(title, width - 1)])
            self._listed.append(None)
            for count, problem in alike(problems)[:_LISTED]:
                entries.append(text.problem(problem, count))
                self._listed.append(problem)
        room = height - len(top) - len(rest) - 2
        needed = sum(map(len, entries))
        if room < needed + _LEAST_DIFF:
            needed = max(min(needed, room - _LEAST_DIFF), min(needed, max(3, room)))
        needed = max(1, min(needed, room))
        self.query_one("#top", Lines).show(top)
        listed = self.query_one(ReviewList)
        listed.styles.height = needed
        listed.show_parts(entries, headings)
        self._diff_room = room - needed
        self.query_one(BodyView).display = self.query_one("#of-row", Lines).display = self._diff_room >= 2
        self.query_one("#rest", Lines).styles.height = "auto" if self._diff_room >= 2 else "1fr"
        self.query_one("#rest", Lines).show(rest)
        self._draw_bottom(width)
        self._follow_soon()

    def _draw_bottom(self, width: int) -> None:
        hints: list[Hint] = []
        if self._session.file.writable:
            hints.append(("enter", "save", "save"))
        hints += [("s", "save a copy", "save_copy"), ("p", "exact diff", "diff"), ("x", "exclude one", "exclude")]
        if self._stale:
            hints.insert(0, ("r", "read it again", "read_again"))
        hints.append(("esc", "back", "back"))
        bar = hint_line(self.glyphs, hints, width, gap=4 if width >= 80 else 2, keep_first=True)
        self.query_one("#bottom", Lines).show([self.glyphs.rule(self.note, width), bar])

    def _changes(self) -> Sequence[Change]:
        """All staged changes, computed once for each state."""
        state = self._session.conversations
        if self._known is None or self._known[0] is not state:
            self._known = (state, self._session.staging.changes())
        return self._known[1]

    def _rows(self) -> list[tuple[Staged, bool]]:
        """Staged rows and, marked with False, rows excluded here."""
        rows = [(row, True) for row in self._session.staged] + [(row, False) for row in self._excluded]
        for row, _ in rows:
            if _key(row) not in self._order:
                self._order.append(_key(row))
        return sorted(rows, key=lambda each: (each[0].loses is None, self._order.index(_key(each[0]))))

    # the diff of the row under the cursor

    def on_line_list_moved(self) -> None:
        self._number = 0
        self._follow_soon()

    def action_row_change(self, by: int) -> None:
        """To the next or previous of the changes that the row under the cursor sums up."""
        here = self._here
        if isinstance(here, tuple) and here[0].decisions:
            self._number = (self._number + by) % len(here[0].decisions)
            self._follow_soon()

    def action_scroll_preview(self, by: int) -> None:
        self.query_one(BodyView).action_half(by)

    @property
    def _here(self) -> tuple[Staged, bool] | Problem | None:
        cursor = self.query_one(ReviewList).cursor
        return self._listed[cursor] if cursor < len(self._listed) else None

    def _follow_soon(self) -> None:
        """The diff follows the cursor when no key is pressed: making it takes time."""
        if self._following is not None:
            self._following.stop()
        self._following = self.later(_SHOWN, self._follow) if self._diff_room >= 2 else None

    def _follow(self) -> None:
        self._following = None
        glyphs, width, here = self.glyphs, self.size.width, self._here
        title: Line = glyphs.rule("", width)
        if isinstance(here, tuple):
            count = len(here[0].decisions)
            words = f"{self._number + 1:,} of {count:,}" if count > 1 else "what it changes"
            right: Line = ()
            if count > 1:
                key = glyphs.key("]", "row_change(1)")
                right = (glyphs.ui(f" {key}", "key", "row_change(1)"), glyphs.ui(" next ──", "dim", "row_change(1)"))
            title = (*glyphs.rule(f"{words}: {here[0].title}", width - line_width(right)), *right)
            body = self._diff_of(here[0], width)
        else:
            body = self._left(here, width) if here is not None else LinesBody(glyphs, [])
        self.query_one("#of-row", Lines).show([title])
        self.query_one(BodyView).show(body)

    def _left(self, problem: Problem, width: int) -> Body:
        """What is not fixed: what it does, then the pair, and what the fix would write."""
        glyphs, conversation = self.glyphs, self._session.conversation
        said = LinesBody(glyphs, ReviewText(self._overview, glyphs, width - 1, ()).problem_in_full(problem))
        if problem.call is None and problem.result is None:
            return said
        fix, room = problem.recommended, max(1, self._diff_room - said.rows - 2)
        pair = (
            EffectsBefore(problem, fix, conversation)
            if fix is not None
            else partial(pair_parts, problem.call, problem.result, conversation.transcript.folder, room)
        )
        return StackedBody(glyphs, [said, DiffBody(glyphs, pair, carets=self.tool.carets)])

    def _diff_of(self, row: Staged, width: int) -> Body:
        glyphs, noun, carets = self.glyphs, self._overview.noun, self.tool.carets
        staging, decision = self._session.staging, row.decisions[self._number % len(row.decisions)]
        if decision.options is not None:
            return diff_of_changes(glyphs, self._changes, noun, carets, folds=False)
        states = (staging.original[row.conversation], staging.now[row.conversation])
        for state in states if not is_slow_to_preview(states[0]) else ():
            found = decision.find(state.problems)
            if found is not None:
                changes: list[Change] = preview(state, found[1], decision.text)
                first = EffectsBefore(*found, state, decision.text)
                make = partial(diff_of_changes, glyphs, partial(list, changes), noun, carets, folds=False)
                return filling(make, first, width - 1, self._diff_room - 1)
        # It cannot be told from the others.
        words = f"{glyphs.key('p', 'diff')} shows the bytes of all that is applied."
        return LinesBody(glyphs, glyphs.paragraph(words, width - 1, "dim"))

    def action_exclude(self) -> None:
        rows = self._rows()
        number = self.query_one(ReviewList).cursor
        if number >= len(rows):
            self.say("this one is not applied" if rows else "")
            return
        if takes_long(self._session):
            self.say("working …")
            self.after_refresh(lambda: self._toggle(*rows[number]), of_state=True)
        else:
            self._toggle(*rows[number])

    on_review_list_ticked = action_exclude

    def _toggle(self, row: Staged, is_in: bool) -> None:
        if is_in:
            if row not in self._session.staged:
                return  # The key was pressed twice.
            alone = sum(other.step == row.step for other in self._session.staged) == 1
            self._session.staging.unstage(row)
            self._overview.note_taken_out(row.step, alone)
            self._excluded.append(row)
            note = "one excluded. x includes it again"
        else:
            note = "included again" if self._include(row) else "it cannot be included: its problem is gone"
        self.tool.open_sessions.changed(self._desk)
        self._error = ""
        self.say(note)

    def _include(self, row: Staged) -> bool:
        problems = self._session.staging.include(row)
        if problems is None:
            return False
        self._overview.note_staged(problems, row.conversation)
        self._excluded = [other for other in self._excluded if other is not row]
        return True

    def action_read_again(self) -> None:
        """Reload the file from disk; staged fixes would be lost, so ask first."""
        if not self._stale:
            return

        def read(again: Session | Exception | None) -> None:
            match again:
                case None | GivenUp():
                    self.say("stopped: it was not read again")
                case Exception():
                    self._fail(f"Not read again. {failure(again)}")
                case _:
                    self._desk.go_on_with(again)
                    self.tool.open_sessions.changed(self._desk)
                    self.finish(None)

        def answered(answer: str | None) -> None:
            if answer is not None:
                self.ask(WritingScreen(0, self._read_again, "reading it again"), read)

        key = self.glyphs.key("A", "fix_all")
        words = f"Read the file again? Your fixes are undone; {key} applies the certain ones again."
        self.ask(ConfirmScreen("Read again", words, [("r", "read-again", "read it again")]), answered)

    def _read_again(self, steps: Steps) -> Session:
        """What the file holds now, without what is applied. Runs in a thread."""
        again = reopened(self._session, steps.advance)
        again.current = min(self._session.current, len(again.conversations) - 1)
        know(again)
        return again

    def action_diff(self) -> None:
        session = self._session
        noun = self._overview.noun
        self.open(ViewerScreen("All changes", change_pages(session.staging.changes, noun, self.tool.carets)))

    def _nothing(self) -> bool:
        """Say so when nothing is left to save."""
        if not self._session.changed:
            self.say("no fix is applied, so there is nothing to save")
        return not self._session.changed

    def action_save(self) -> None:
        if self._nothing() or not self._held.admits():
            return
        if self._session.file.writable:
            self._save(None)
        else:
            self.action_save_copy()

    def action_save_copy(self) -> None:
        if self._nothing():
            return
        path = self._session.path
        # A program's own notation was written as JSON.
        suffix = ".json" if self._session.file.kind == "python" else path.suffix if path is not None else ""
        rows = self._session.file.snapshot.rows
        if rows is not None and not suffix:
            suffix = ".jsonl"
        session = "" if rows is None else f"-{re.sub(_NOT_IN_A_NAME, '_', rows.session)[:40]}"
        value = str(_folder_for(path) / f"{path.stem}{session}.fixed{suffix}") if path is not None else ""

        def given(name: str | None) -> None:
            if name and name.strip():
                self._save(os.path.expanduser(name.strip()))

        self.ask(PromptScreen("Save a copy as", value, submit="save"), given, of_state=True)

    def _refused(self, refused: Refused) -> None:
        """Say why nothing was written, and which key helps."""
        words = "Not saved. " + str(refused).replace(", or allow it to be replaced (--force)", "")
        self._stale = refused.reason == "changed"
        if self._stale:
            words += f" {self.glyphs.key('r', 'read_again')} reads it again."
        elif refused.reason in ("held", "read-only", "gone"):
            words += f" {self.glyphs.key('s', 'save_copy')} saves a copy."
        self._fail(words)

    def _fail(self, error: str) -> None:
        self._error = error
        self.say("")

    def _ask_links(self) -> None:
        """Other hard links would keep the old content: only the user knows whether that is wanted."""

        def answered(answer: str | None) -> None:
            if answer == "yes":
                self._save(None, allow_links=True)
            elif answer == "save-copy":
                self.action_save_copy()

        words = (
            "This file has other names (hard links). They keep the old content: only the name that you opened "
            "gets the fixed one."
        )
        answers = [("enter", "yes", "save under this name only"), ("s", "save-copy", "save a copy")]
        self.ask(ConfirmScreen("Other names", words, answers), answered, of_state=True)

    def _ask_aside(self) -> None:
        """Offer to set aside what blocks the save: a fix that is applied, and shown here before it is saved."""

        def set_aside() -> None:
            for problem, fix in in_the_way(self._session.conversation):
                self._session.stage(problem, fix)
                self._overview.note_staged([problem])
            self.tool.open_sessions.changed(self._desk)
            self._error = ""
            self.say("set aside, in a file beside this one. enter saves")

        words = "A row that cannot be read is in the way. It can be set aside: a file beside this one keeps its bytes."
        ask_first(self, "In the way", words, ("enter", "set it aside"), set_aside)

    def _save(self, path: str | None, allow_links: bool = False) -> None:
        session = self._session
        fixed = [f"{count:,} × {title}" for title, count in counted(session.staged)]
        steps = session.staging.steps

        def work(writing: Steps | None) -> tuple[Saved, OpenedState | None]:
            progress = writing.advance if writing is not None else None
            if path is not None:
                return session.save_as(path, progress=progress), None
            saving = session.saving(allow_links)
            saving.write(progress)
            self._desk.note_written()
            if writing is not None:
                writing.written()
            return saving.saved_and_after(session.current if writing is not None else None)

        def ended(result: tuple[Saved, OpenedState | None] | Exception | None) -> None:
            if not isinstance(result, tuple):
                self._not_saved(result, path)
                return
            saved, state = result
            if state is not None:
                session.go_on(state)
            # If it cannot be read again it is saved all the same: quitting loses nothing.
            self._desk.note_saved(in_place=state is not None)
            self.tool.result.note_saved(saved, fixed)
            self.finish((saved, steps))

        write(self, session, session.file.size + session.staging.grown, work, ended)

    def _not_saved(self, error: Exception | None, path: str | None) -> None:

        match error:
            case None | GivenUp():
                self._error = ""
                self.say("stopped: nothing was written")
            case Refused(reason="hard-links") if path is None:
                self._ask_links()
            case Refused(reason="in-the-way") if in_the_way(self._session.conversation):
                self._refused(error)
                self._ask_aside()
            case Refused():
                self._refused(error)
            case SaveFailed() | SessionError():
                self._fail(f"Not saved. {error}")
            case OSError():
                self._fail(f"Not saved. {error.strerror or error}: {error.filename or path or self._session.path}")
            case _:
                raise error
