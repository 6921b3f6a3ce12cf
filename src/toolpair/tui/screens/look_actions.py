"""What the main screen does to look at things: open, search, filter, go to a place, copy, judge otherwise."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events

from toolpair.text.safe import visible, visible_text
from toolpair.tui.numbers import count_text
from toolpair.tui.row_search import Test, filter_test, text_test
from toolpair.tui.screens.file_actions import FileActions

if TYPE_CHECKING:
    from toolpair.session import Problem, Target, Transcript
    from toolpair.tui.screens.menu import Entry

SLICE = 0.01
"""Seconds of searching between two looks at the keyboard."""


class LookActions(FileActions):
    """The part of the main screen that changes what is looked at, and never what is staged."""

    _query: str
    _busy: bool
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
        self._ask_where()

    def on_paste(self, event: events.Paste) -> None:
        """A paste on this screen is an error text that somebody wants to be led by."""
        event.stop()
        if event.text.strip() and not self._busy:
            self._ask_where(event.text)

    def _ask_where(self, pasted: str = "") -> None:
        from toolpair.tui.screens.goto import GotoScreen

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

        self.app.push_screen(GotoScreen(look, pasted), given)

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
                offer("place", "path:line", lambda: place, place)
        command = session.resume_command()
        if command:
            offer("resume", "the command to resume", lambda: command, command)

        def chosen(value: str | None) -> None:
            if value is not None:
                self.say(self.tool.copy(visible_text(texts[value]())))

        self.app.push_screen(MenuScreen("Copy", entries), chosen)

    def action_profile(self) -> None:
        from toolpair.tui.screens.profiles import ProfilesScreen

        if self._counted_of is not self.session.transcript:
            self._counted_of, self._counted = self.session.transcript, {}

        def chosen(value: str | None) -> None:
            if value is not None and value != self.session.profile.id:
                self.session.set_profile(value)
                self.overview.current = None
                self._note = f"judged as {value}"
                self.reload()
                self._first()

        self.app.push_screen(ProfilesScreen(self._counted), chosen)

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
