"""The main screen: verdict, pairs, the problem under the cursor, keys."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from toolpair.text.cells import cut
from toolpair.text.safe import visible, visible_text
from toolpair.tui.card_text import Card, cause_lines
from toolpair.tui.head_text import column_titles, head_lines
from toolpair.tui.keys import APP, GROUPS, LOOK, PROBLEMS, key_names
from toolpair.tui.numbers import count_text
from toolpair.tui.overview import Overview
from toolpair.tui.row_lines import id_text
from toolpair.tui.row_search import Test, filter_test, text_test
from toolpair.tui.screens.base import Hint, hint_line
from toolpair.tui.screens.file_actions import FileActions
from toolpair.tui.spans import Line, Span
from toolpair.tui.widgets.lines import Lines
from toolpair.tui.widgets.pair_view import PairView

if TYPE_CHECKING:
    from toolpair.session import Fix, Group, Problem, Saved, Session, Staged, Target
    from toolpair.tui.screens.menu import Entry

SLICE = 0.01
"""Seconds of searching between two looks at the keyboard."""
WIDE, NARROW = 110, 72
HINTS: tuple[Hint, ...] = (
    ("]", "next", "problem(1)"), ("u", "undo", "undo"), ("w", "review and save", "review"),
    ("@", "paste an error", "goto"), ("/", "find", "search"), ("enter", "open", "open"), ("&", "filter", "filter"),
    ("y", "copy", "yank"), ("?", "all keys", "help"), ("q", "quit", "leave"),
)  # fmt: skip


_OWN_ID = re.compile(r"\A[A-Z]{3}\d\d: ")
MANY_MESSAGES, MANY_PROBLEMS = 2000, 500
"""With more of them a change takes so long that it is said before."""


def card_height(height: int, wide: bool) -> int:
    """Lines for the card, its title included, for a screen of `height` lines."""
    if height < 14:
        return 3
    if height < 20:
        return 5
    if height < 30:
        return 8
    return min(16, height // 3) if wide else 10


def takes_long(session: Session) -> bool:
    """Whether a change of the session takes longer than a key may."""
    # What a lost link hides is in the file and not in the transcript: a fix brings it back.
    many = max(len(session.transcript.messages), len(session.document.records)) > MANY_MESSAGES
    return many or len(session.problems) > MANY_PROBLEMS


class MainScreen(FileActions):
    """Keys act on the problem under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [*PROBLEMS.bindings(), *LOOK.bindings(), *APP.bindings()]
    DEFAULT_CSS = """
    MainScreen #head { height: auto; }
    MainScreen #lower { height: 8; }
    MainScreen #card { height: 100%; }
    MainScreen #bar-gap { width: 1; height: 100%; }
    MainScreen #causes { height: 100%; width: 40%; display: none; }
    """

    def __init__(self, overview: Overview, at: str | None = None) -> None:
        super().__init__()
        self.overview = overview
        self._at = at
        self._note = ""
        self._filter = ""
        self._query = ""
        self._busy = False

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
        first = self.session.first_problem()
        self.overview.current = first
        if first is not None:
            self.pairs.cursor = self.overview.row_of(first)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.pairs.reveal(centre=True)
        if self._at:
            self._go_to(self._at)
        self.run_worker(self._look_around, group="around", exclusive=True, thread=True)

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
        self.query_one("#head", Lines).show(head_lines(self.session, glyphs, width, limit))
        note = f" · filter {self._filter} · {count_text(len(self.pairs.shown), 'row')}" if self._filter else ""
        self.query_one("#titles", Lines).show([column_titles(glyphs, width, stacked, note)])
        card_width = width - (width * 2 // 5) - 1 if wide else width
        rows = card_height(height, wide)
        card = Card(self.overview, glyphs, card_width, rows, wide)
        row = self.pairs.row_index
        problem = self.overview.current
        if problem is not None and row is not None:
            card_lines = card.problem(problem, row)
        else:
            card_lines = card.row(self.pairs.row)
        self.query_one("#card", Lines).show(card_lines)
        if wide:
            causes = self.query_one("#causes", Lines)
            causes.styles.width = width * 2 // 5
            causes.show(cause_lines(self.overview, glyphs, width * 2 // 5, rows, problem))
        bar: list[Line] = [] if height < 12 else [self._note_line(width)]
        if height < 12 and self._note:
            bar = []
            keys: Line = (glyphs.ui(f" {self._note}", "warning"),)
        else:
            keys = hint_line(glyphs, HINTS, width)
        self.query_one("#keys", Lines).show([*bar, keys])

    def _note_line(self, width: int) -> Line:
        glyphs = self.glyphs
        if not self._note:
            return glyphs.rule("", width)
        words = cut(glyphs.own(f"── {self._note} "), width, glyphs.ellipsis)
        rest = glyphs.rule("", max(0, width - sum(map(len, [words]))))
        return (Span(words, "warning"), *rest)

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
        self.overview.reload()
        self.overview.current = self.overview.same(key) if key is not None else None
        self._apply_filter_now()
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
            self._note = "the filter is off: it hid this problem"
            self.pairs.go_to_row(row)
        self.overview.current = problem
        self._draw()

    def action_problem(self, by: int) -> None:
        self._note = ""
        problem, around = self.overview.after(self.pairs.row_index or 0, by, self.overview.current)
        if problem is None:
            self.say("no problem is left" if self.session.changed else "there is no problem")
            return
        if around:
            self._note = "around the end"
        self._show_problem(problem)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not self._busy and super().check_action(action, parameters)

    def _slowly(self, work: Callable[[], None]) -> None:
        """Do it; when it takes long, say so first."""
        if not takes_long(self.session):
            work()
            return

        def run() -> None:
            self._busy = False
            work()

        self._busy = True
        self.say("working …")
        self.call_after_refresh(run)

    def _take(
        self,
        put_on: Callable[[], Staged | None],
        problems: Sequence[Problem],
        what: str,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Stage something, read the session again and go to the next problem."""

        def work() -> None:
            self._take_now(put_on, problems, what)
            if then is not None:
                then()

        self._slowly(work)

    def _take_now(self, put_on: Callable[[], Staged | None], problems: Sequence[Problem], what: str) -> bool:
        """False when it was refused."""
        row = self.pairs.row_index or 0
        count = len(self.session.staged)
        try:
            put_on()
        except (ValueError, LookupError) as error:
            self.say(f"not done: {error}")
            return False
        if len(self.session.staged) == count:
            self.say(f"nothing to do for {what}")
            return False
        self.overview.note_staged(problems)
        self._note = f"done: {what}. u takes it back"
        self.overview.current = None
        self.overview.reload()
        self._apply_filter_now()
        following = self.overview.next_as_severe(row, problems)
        if following is not None:
            self._show_problem(following)
        else:
            more = " (] goes to warnings and notes)" if self.overview.walk else ""
            self._note = f"no problem is left{more}. w shows what will be saved"
            self.pairs.go_to_row(min(row, max(0, len(self.overview.rows) - 1)))
            self._draw()
        return True

    def _with_problem(self) -> Problem | None:
        problem = self.overview.current
        if problem is None:
            self.say("no problem here. ] goes to the next one")
        return problem

    def action_fix(self) -> None:
        problem = self._with_problem()
        if problem is None:
            return
        if problem.guess:
            self._ask(problem)
            return
        fix = problem.recommended
        if fix is None:
            self.say("nothing is recommended here. f shows all ways" if problem.fixes else self._no_fix(problem))
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
            for fix in other.fixes if other is not None else ():
                if not fix.certain and fix.id in ("link", f"link-{problem.pair}") and other is not None:
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
            choices.append(("k", safe, ""))
        if not ways:
            self.say("nothing is recommended here. f shows all ways" if problem.fixes else self._no_fix(problem))
            return

        def answered(answer: str | None) -> None:
            if answer == "other":
                self.action_choose()
            elif answer is not None:
                about, fix = ways[int(answer)]
                self._put_on(about, fix, None, [about, problem])

        copies = all(fix.id.startswith("use-copy") for key, fix, _ in choices if key != "k")
        words = {"k": "the safe one"}
        take = "take" if copies else "link"
        answers = [(key, str(n), words.get(key, f"{take} {key}")) for n, (key, *_) in enumerate(choices)]
        if problem.fixes:
            answers.append(("f", "other", "all ways"))
        question = ConfirmScreen(
            guess_title([fix for key, fix, _ in choices if key != "k"]),
            lambda width, height: guess_lines(
                self.session, self.glyphs, problem, choices[0][1], width, height, choices
            ),
            answers,
        )
        self.app.push_screen(question, answered)

    def _put_on(self, problem: Problem, fix: Fix, text: str | None, about: Sequence[Problem]) -> None:
        self._take(lambda: self.session.stage(problem, fix, text), about, fix.title)

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
        self.app.push_screen(question, answered)

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
            self.say("no fix of this cause is certain: space asks about each one, f shows all ways")
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
                self._take(lambda: self.session.stage_group(group), certain, f"{group.certain:,} × {title}")

        answers = [("enter", "yes", f"fix {group.certain:,}")]
        self.app.push_screen(ConfirmScreen("All of this cause", lines, answers), answered)

    def action_fix_all(self) -> None:
        certain = [
            p for p in self.session.problems
            if p.severity == "error" and not p.guess and p.recommended is not None and p.recommended.certain
        ]  # fmt: skip
        if certain:
            self._take(
                self.session.stage_all, certain, f"{count_text(len(certain), 'problem')} mended", self._after_all
            )
        else:
            self._after_all()

    def _after_all(self) -> None:
        if self.session.changed:
            self.action_review()
        elif self.session.staged:
            self.say("nothing changes in the file")
        elif self.session.left:
            self.say(f"{len(self.session.left):,} left for you: nothing here is certain")
        else:
            self.say("there is nothing to mend")

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
        self.app.push_screen(ChooserScreen(problem, start), chosen)

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
        self.app.push_screen(ViewerScreen(visible(fix.title), pages))

    def _step_back(self, step: Callable[[], Staged | None], note: Callable[[], None], words: str) -> None:
        keys = {p.key for p in self.session.problems}
        staged = step()
        if staged is None:
            self.say(f"nothing to {words}")
            return
        note()
        self.overview.reload()
        self._apply_filter_now()
        new = [p for p in self.overview.walk if p.key not in keys]
        where = f" in conversation {staged.conversation + 1:,}" if len(self.session.conversations) > 1 else ""
        self._note = f"{'undone' if words == 'undo' else 'done again'}{where}: {staged.title}"
        if new:
            self._show_problem(new[0])
        else:
            following, _ = self.overview.after(self.pairs.row_index or 0, 1, None)
            self.overview.current = None
            if following is not None:
                self._show_problem(following)
            else:
                self._draw()

    def action_undo(self) -> None:
        self._step_back(self.session.undo, self.overview.note_undone, "undo")

    def action_redo(self) -> None:
        self._step_back(self.session.redo, self.overview.note_redone, "redo")

    def action_review(self) -> None:
        if not self.session.changed:
            self.say("nothing changed, so there is nothing to save")
            return
        from toolpair.tui.screens.review import ReviewScreen

        def closed(saved: Saved | None) -> None:
            if saved is not None:
                from toolpair.tui.screens.saved import SavedScreen

                self.reload()
                self.app.push_screen(SavedScreen(saved, self.tool.result.told))

        self.app.push_screen(ReviewScreen(self.overview), closed)

    # looking

    def action_open(self) -> None:
        from toolpair.tui.screens.viewer import Page, ViewerScreen

        row = self.pairs.row
        if row is None:
            return
        session = self.session
        if row.pair is None:
            label = row.label
            self.app.push_screen(ViewerScreen("Message", [Page("text", lambda: label)]))
            return
        pages: list[Page] = []
        call, result = row.pair.call, row.result
        if call is not None:
            pages.append(Page("call", lambda: session.block_json(call)))
        if result is not None:
            pages.append(Page("result", lambda: session.block_text(result)))
            pages.append(Page("result as it is written", lambda: session.block_json(result)))
        start = 1 if self.pairs.side == "result" and call is not None and result is not None else 0
        name = visible(call.name or "") if call is not None else "result"
        self.app.push_screen(ViewerScreen(f"{row.pair.index} {name}", pages, start))

    def action_search(self) -> None:
        from toolpair.tui.screens.prompt import PromptScreen

        def given(query: str | None) -> None:
            if query is None:
                return
            self._query = query
            self.pairs.query_text = query
            self.pairs.forget()
            if query:
                self._find(1)
            else:
                self.say("")

        notes = ["text, tools and ids in all rows; capitals make case matter"]
        self.app.push_screen(PromptScreen("Find", self._query, notes, "find"), given)

    def action_hit(self, by: int) -> None:
        if not self._query:
            self.say("/ looks for something first")
            return
        self._find(by)

    def _find(self, by: int) -> None:
        self.run_worker(self._find_slowly(by, self._query), group="search", exclusive=True)

    async def _find_slowly(self, by: int, query: str) -> None:
        test = text_test(self.overview, query)
        shown = self.pairs.shown
        count = len(shown)
        begin = self.pairs.cursor
        pause = time.monotonic() + SLICE
        for step in range(1, count + 1):
            position = begin + by * step
            if test(shown[position % count]):
                self._note = f"{query}" + (" (around the end)" if not 0 <= position < count else "")
                self.pairs.move_to(position % count, centre=True)
                self._draw()
                return
            if time.monotonic() > pause:
                if step % 50 == 0:
                    self.say(f"looking for {query}: {100 * step // count} %, esc stops")
                await asyncio.sleep(0)
                pause = time.monotonic() + SLICE
        self.say(f"not found: {query}")

    def action_filter(self) -> None:
        from toolpair.tui.screens.prompt import PromptScreen

        def given(words: str | None) -> None:
            if words is None:
                return
            words = words.strip()
            try:
                test = filter_test(self.overview, words)
            except ValueError as error:
                self.say(str(error))
                return
            if not words:
                self._clear_filter()
                return
            self.run_worker(self._filter_slowly(words, test), group="search", exclusive=True)

        notes = ["tool:Bash  is:problem  is:error  id:toolu_01…  or any words"]
        self.app.push_screen(PromptScreen("Show only", self._filter, notes, "filter"), given)

    async def _filter_slowly(self, words: str, test: Test) -> None:
        found: list[int] = []
        pause = time.monotonic() + SLICE
        count = len(self.overview.rows)
        for n in range(count):
            if test(n):
                found.append(n)
            if time.monotonic() > pause:
                await asyncio.sleep(0)
                pause = time.monotonic() + SLICE
                if n % 100 == 0:
                    self.say(f"filtering: {100 * n // count} %, esc stops")
        if not found:
            self.say(f"no row fits {words}")
            return
        here = self.pairs.row_index or 0
        self._filter = words
        self.pairs.reload(found)
        self.pairs.move_to(min(range(len(found)), key=lambda i: abs(found[i] - here)))
        self.say("esc takes the filter off")

    def _apply_filter_now(self) -> None:
        """Rows may have come or gone: filter again, without a pause."""
        if self._filter:
            try:
                test = filter_test(self.overview, self._filter)
            except ValueError:
                return
            found = [n for n in range(len(self.overview.rows)) if test(n)]
            if found:
                self.pairs.reload(found)
                return
            self._filter = ""
        self.pairs.reload()

    def _clear_filter(self) -> None:
        row = self.pairs.row_index
        self._filter = ""
        self.pairs.reload()
        if row is not None:
            self.pairs.go_to_row(row)
        self.say("")

    def action_back(self) -> None:
        """One layer: a running search, what it marks, the filter, the note."""
        if self.workers and any(w.group == "search" and w.is_running for w in self.workers):
            self.workers.cancel_group(self, "search")
            self.say("stopped")
        elif self._query:
            self._query = self.pairs.query_text = ""
            self.pairs.forget()
            self.say("")
        elif self._filter:
            self._clear_filter()
        else:
            self.say("")

    def action_goto(self) -> None:
        from toolpair.tui.screens.prompt import PromptScreen

        def given(where: str | None) -> None:
            if where and where.strip():
                self._go_to(where.strip())

        notes = ["an id, line:N, record:N, pair:N, or a whole API error, pasted"]
        self.app.push_screen(PromptScreen("Go to", "", notes), given)

    def _go_to(self, where: str) -> None:
        try:
            target = self.session.find(where)
        except (ValueError, LookupError) as error:
            self.say(str(error))
            return
        if target is None:
            self.say(f"not in this file: {where}")
            return
        said = self._said(target)
        self._note = said
        if target.problem is not None:
            self._show_problem(target.problem)
            return
        row: int | None = None
        for n, candidate in enumerate(self.overview.rows):
            pair_index = candidate.pair.index if candidate.pair is not None else None
            if target.pair is not None and pair_index == target.pair:
                row = n
                break
            if target.pair is None and candidate.message is not None and candidate.message == target.message:
                row = n
                break
        if row is None:
            self.say(said or f"nothing to show for {where}")
            return
        if not self.pairs.go_to_row(row):
            self._clear_filter()
            self.pairs.go_to_row(row)
        self._note = said
        self._draw()

    def _said(self, target: Target) -> str:
        """What to say of a place: an error in its meaning, and that its ids are not here when they are not."""
        known = target.recognised
        if known is None:
            return target.text
        said = _OWN_ID.sub("", f"{known.error.meaning.rstrip('.')}.")
        here = {
            block.id
            for pair in self.session.pairs
            for block in (pair.call, *pair.results)
            if block is not None and isinstance(block.id, str)
        }
        if known.ids and not here.intersection(known.ids):
            said = f"The id {known.ids[0]} is not in this conversation. {said}"
        elif target.problem is None and target.pair is None:
            said += " Nothing in this conversation raises it now."
        return said

    def action_yank(self) -> None:
        from toolpair.tui.screens.menu import Entry, MenuScreen

        row = self.pairs.row
        if row is None:
            return
        session = self.session
        texts: dict[str, Callable[[], str]] = {}
        entries: list[Entry] = []

        def offer(value: str, label: str, make: Callable[[], str], note: str = "") -> None:
            texts[value] = make
            entries.append(Entry(value, f"{len(entries) + 1}  {label}", note))

        pair = row.pair
        if pair is not None:
            call, result = pair.call, row.result
            if call is not None:
                offer("id", "the id", lambda: str(call.id), str(call.id)[:60])
            if result is not None and (call is None or call.id != result.id):
                offer("result-id", "the result's id", lambda: str(result.id), str(result.id)[:60])
            if call is not None:
                offer("call", "the call", lambda: session.block_json(call))
            if result is not None:
                offer("result", "the result", lambda: session.block_text(result))
        else:
            label = row.label
            offer("text", "the text", lambda: label)
        problem = self.overview.current
        if problem is not None and session.path is not None:
            line = session.location(problem).line
            if line is not None:
                place = f"{session.path}:{line}"
                offer("place", "path:line", lambda: place, place)
        command = session.resume_command()
        if command:
            offer("resume", "the command to resume", lambda: command, command)

        def chosen(value: str | None) -> None:
            if value is not None:
                self.say(self.tool.copy(visible_text(texts[value]())))

        self.app.push_screen(MenuScreen("Copy", entries), chosen)

    def action_profile(self) -> None:
        from toolpair.tui.screens.menu import Entry, MenuScreen

        profiles = self.session.profiles
        entries = [Entry(id, id) for id in profiles]
        cursor = next((n for n, id in enumerate(profiles) if id == self.session.profile.id), 0)

        def chosen(value: str | None) -> None:
            if value is not None and value != self.session.profile.id:
                self.session.set_profile(value)
                self.overview.current = None
                self._note = f"judged as {value}"
                self.reload()
                self._first()

        self.app.push_screen(MenuScreen("Judge as", entries, cursor), chosen)

    def _first(self) -> None:
        first = self.session.first_problem()
        if first is not None:
            self._show_problem(first)

    def action_conversation(self) -> None:
        conversations = self.session.conversations
        if len(conversations) < 2:
            self.say("this file holds one conversation")
            return
        from toolpair.tui.screens.menu import Entry, MenuScreen

        entries = []
        for n in range(len(conversations)):
            label = getattr(conversations[n], "label", None) or f"conversation {n + 1}"
            errors = conversations[n].verdict.errors
            count = f"{count_text(errors, 'problem') if errors else 'no problem':>13}"
            entries.append(Entry(str(n), f"{n + 1:>4}  {count}  {label}"))

        def chosen(value: str | None) -> None:
            if value is not None and int(value) != self.session.current:
                self.session.current = int(value)
                self.overview.current = None
                self._filter = ""
                self.reload(0)
                self._first()

        title = f"{len(conversations):,} conversations"
        self.app.push_screen(MenuScreen(title, entries, self.session.current), chosen)

    def action_sessions(self) -> None:
        self.tool.show_list()

    def action_palette(self) -> None:
        from toolpair.tui.screens.menu import Entry, MenuScreen

        entries: list[Entry] = []
        for group in GROUPS:
            for key in group.keys:
                if key.palette:
                    entries.append(Entry(key.action, key.label[0].upper() + key.label[1:], key_names(key.keys)))
        entries.append(Entry("colours", "Switch between dark and light"))
        entries.append(Entry("help", "All keys", "?"))
        entries.append(Entry("leave", "Quit", "q"))

        async def chosen(value: str | None) -> None:
            if value is not None:
                await self.run_action(value)

        self.app.push_screen(MenuScreen("Commands", entries, filter=True), chosen)

    def action_colours(self) -> None:
        self.tool.switch_colours()
