"""What the main screen does to look at things: open, search, filter, go to a place, copy, judge otherwise."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events

from toolpair.text.safe import visible, visible_text
from toolpair.tui.aside import Aside
from toolpair.tui.numbers import count_text
from toolpair.tui.resume_text import command_of
from toolpair.tui.row_search import filter_sieve, filter_test, text_sieve, text_test
from toolpair.tui.screens.file_actions import FileActions
from toolpair.tui.screens.working import changing, takes_long
from toolpair.tui.searching import Search
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.session.session import Problem, Session, Target, Transcript
    from toolpair.tui.screens.menu import Entry

_OF_MANY_LINES = ("call", "result", "text")
"""What may be copied as more than one line."""


class LookActions(FileActions):
    """The part of the main screen that changes what is looked at, and never what is staged."""

    _query: str
    _looking: tuple[Search, Aside] | None = None
    """What looks for `_query`, or has done so."""
    _filtering: tuple[Search, Aside] | None = None
    _counted: dict[str, tuple[str, str]]
    """What each profile finds in `_counted_of`, as far as it was counted."""
    _counted_of: Transcript | None

    def _draw(self) -> None:
        raise NotImplementedError

    def _show_problem(self, problem: Problem) -> None:
        raise NotImplementedError

    def action_open(self) -> None:
        from toolpair.tui.screens.viewer import Page, ViewerScreen

        row = self.pairs.row
        if row is None:
            return
        session = self.session
        if row.pair is None:
            label = row.label
            self.open(ViewerScreen("Message", [Page("text", lambda: label)]))
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
        self.open(ViewerScreen(f"{row.pair.index} {name}", pages, start))

    def action_search(self) -> None:
        from toolpair.tui.screens.prompt import PromptScreen

        def given(query: str | None) -> None:
            if query is None:
                return
            self._stop_looking()
            self._query = query
            self.pairs.query_text = query
            self.pairs.forget()
            if query:
                self._find(1)
            else:
                self.say("")

        notes = ["Searches text, tools and ids in all rows. A capital letter makes it match case."]
        self.ask(PromptScreen("Find", self._query, notes, "find"), given)

    def action_hit(self, by: int) -> None:
        if not self._query:
            self.say("nothing to look for yet. / finds text")
            return
        self._find(by)

    def _find(self, by: int) -> None:
        """Go to the next hit; where nothing is known yet, look for it from the cursor on."""
        if self._looking is None:
            self._look_for(by)
            return
        search, row = self._looking[0], self.pairs.row_index or 0
        hit, around = search.next(row, by)
        if hit is None:
            self.say(self._not_found(search))
        elif around and not search.done:
            self.say(f"{self._query}: {count_text(len(search.hits), 'match')} so far, {search.percent} % searched")
        else:
            self._go_to_hit(search, hit, around)

    def _look_for(self, by: int) -> None:
        query, pairs = self._query, self.pairs
        test, sieve = text_test(self.overview, query), text_sieve(self.overview, query)
        search = Search(pairs.shown, pairs.cursor, by, test, self.tool.last_key, sieve)
        moved = False

        def told(search: Search) -> None:
            nonlocal moved
            if self._looking is None or self._looking[0] is not search:
                return
            if search.first is not None and not moved:
                moved = True
                self._go_to_hit(search, search.first, False)
            elif not moved:
                self.say(self._not_found(search))
            elif self._note.startswith(query):
                self.say(self._hit_text(search, self.pairs.row_index or 0))

        self._looking = search, self._look_through(search, told)

    def _look_through(self, search: Search, told: Callable[[Search], None]) -> Aside:
        return self.in_thread(lambda aside: search.run(aside, told), "search", self._not_looked, of_state=True)

    def _not_looked(self, error: Exception) -> None:
        """What was looked for cannot be found, since the rows cannot be read."""
        self._stop_looking()
        self.say(f"the search failed: {failure(error)}")

    def _not_found(self, search: Search) -> str:
        if search.done:
            return f"not found{self._so_far}: {self._query}"
        return f"searching for {self._query}: {search.percent} %, esc stops"

    @property
    def _so_far(self) -> str:
        return " in what has been read so far" if self.overview.partial is not None else ""

    def _hit_text(self, search: Search, row: int) -> str:
        if not search.done:
            return f"{self._query}: {count_text(len(search.hits), 'match')} so far, {search.percent} %, esc stops"
        return f"{self._query}: match {search.number(row):,} of {len(search.hits):,}"

    def _go_to_hit(self, search: Search, row: int, around: bool) -> None:
        if not self.pairs.go_to_row(row):
            self._clear_filter()
            self.pairs.go_to_row(row)
        self._note = self._hit_text(search, row) + (" (wrapped around)" if around else "")
        self._draw()

    def _stop_looking(self) -> bool:
        """True when something was being looked for."""
        running = False
        for looking in (self._looking, self._filtering):
            if looking is not None:
                running = running or not looking[0].done
                looking[1].stop()
        self._looking = self._filtering = None
        return running

    def action_filter(self) -> None:
        from toolpair.tui.screens.prompt import PromptScreen

        def given(words: str | None) -> None:
            if words is None:
                return
            words = words.strip()
            if not words:
                self._clear_filter()
                return
            self._stop_looking()
            self._filter_by(words)

        notes = ["tool:Bash  is:problem  is:error  id:toolu_01…  or any words"]
        self.ask(PromptScreen("Filter: show only", self._filter, notes, "filter"), given)

    def _filter_by(self, words: str, quietly: bool = False) -> None:
        """Show the rows that fit as they are found; `quietly`: what is shown stays until all are."""
        try:
            test = filter_test(self.overview, words)
        except ValueError as error:
            self.say(str(error))
            return
        here = self.pairs.row_index or 0
        sieve = filter_sieve(self.overview, words)
        search = Search(range(len(self.overview.rows)), -1, 1, test, self.tool.last_key, sieve)

        def told(search: Search) -> None:
            if self._filtering is None or self._filtering[0] is not search:
                return
            if search.done and not search.hits:
                self._filtering = None
                if quietly:
                    self._clear_filter()
                else:
                    self.say(f"no row{self._so_far} matches {words}")
                return
            if search.hits and not (quietly and not search.done):
                first = self._filter != words
                at = here if first else self.pairs.row_index or 0
                self._filter = words
                self._show_only(list(search.hits), at)
            if not search.done:
                found = f", {count_text(len(search.hits), 'row')} so far"
                self.say(f"filtering: {search.percent} %{found}, esc stops")
            elif quietly:
                self._draw()
            else:
                self.say("esc clears the filter")

        if self._filtering is not None:
            self._filtering[1].stop()
        self._filtering = search, self._look_through(search, told)

    def _show_only(self, rows: Sequence[int], at: int) -> None:
        """Show these rows; the cursor goes to the one that is nearest to the row `at`."""
        place = bisect_left(rows, at)
        near = [n for n in (place - 1, place) if 0 <= n < len(rows)]
        self.pairs.reload(rows)
        if near:
            self.pairs.move_to(min(near, key=lambda n: abs(rows[n] - at)))

    def rows_changed(self, row: int, more: int) -> None:
        """Rows are others from `row` on, and there are `more` of them: what was found is looked for again."""
        self._stop_looking()
        if not self._filter:
            self.pairs.reload()
            return
        count = len(self.overview.rows)
        shown = (n if n <= row else n + more for n in self.pairs.shown)
        self.pairs.reload([n for n in shown if row < n < count or n <= min(row, count - 1)])
        self._filter_by(self._filter, quietly=True)

    def _clear_filter(self) -> None:
        row = self.pairs.row_index
        self._filter = ""
        if self._filtering is not None:
            self._filtering[1].stop()
            self._filtering = None
        self.pairs.reload()
        if row is not None:
            self.pairs.go_to_row(row)
        self.say("")

    def action_back(self) -> None:
        """One layer: long work, a running search, what it marks, the filter, the note."""
        if self.stop_work():
            rest = "r reads the rest" if self.overview.partial is not None else "nothing was changed"
            self.say(f"stopped: {rest}")
        elif self._stop_looking():
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
        self._ask_where()

    def on_paste(self, event: events.Paste) -> None:
        """A paste on this screen is an error text that somebody wants to be led by."""
        event.stop()
        if event.text.strip():
            self._ask_where(event.text)

    def _ask_where(self, pasted: str = "") -> None:
        from toolpair.tui.screens.goto import GotoScreen

        if self.overview.partial is not None:
            self.say(self.held_up)
            return
        found: list[Target] = []

        def look(where: str) -> str | None:
            target = self._look_up(where)
            if isinstance(target, str):
                return target
            found.append(target)
            return None

        def given(where: str | None) -> None:
            if where is not None and found:
                self._show_target(found[-1])

        self.ask(GotoScreen(look, pasted), given, of_state=True)

    def _go_to(self, where: str) -> None:
        target = self._look_up(where)
        if isinstance(target, str):
            self.say(target)
        else:
            self._show_target(target)

    def _look_up(self, where: str) -> Target | str:
        """Where it leads; one short sentence when it leads nowhere."""
        try:
            target = self.session.find(where)
        except (ValueError, LookupError) as error:
            return str(error)
        if target is None:
            return f"not in this file: {where}"
        return target if target.leads_somewhere else target.text

    def _show_target(self, target: Target) -> None:
        session = self.session
        problem = target.problem
        elsewhere = target.conversation is not None and target.conversation != session.current
        if self.held_up and (elsewhere or target.profile is not None):
            self.say(self.held_up)
            return
        if target.conversation is not None and target.conversation != session.current:
            session.current = target.conversation
            self.overview.current = None
            self._filter = ""
            self.reload(0)
        if target.profile is not None and problem is not None:
            # Only by the rules of the provider that answered is it wrong, so by these it is looked at and mended.
            session.set_profile(target.profile)
            self.overview.current = None
            self.reload()
            problem = self.overview.same(problem.key)
        self._note = target.text
        if problem is not None:
            self._show_problem(problem)
            return
        row = self.overview.row_of_place(target.pair, target.message)
        if row is None:
            self.say(target.text)
            return
        if not self.pairs.go_to_row(row):
            self._clear_filter()
            self.pairs.go_to_row(row)
        self._note = target.text
        self._draw()

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
                offer("place", "the file and line", lambda: place, place)
        command = command_of(session.resume_command())
        if command:
            offer("resume", "the command to resume", lambda: command, command)

        def chosen(value: str | None) -> None:
            if value is not None:
                # What is pasted into a shell must not end a line there.
                safe = visible_text if value in _OF_MANY_LINES else visible
                self.say(self.tool.copy(safe(texts[value]())))

        self.ask(MenuScreen("Copy", entries), chosen)

    @changing
    def action_profile(self) -> None:
        from toolpair.tui.screens.profiles import ProfilesScreen

        if self._counted_of is not self.session.transcript:
            self._counted_of, self._counted = self.session.transcript, {}

        def chosen(value: str | None) -> None:
            if value is not None and value != self.session.profile.id:
                self._judge_by(value)

        self.ask(ProfilesScreen(self._counted), chosen, of_state=True)

    def _judge_by(self, profile: str) -> None:
        """Judge by another profile: beside the keys where that takes long."""

        def judged() -> None:
            self.overview.current = None
            self._note = f"checked against {self.session.profile.name}"
            self.reload()
            self._first()

        if not takes_long(self.session):
            self.session.set_profile(profile)
            judged()
            return

        def ended(draft: Session) -> None:
            self.session.accept(draft)
            judged()

        self._on_draft("checking", 0, lambda draft: draft.set_profile(profile), ended)

    def _first(self) -> None:
        first = self.session.first_problem()
        if first is not None:
            self._show_problem(first)

    @changing
    def action_conversation(self) -> None:
        conversations = self.session.conversations
        if len(conversations) < 2:
            self.say("this file holds only one conversation")
            return
        from toolpair.tui.screens.menu import Entry, MenuScreen

        entries = []
        for n in range(len(conversations)):
            label = getattr(conversations[n], "label", None) or f"conversation {n + 1}"
            errors = conversations[n].verdict.errors
            count = f"{count_text(errors, 'problem') if errors else 'no problems':>13}"
            entries.append(Entry(str(n), f"{n + 1:>4}  {count}  {label}"))

        def chosen(value: str | None) -> None:
            if value is not None and int(value) != self.session.current:
                self.session.current = int(value)
                self.overview.current = None
                self._filter = ""
                self.reload(0)
                self._first()

        title = f"{len(conversations):,} conversations"
        self.ask(MenuScreen(title, entries, self.session.current), chosen, of_state=True)
