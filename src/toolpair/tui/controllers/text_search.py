"""The text search: moves the cursor between matches, which become known as they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.tui.controllers.background_search import BackgroundSearch
from toolpair.tui.numbers import count_text
from toolpair.tui.row_search import text_row_filter, text_test
from toolpair.tui.searching import RowSearch

if TYPE_CHECKING:
    from toolpair.tui.controllers.owner import Owner


class TextSearch:
    """The last search; `query` is empty when there is none."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.query = ""
        self._running: BackgroundSearch | None = None
        """The search for `query`, running or done."""

    def ask(self) -> None:
        from toolpair.tui.screens.prompt import PromptScreen

        def given(query: str | None) -> None:
            if query is None:
                return
            self._owner.stop_looking()
            self._mark(query)
            if query:
                self.go(1)
            else:
                self._owner.say("")

        notes = ["Searches text, tools and ids in all rows. A capital letter makes it match case."]
        self._owner.ask(PromptScreen("Find", self.query, notes, "find"), given)

    def _mark(self, query: str) -> None:
        """Highlight this text in all rows."""
        self.query = self._owner.pairs.query_text = query
        self._owner.pairs.forget()

    def clear(self) -> None:
        """Remove the highlighting."""
        self._mark("")
        self._owner.say("")

    def go(self, by: int) -> None:
        """Go to the next match; if none is known yet, search from the cursor on."""
        if not self.query:
            self._owner.say("nothing to look for yet. / finds text")
            return
        if self._running is None:
            self._look(by)
            return
        search, row = self._running.search, self._owner.pairs.row_index or 0
        hit, around = search.next(row, by)
        if hit is None:
            self._owner.say(self._not_found(search))
        elif around and not search.done:
            found = count_text(len(search.hits), "match")
            self._owner.say(f"{self.query}: {found} so far, {search.percent} % searched")
        else:
            self._go_to_hit(search, hit, around)

    def _look(self, by: int) -> None:
        owner, query, pairs = self._owner, self.query, self._owner.pairs
        test, row_filter = text_test(owner.overview, query), text_row_filter(owner.overview, query)
        search = RowSearch(pairs.shown, pairs.cursor, by, test, owner.tool.last_key, row_filter)
        moved = False

        def on_found() -> None:
            nonlocal moved
            if search.first is not None and not moved:
                moved = True
                self._go_to_hit(search, search.first, False)
            elif not moved:
                owner.say(self._not_found(search))
            elif owner.note.startswith(query):
                owner.say(self._hit_text(search, pairs.row_index or 0))

        self._running = BackgroundSearch(owner, search, on_found)

    def _not_found(self, search: RowSearch) -> str:
        if search.done:
            return f"not found{self._owner.overview.so_far}: {self.query}"
        return f"searching for {self.query}: {search.percent} %, esc stops"

    def _hit_text(self, search: RowSearch, row: int) -> str:
        if not search.done:
            return f"{self.query}: {count_text(len(search.hits), 'match')} so far, {search.percent} %, esc stops"
        return f"{self.query}: match {search.number(row):,} of {len(search.hits):,}"

    def _go_to_hit(self, search: RowSearch, row: int, around: bool) -> None:
        self._owner.row_filter.go_to_row(row)
        self._owner.note = self._hit_text(search, row) + (" (wrapped around)" if around else "")
        self._owner.redraw()

    def stop(self) -> bool:
        """Drop the results but keep the query. Returns whether the search was still running."""
        running, self._running = self._running, None
        return running is not None and running.stop()
