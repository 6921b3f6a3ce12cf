"""The main screen: verdict, pairs, the problem under the cursor, keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from toolpair.text.cells import cut
from toolpair.text.safe import visible
from toolpair.tui.card_text import Card, cause_lines, learn_preview
from toolpair.tui.head_text import column_titles, head_lines
from toolpair.tui.keys import APP, GROUPS, LOOK, PROBLEMS, key_names
from toolpair.tui.left_text import left_of
from toolpair.tui.looking_ahead import LookingAhead
from toolpair.tui.numbers import count_text
from toolpair.tui.row_lines import id_text
from toolpair.tui.screens.base import Hint, hint_line
from toolpair.tui.screens.journal_actions import JournalActions
from toolpair.tui.screens.look_actions import LookActions
from toolpair.tui.screens.working import changing, takes_long
from toolpair.tui.screens.writing import bar_line
from toolpair.tui.spans import Line, Span, line_width
from toolpair.tui.widgets.lines import Lines
from toolpair.tui.widgets.pair_view import PairView
from toolpair.tui.work import Work, failure

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.session import Conversation, Fix, Group, Problem, Session, Staged
    from toolpair.tui.desk import Desk
    from toolpair.tui.loading import Opening
    from toolpair.tui.recipes_text import Sketch
    from toolpair.tui.screens.menu import Entry
    from toolpair.tui.screens.review import SavedSteps

WIDE, NARROW = 110, 72
REST = 0.12
"""Seconds without a key after which there is time for what can wait."""
HINTS: tuple[Hint, ...] = (
    ("]", "next", "problem(1)"), ("u", "undo", "undo"), ("w", "review and save", "review"),
    ("@", "paste an error", "goto"), ("/", "find", "search"), ("enter", "open", "open"), ("M", "recipes", "recipe"),
    ("&", "filter", "filter"), ("y", "copy", "yank"), ("P", "provider", "profile"),
    ("m", "what the model sees", "sees"), ("?", "all keys", "help"), ("q", "quit", "leave"),
)  # fmt: skip


def card_height(height: int, wide: bool) -> int:
    """Lines for the card, its title included, for a screen of `height` lines."""
    if height < 14:
        return 3
    if height < 20:
        return 5
    if height < 30:
        return 8
    return min(16, height // 3) if wide else 10


class MainScreen(LookActions, JournalActions):
    """Keys act on the problem under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [*PROBLEMS.bindings(), *LOOK.bindings(), *APP.bindings()]
    DEFAULT_CSS = """
    MainScreen #head { height: auto; }
    MainScreen #lower { height: 8; }
    MainScreen #card { height: 100%; }
    MainScreen #bar-gap { width: 1; height: 100%; }
    MainScreen #causes { height: 100%; width: 40%; display: none; }
    """

    def __init__(
        self,
        desk: Desk,
        at: str | None = None,
        opening: Opening | None = None,
        reading: Work | None = None,
    ) -> None:
        """`opening`: of this file the session has but the beginning, while `reading` goes on."""
        super().__init__()
        self._desk = desk
        self.overview = desk.overview
        self._at = at
        self._note = ""
        self._filter = ""
        self._query = ""
        self._counted = {}
        self._counted_of = None
        self._resting: Timer | None = None
        self._ahead = LookingAhead(partial(self.later, of_state=True))
        self._opening = opening
        self._reading = reading
        self._tried: dict[int, Sketch | Exception] = {}
        """What is known of the recipes on `_tried_on`."""
        self._tried_on: Conversation | None = None

    def build(self) -> ComposeResult:
        yield Lines(id="head")
        yield Lines(id="titles")
        yield PairView(self.overview, self.glyphs)
        with Horizontal(id="lower"):
            yield Lines(id="card")
            yield Lines(id="causes")
        yield Lines(id="keys")

    def on_mount(self) -> None:
        self.pairs.reload()
        self.pairs.focus()
        first = self.session.first_problem() if self.overview.partial is None else None
        self.overview.current = first
        if first is not None:
            self.pairs.cursor = self.overview.row_of(first)
        self.after_refresh(self._begin)

    def on_unmount(self) -> None:
        self.stop_work()
        self._stop_looking()

    def _begin(self) -> None:
        self.pairs.reveal(centre=True)
        if self.overview.partial is None:
            self._all_is_read()
        elif self._reading is not None and not self._reading.stopped:
            self.follow_work(self._reading)

    def _all_is_read(self) -> None:
        at, self._at = self._at, None
        if at:
            self._go_to(at)
        self._look_around()
        self._begin_journal()

    # while the file is read

    def take_whole(self, session: Session) -> None:
        """All of the file is read: go on with that, at the row where the cursor is."""
        if self._work is not None:
            self._forget_work()
        row, before = self.pairs.row, len(self.overview.rows)
        moved, depth = self.pairs.cursor > 0, self.pairs.depth
        self.overview.forget(session)
        self._note = ""
        self.rows_changed(0, len(self.overview.rows) - before)
        if moved and row is not None and row.record is not None:
            self.pairs.go_to_row(self.overview.row_of_record(row.record) or 0, depth)
            errors = session.verdict.errors
            self._note = f"the whole file is read: {count_text(errors, 'problem')}" + (
                ". ] goes to the first" if errors else ""
            )
            self._draw()
        elif not self._at:
            self._first()
        self._draw()
        self._all_is_read()

    def not_read(self, error: Exception) -> None:
        """The rest cannot be read."""
        self._forget_work()
        self.say(f"the rest was not read: {failure(error)}")

    @property
    def held_up(self) -> str:
        if self.overview.partial is not None:
            if self._work is None:
                return "only the beginning has been read. r reads the rest"
            return "not yet: still reading the file, esc stops"
        return super().held_up

    def action_read_rest(self) -> None:
        opening = self._opening
        if self.overview.partial is None or opening is None:
            self.say("the whole file has been read")
        elif self._work is None:
            from toolpair.tui.loading import begin

            work = Work("reading", opening.size)
            self._note = ""
            self.follow_work(work)
            begin(self, opening, work, self.take_whole, self.not_read)

    # drawing

    def lay_out(self, width: int, height: int) -> None:
        wide = width >= WIDE
        stacked = width < NARROW
        lower = self.query_one("#lower")
        lower.styles.height = card_height(height, wide)
        self.query_one("#causes").display = wide
        self.pairs.set_stacked(stacked)
        self._draw()

    def _draw(self) -> None:
        """Everything but the list, which draws itself."""
        width, height = self.size.width, self.size.height
        if not width:
            return
        glyphs = self.glyphs
        wide, stacked = width >= WIDE, width < NARROW
        limit = 2 if height < 14 else 4 if width < NARROW and height >= 20 else 3
        self.query_one("#head", Lines).show(
            head_lines(self.session, glyphs, width, limit, self.overview.partial, self.overview.running)
        )
        note = f" · filter {self._filter} · {count_text(len(self.pairs.shown), 'row')}" if self._filter else ""
        self.query_one("#titles", Lines).show([column_titles(glyphs, width, stacked, note)])
        card_width = width - (width * 2 // 5) - 1 if wide else width
        rows = card_height(height, wide)
        self.overview.wanted = None
        card = Card(self.overview, glyphs, card_width, rows, wide)
        row = self.pairs.row_index
        problem = self.overview.current
        if problem is not None and row is not None:
            card_lines = card.problem(problem, row)
        else:
            card_lines = card.row(self.pairs.row)
        self.query_one("#card", Lines).show(card_lines)
        self._preview_soon()
        if wide:
            causes = self.query_one("#causes", Lines)
            causes.styles.width = width * 2 // 5
            causes.show(cause_lines(self.overview, glyphs, width * 2 // 5, rows, problem))
        bar: list[Line] = [] if height < 12 else [self._note_line(width)]
        if height < 12 and self._note:
            bar = []
            keys: Line = (glyphs.ui(f" {self._note}", "warning"),)
        else:
            keys = hint_line(glyphs, self._hints, width)
        self.query_one("#keys", Lines).show([*bar, keys])
        if self.session.conversation.in_stretches:
            self._ahead.soon(self.overview.rows, self._next_rows)

    def _next_rows(self) -> Iterator[int]:
        """The rows that the next and the previous problem will be shown with, from the middle outwards, then a page."""
        here, height = self.pairs.row_index or 0, self.size.height
        for by in (1, -1):
            problem, _ = self.overview.after(here, by, self.overview.current)
            if problem is not None:
                row = self.overview.row_of(problem)
                yield from (row + way * n for n in range(height // 2) for way in (1, -1))
        yield from range(here, here + 2 * height)

    def _preview_soon(self) -> None:
        """What a fix would change in a long history is worked out when the keys rest."""
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        if self.overview.wanted is not None:
            self._resting = self.later(REST, self._preview, of_state=True)

    def _preview(self) -> None:
        wanted, self._resting = self.overview.wanted, None
        if wanted is not None and self.overview.current is wanted[0]:
            learn_preview(self.overview, *wanted)
            self._draw()

    def _note_line(self, width: int) -> Line:
        glyphs = self.glyphs
        work = self._work
        if work is not None:
            right = glyphs.ui(f"{self._note or 'esc stops'} ", "warning" if self._note else "dim")
            return bar_line(glyphs, work.what, work.done, work.total, (right,), width, work.unit)
        if not self._note:
            return glyphs.rule("", width)
        words = cut(glyphs.own(f"── {self._note} "), width, glyphs.ellipsis)
        rest = glyphs.rule("", max(0, width - line_width((Span(words),))))
        return (Span(words, "warning"), *rest)

    def draw_bar(self) -> None:
        width, height = self.size.width, self.size.height
        if width and height >= 12:
            self.query_one("#keys", Lines).show([self._note_line(width), hint_line(self.glyphs, self._hints, width)])

    @property
    def _hints(self) -> Sequence[Hint]:
        hints = HINTS if self._desk is self.tool.desks[0] else (*HINTS[:-1], ("q", "back", "leave"))
        return hints if self.overview.walk or self.overview.partial is not None else hints[1:]

    def say(self, note: str) -> None:
        """One line above the keys, until the next thing happens."""
        self._note = note
        self._draw()

    def forget_note(self) -> None:
        """What was said is not true any more."""
        self._note = ""

    def reload(self, row: int | None = None) -> None:
        """The session is another one now; keep to the row where the cursor is, or to `row`."""
        here = self.pairs.row_index if row is None else row
        key = self.overview.current.key if self.overview.current is not None else None
        before = len(self.overview.rows)
        self.overview.reload()
        self.overview.current = self.overview.same(key) if key is not None else None
        self.rows_changed(here or 0, len(self.overview.rows) - before)
        if here is not None:
            self.pairs.go_to_row(min(here, max(0, len(self.overview.rows) - 1)))
        self._draw()

    def on_pair_view_moved(self) -> None:
        row = self.pairs.row_index
        current = self.overview.current
        if current is None or row is None or self.overview.row_of(current) != row:
            self.overview.current = self.overview.problem_at(row) if row is not None else None
        self._draw()

    def on_pair_view_opened(self) -> None:
        self.action_open()

    # problems

    def _show_problem(self, problem: Problem) -> None:
        self.overview.current = problem
        row = self.overview.row_of(problem)
        if not self.pairs.go_to_row(row):
            self._filter = ""
            self.pairs.reload()
            self._note = "filter cleared: it hid this problem"
            self.pairs.go_to_row(row)
        self.overview.current = problem
        self._draw()

    def action_problem(self, by: int) -> None:
        if self.overview.partial is not None:
            self.say(self.held_up)
            return
        self._note = ""
        problem, around = self.overview.after(self.pairs.row_index or 0, by, self.overview.current)
        if problem is None:
            self.say("no problem is left to fix" if self.session.changed else "there are no problems")
            return
        if around:
            self._note = "wrapped around"
        self._show_problem(problem)

    def _take(
        self,
        put_on: Callable[[Session], Staged | None],
        problems: Sequence[Problem],
        what: str,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Stage something, read the session again and go to the next problem. What takes long is done beside."""

        def done() -> None:
            held = {one.problem.key for one in self.session.held_back}
            self._taken([problem for problem in problems if problem.key not in held], what)
            left = left_of(self.session).words() if len(problems) > 1 else ""
            if left:
                self._note = f"applied: {what}. {left}"
                self._draw()
            # What was opened over this screen meanwhile stays on top.
            if then is not None and self.app.screen is self:
                then()

        session, count = self.session, len(self.session.staged)
        if takes_long(session, len(problems)):
            self._on_draft("fixing", len(problems), put_on, lambda draft: self._accept(draft, count, what, done))
            return
        try:
            put_on(session)
        except Exception as error:
            self.say(f"that failed: {failure(error)}")
            return
        if len(session.staged) == count:
            self.say(self._nothing_done(session, what))
        else:
            done()

    def _accept(self, draft: Session, count: int, what: str, done: Callable[[], None]) -> None:
        if len(draft.staged) == count:
            self.say(self._nothing_done(draft, what))
            return
        self.session.accept(draft)
        done()

    @staticmethod
    def _nothing_done(session: Session, what: str) -> str:
        held = session.held_back
        return held[0].text if held else f"nothing to do for {what}"

    def _taken(self, problems: Sequence[Problem], what: str) -> None:
        """Something was staged for these problems."""
        row = self.pairs.row_index or 0
        self.overview.note_staged(problems)
        self._note = f"applied: {what}{self._taking_away()}. u undoes it"
        self.overview.current = None
        self._read_again(row)
        following = self.overview.next_as_severe(row, problems)
        if following is not None:
            self._show_problem(following)
        else:
            more = " (] for warnings and notes)" if self.overview.walk else ""
            loses = self._taking_away() and f"applied{self._taking_away()}, "
            self._note = f"{loses}every problem has a fix now{more}. w reviews and saves"
            self.pairs.go_to_row(min(row, max(0, len(self.overview.rows) - 1)))
            self._draw()

    def _taking_away(self) -> str:
        """What the last step takes away, in brackets."""
        staged = self.session.staged
        return f" (loses {staged[-1].loses})" if staged and staged[-1].loses else ""

    def _read_again(self, row: int) -> None:
        """What is staged is another now; `row` is where the change was made."""
        before = len(self.overview.rows)
        self.overview.reload()
        self.rows_changed(row, len(self.overview.rows) - before)

    def _with_problem(self) -> Problem | None:
        problem = self.overview.current
        if problem is None:
            self.say("no problem here. ] goes to the next one")
        return problem

    @changing
    def action_fix(self) -> None:
        problem = self._with_problem()
        if problem is None:
            return
        if problem.guess:
            self._ask(problem)
            return
        fix = problem.recommended
        if fix is None:
            self.say("no fix is recommended here. f shows all the ways" if problem.fixes else self._no_fix(problem))
            return
        self._stage(problem, fix, None)

    @staticmethod
    def _no_fix(problem: Problem) -> str:
        return f"no fix is known: {problem.no_fix}" if problem.no_fix else "no fix is known here"

    def _links(self, problem: Problem) -> list[tuple[Problem, Fix]]:
        """The uncertain ways: the problem's own and, for a call, those of the results that may be its own."""
        found = [(problem, fix) for fix in problem.fixes if not fix.certain]
        if found or problem.pair is None or problem.pair >= len(self.session.pairs):
            return found
        for candidate in self.session.pairs[problem.pair].candidates:
            other = self.session.problem_of_pair(candidate.index)
            place = next((n for n, call in enumerate(candidate.candidates, 1) if call.index == problem.pair), 0)
            for fix in other.fixes if other is not None else ():
                if not fix.certain and fix.id in ("link", f"link-{place}") and other is not None:
                    found.append((other, fix))
        return found

    def _linked(self, problem: Problem, other: Problem) -> str:
        """Which result a way of another problem would link to the call here: its id and its first words."""
        if other is problem or other.result is None:
            return ""
        words = " ".join(self.session.block_text(other.result)[:200].split())
        return f"result {id_text(other.result.id)}, {words[:60]}"

    def _ask(self, problem: Problem) -> None:
        """Both contents side by side; the uncertain link and the safe choice are offered."""
        from toolpair.tui.guess_text import guess_lines, guess_title
        from toolpair.tui.screens.confirm import ConfirmScreen

        ways = self._links(problem)[:5]
        safe = problem.recommended
        choices = [(str(n), fix, self._linked(problem, other)) for n, (other, fix) in enumerate(ways, 1)]
        if safe is not None and safe.certain:
            ways.append((problem, safe))
            choices.append((str(len(ways)), safe, ""))
        if not ways:
            self.say("no fix is recommended here. f shows all the ways" if problem.fixes else self._no_fix(problem))
            return

        def answered(answer: str | None) -> None:
            if answer == "other":
                self.action_choose()
            elif answer is not None:
                about, fix = ways[int(answer)]
                self._put_on(about, fix, None, [about, problem])

        guessed = [fix for _, fix, _ in choices if not fix.certain]
        take = "use this one" if all(fix.id.startswith("use-copy") for fix in guessed) else "link these"
        answers = [(key, str(n), "the safe way" if way.certain else take) for n, (key, way, _) in enumerate(choices)]
        if problem.fixes:
            answers.append(("f", "other", "all the ways"))
        question = ConfirmScreen(
            guess_title(guessed),
            lambda width, height: guess_lines(
                self.session, self.glyphs, problem, choices[0][1], width, height, choices
            ),
            answers,
        )
        self.ask(question, answered, of_state=True)

    def _put_on(self, problem: Problem, fix: Fix, text: str | None, about: Sequence[Problem]) -> None:
        self._take(lambda session: session.stage(problem, fix, text), about, fix.title)

    def _stage(self, problem: Problem, fix: Fix, text: str | None) -> None:
        """Stage one fix; a guess is asked first."""

        def put_on() -> None:
            self._put_on(problem, fix, text, [problem])

        if fix.certain:
            put_on()
            return
        from toolpair.tui.guess_text import guess_lines, guess_title
        from toolpair.tui.screens.confirm import ConfirmScreen

        def answered(answer: str | None) -> None:
            if answer == "yes":
                put_on()

        question = ConfirmScreen(
            guess_title([fix]),
            lambda width, height: guess_lines(self.session, self.glyphs, problem, fix, width, height),
            [("enter", "yes", "yes, " + fix.title)],
        )
        self.ask(question, answered, of_state=True)

    @changing
    def action_fix_cause(self) -> None:
        problem = self._with_problem()
        if problem is None:
            return
        number = self.overview.group_number(problem)
        if number is None:
            self.action_fix()
            return
        group: Group = self.overview.groups[number]
        if not any(each.fixes for each in group.problems):
            self.say(self._no_fix(problem))
            return
        if not group.certain:
            self.say("no fix for this cause is certain. space asks about each one, f shows all the ways")
            return
        from toolpair.tui.screens.confirm import ConfirmScreen

        certain = [p for p in group.problems if p.recommended is not None and p.recommended.certain and not p.guess]

        def lines(width: int, height: int) -> list[Line]:
            guesses = count_text(group.guesses, "guess")
            left = " (left for you)" if group.guesses else ""
            words = f"Fix {group.certain:,} like this? {group.certain:,} certain, {guesses}{left}."
            out = self.glyphs.paragraph(words, width, "bold")
            if group.fix_title:
                out += self.glyphs.paragraph(f"Fix: {group.fix_title}.", width, "good")
            out += self.glyphs.paragraph("First three:" if len(certain) > 3 else "These:", width, "dim")
            for each in certain[:3]:
                where = f"{each.pair:>5} " if each.pair is not None else ""
                tool = ""
                if each.call is not None:
                    tool = f"{each.call.name or ''} {self.session.call_summary(each.call)[:200]}: "
                out += self.glyphs.paragraph(f"{where}{tool}{each.text}", width, "", indent=3, limit=2)
            return out

        def answered(answer: str | None) -> None:
            if answer == "yes":
                title = group.fix_title or group.title
                self._take(lambda session: session.stage_group(group), certain, f"{group.certain:,} × {title}")

        answers = [("enter", "yes", f"fix {group.certain:,}")]
        self.ask(ConfirmScreen("Fix all with this cause", lines, answers), answered, of_state=True)

    @changing
    def action_fix_all(self) -> None:
        certain = [
            p for p in self.session.problems
            if p.severity == "error" and not p.guess and p.recommended is not None and p.recommended.certain
        ]  # fmt: skip
        if certain:
            self._take(
                type(self.session).stage_all,
                certain,
                f"fixes for {count_text(len(certain), 'problem')}",
                self._after_all,
            )
        else:
            self._after_all()

    def _after_all(self) -> None:
        if self.session.changed:
            self.action_review()
        elif self.session.staged:
            self.say("nothing changes in the file")
        else:
            self.say(left_of(self.session).words() or "there is nothing to fix")

    @changing
    def action_recipe(self) -> None:
        from toolpair.tui.screens.recipes import RecipesScreen

        if self._tried_on is not self.session.conversation:
            self._tried_on, self._tried = self.session.conversation, {}

        def chosen(sketch: Sketch | None) -> None:
            if sketch is None:
                return
            recipe, options = sketch.choice
            if sketch.changes_nothing:
                self.say(f"{recipe.name} changes nothing here")
                return
            self._take(
                lambda session: session.stage_recipe(recipe.name, options),
                sketch.problems,
                recipe.name,
                self.action_review,
            )

        self.ask(RecipesScreen(self._tried), chosen, of_state=True)

    @changing
    def action_choose(self) -> None:
        problem = self._with_problem()
        if problem is None:
            return
        if not problem.fixes:
            self.say(self._no_fix(problem))
            return
        from toolpair.tui.screens.chooser import Choice, ChooserScreen

        def chosen(choice: Choice | None) -> None:
            if choice is not None:
                self._stage(problem, problem.fixes[choice[0]], choice[1])

        start = next((n for n, fix in enumerate(problem.fixes) if fix.recommended), 0)
        self.ask(ChooserScreen(problem, start), chosen, of_state=True)

    def action_bytes(self) -> None:
        problem = self._with_problem()
        if problem is None:
            return
        fix = problem.recommended or (problem.fixes[0] if problem.fixes else None)
        if fix is None:
            self.say("no fix is known here, so no byte would change")
            return
        from toolpair.tui.bytes_text import diff_style, parts_text, whole_text
        from toolpair.tui.screens.viewer import Page, ViewerScreen

        noun = "line" if self.session.document.kind == "lines" else "message"
        changes = self.session.preview(problem, fix)
        pages = [
            Page("what differs", lambda: parts_text(changes, noun), diff_style),
            Page("whole lines", lambda: whole_text(changes, noun), diff_style),
        ]
        self.open(ViewerScreen(visible(fix.title), pages))

    def _step_back(self, step: Callable[[], Staged | None], words: str) -> None:
        staged = step()
        if staged is None:
            self.say(f"nothing to {words}")
            return
        undone = words == "undo"
        back = self.overview.note_undone() if undone else None
        if not undone:
            self.overview.note_redone()
        self._read_again(self.pairs.row_index or 0)
        where = f" in conversation {staged.conversation + 1:,}" if len(self.session.conversations) > 1 else ""
        self._note = f"{'undone' if undone else 'redone'}{where}: {staged.title}"
        here = staged.conversation == self.session.current
        following = self.overview.again(back) if here else None
        if following is None:
            following, _ = self.overview.after(self.pairs.row_index or 0, 1, None)
        self.overview.current = None
        if following is not None:
            self._show_problem(following)
        else:
            self._draw()

    @changing
    def action_undo(self) -> None:
        self._step_back(self.session.undo, "undo")

    @changing
    def action_redo(self) -> None:
        self._step_back(self.session.redo, "redo")

    @changing
    def action_review(self) -> None:
        if not self.session.changed:
            self.say("nothing changed, so there is nothing to save")
            return
        from toolpair.tui.screens.review import ReviewScreen

        def closed(saved: SavedSteps | None) -> None:
            if saved is not None:
                from toolpair.tui.screens.saved import SavedScreen

                self.reload()
                self.ask(SavedScreen(self._desk, saved[0], self.tool.result.told, saved[1]), undone)

        def undone(words: str | None) -> None:
            if words is not None:
                self._first()
                self.say(words)

        self.ask(ReviewScreen(self._desk), closed)

    def action_sessions(self) -> None:
        from toolpair.tui.screens.picker import PickerScreen

        if self.tool.sessions is not None:
            self.open(PickerScreen(self.tool.sessions))

    async def action_leave(self) -> None:
        """From a sub-agent's session back to the one that it was opened from, else out of the program."""
        if len(self.tool.desks) > 1:
            self.tool.go_back()
        else:
            await self.app.action_quit()

    def action_palette(self) -> None:
        from toolpair.tui.screens.menu import Entry, MenuScreen

        entries: list[Entry] = []
        for group in GROUPS:
            for key in group.keys:
                if key.palette:
                    entries.append(Entry(key.action, key.label[0].upper() + key.label[1:], key_names(key.keys)))
        entries.append(Entry("colours", "Switch between dark and light"))
        entries.append(Entry("leave", "Quit", "q"))

        async def chosen(value: str | None) -> None:
            if value is not None:
                await self.run_action(value)

        self.ask(MenuScreen("Commands", entries, filter=True), chosen)

    def action_colours(self) -> None:
        self.tool.switch_colours()
