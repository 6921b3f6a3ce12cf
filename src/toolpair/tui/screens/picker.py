"""The list of sessions found on this machine: type to filter, enter opens one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.agents.catalog import described, looked_in, variables
from toolpair.formats.agent import FoundSession
from toolpair.shell.machine import home_short
from toolpair.source.addresses import addressed
from toolpair.source.errors import UnreadableFile
from toolpair.text.cells import cut_start
from toolpair.text.safe import visible
from toolpair.tui.aside import Aside
from toolpair.tui.background_loading import Opening
from toolpair.tui.compared_sides import on_machine
from toolpair.tui.content_search import ContentSearch
from toolpair.tui.keys import PICKER
from toolpair.tui.numbers import count_text
from toolpair.tui.picker_checks import Glimpse, Mark
from toolpair.tui.picker_text import ORDERS, haystack, heads_line, preview_lines, row_line, sort_key
from toolpair.tui.screens.base_screen import BaseScreen, Hint, hint_line
from toolpair.tui.session_list import Sessions
from toolpair.tui.styled_text import Glyphs, Line, Span, spread, with_hits
from toolpair.tui.typed_ahead import EarlyKeys
from toolpair.tui.widgets.field import Field, SafeInput
from toolpair.tui.widgets.row_list import RowList
from toolpair.tui.widgets.text_block import Lines
from toolpair.tui.work import LongTask, failure

if TYPE_CHECKING:
    from textual.timer import Timer

BIG: Final = 20_000_000
"""A file of at least this many bytes is checked after all others."""
BROKEN: Final = "!"
"""The word in the filter that means sessions with problems."""
_PAUSE: Final = 0.1
"""Seconds between redraws while results arrive."""
_REST: Final = 10
"""Times as long as a redraw took until the next one."""
_STILL: Final = 0.15
"""Seconds without a key before the session under the cursor is read for its preview."""
_WITH_PREVIEW: Final = 20
"""Lines of a screen that has a preview."""
_TALLEST: Final = 14
"""Lines of the tallest preview."""
_AROUND: Final = 6
"""Lines that are neither the list's nor the preview's."""
_AT_ONCE: Final = frozenset({"back", "help"})
"""The actions that are possible while there is no list yet, or a session is being opened. Their keys are never kept."""


class _Filter(SafeInput):
    """Letters are typed into it; the keys that move among the sessions are not."""

    keys: Collection[str] = ()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return key not in self.keys and super().check_consume_key(key, character)


class PickerScreen(BaseScreen[None]):
    """Letters go to the filter; `esc` clears it, then returns to the session one came from, or quits."""

    BINDINGS: ClassVar[list[BindingType]] = PICKER.bindings(priority=True)
    DEFAULT_CSS = """
    PickerScreen #empty { height: 1fr; display: none; }
    PickerScreen.-empty #empty { display: block; }
    PickerScreen.-empty RowList, PickerScreen.-empty #heads { display: none; }
    """

    def __init__(self, sessions: Sessions, chosen: Callable[[FoundSession], None] | None = None) -> None:
        """`chosen` is called with a session in place of opening it: the list was asked for one to compare with."""
        super().__init__()
        self._chosen = chosen
        self._marked: FoundSession | None = None
        self._sessions = sessions
        self._home = str(sessions.machine.home)
        self._found: list[FoundSession] = []
        self._shown: list[int] = []
        self._order = ""
        self._texts: dict[int, tuple[FoundSession, str]] = {}
        """Number of a session -> what the filter searches of it."""
        self._is_known = False
        """Whether it is known what there is to list."""
        self._ready_since = 0.0
        """When that became known, by the monotonic clock."""
        self.early = EarlyKeys()
        """For the list, or the session, that comes."""
        self._opening = False
        self._work: LongTask | None = None
        self._search: ContentSearch | None = None
        self._still: Timer | None = None
        self._reading: Aside | None = None
        """What reads a session for its preview."""

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        filter_ = _Filter(id="filter")
        filter_.placeholder = "type to filter"
        filter_.keys = self._keys
        yield Field(self.glyphs, filter_)
        yield Lines(id="heads")
        yield RowList(self.glyphs, self._line)
        yield Lines(id="empty")
        yield Lines(id="bottom")

    @property
    def glyphs(self) -> Glyphs:
        return self.tool.typing_glyphs

    @property
    def _keys(self) -> frozenset[str]:
        """The keys that are not for the filter."""
        return PICKER.held(self.tool.own.keys)

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    @property
    def current(self) -> FoundSession | None:
        """The session under the cursor."""
        cursor = self._list.cursor
        return self._found[self._shown[cursor]] if cursor < len(self._shown) else None

    def on_mount(self) -> None:
        self._judge = self._sessions.judge()
        self._reader = self._sessions.judge()
        self.in_thread(self._look, "sessions")

    def on_unmount(self) -> None:
        self._judge.close()
        self._reader.close()
        if self._search is not None:
            self._search.stop()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return (self._is_ready or action in _AT_ONCE) and super().check_action(action, parameters)

    @property
    def _is_ready(self) -> bool:
        """Whether keys act on the list."""
        return self._is_known and not self._opening

    def on_key(self, event: events.Key) -> None:
        """Keys for what is not there yet are kept, and all later ones with them, in order."""
        own = self.tool.own.keys
        if any(event.key in PICKER.keys_of(key, own).split(",") for key in PICKER.keys if key.action in _AT_ONCE):
            return
        if self._is_ready:
            if self.tool.typed_ahead.let_in < self._ready_since:  # the field was not there yet to get it
                event.stop()
                self.tool.typed_ahead.again([event])
            return
        if self._opening or self.early or event.key in self._keys:
            event.stop()
            self.set_focus(None)
            self.early.keep(event)

    def _to_the_list(self) -> None:
        """Drop the keys that were typed for a session that is no longer being opened."""
        self.early.forget()
        self._opening = False
        self.query_one(SafeInput).focus()

    # results that arrive meanwhile

    def _look(self, aside: Aside) -> None:
        """Find the sessions; read a description of each; then count problems, newest first and big files last."""
        judge = self._judge
        found: list[FoundSession] = []
        try:
            for page, notice in self._sessions.pages():
                if aside.stopped:
                    return
                found += page
                aside.run_in_ui(partial(self._list_them, page, notice))
        except UnreadableFile as error:
            aside.run_in_ui(partial(self._not_listed, error))
        said: list[FoundSession] = []
        first = 0
        pause, drawn = _PAUSE, time.monotonic()
        for one in described(found):
            said.append(one)
            if aside.stopped:
                return
            begun = time.monotonic()
            if begun - drawn > pause:
                aside.run_in_ui(partial(self._describe, first, said[first:]))
                first, drawn = len(said), time.monotonic()
                pause = max(_PAUSE, _REST * (drawn - begun))
        aside.run_in_ui(partial(self._describe, first, said[first:]))
        known = set(self._sessions.marks)
        for one in sorted(said, key=lambda one: one.size >= BIG):
            if _key(one) not in known and not aside.stopped:
                aside.run_in_ui(partial(self._mark, one, judge.judge(one.path) if one.understood else None))
        judge.close()

    def _list_them(self, page: list[FoundSession], notice: str | None) -> None:
        here = self.current
        self._found += page
        self.note = notice or self.note
        if self._is_known:
            # The session that was opened last may only be listed now.
            self._filter(here.path if here is not None and self._list.cursor else self._sessions.last)
            if self._search is not None:
                self.action_search_contents()  # these, too
            return
        self._is_known, self._ready_since = True, time.monotonic()
        self.query_one(SafeInput).focus()
        self._filter(self._sessions.last)
        self.early.type_again(self.tool.typed_ahead)

    def _not_listed(self, error: UnreadableFile) -> None:
        if not self._is_known:
            self._to_the_list()
        self._list_them([], str(error))

    def _describe(self, first: int, said: Sequence[FoundSession]) -> None:
        self._found[first : first + len(said)] = said
        self._came_in()

    def _mark(self, found: FoundSession, mark: Mark) -> None:
        self._sessions.marks[_key(found)] = mark
        if self._order == "problems" or BROKEN in self.query_one(SafeInput).value.lower().split():
            self._came_in()
        else:
            self._list.forget()  # nothing else in a filter asks for problems

    def _is_broken(self, found: FoundSession) -> bool:
        """Whether problems are known in it."""
        mark = self._sessions.marks.get(_key(found))
        return mark is not None and mark.errors > 0

    def _came_in(self) -> None:
        if self.query_one(SafeInput).value or self._order:
            self._filter(self.current.path if self.current is not None else None)
        else:
            self._list.forget()
            self.draw()

    # drawing

    def _line(self, entry: int, cells: int) -> Line:
        found = self._found[self._shown[entry]]
        marks = self._sessions.marks
        key = _key(found)
        search = self._search
        if search is not None:
            found = replace(found, words=search.hits.get(found.path), name=None)
        line = row_line(self.glyphs, found, key in marks, marks.get(key), time.time(), self._home, cells)
        if search is not None:
            line = with_hits(line, search.pattern)
        if self._marked is not None and self._marked.path == found.path:
            return tuple(Span(span.text, f"{span.style} hit".strip(), span.action) for span in line)
        return line

    def lay_out(self, width: int, height: int) -> None:
        glyphs = self.glyphs
        total, shown = len(self._found), len(self._shown)
        search = self._search
        count = f"{shown:,} of {total:,}" if shown < total else count_text(total, "session")
        count = search.progress if search is not None else count
        about = "Sessions, this folder's first" if self._sessions.of is None else f"Sessions in {self._database}"
        title = glyphs.rule(about, max(0, width - len(count) - 4), "title")
        self.query_one("#top", Lines).show([(*title, glyphs.ui(f" {count} ──", "title"))])
        words = "last words" if search is None else "what was said"
        self.query_one("#heads", Lines).show([heads_line(glyphs, width - 2, self._order, words)])
        self.set_class(not shown, "-empty")
        self.query_one("#empty", Lines).show(self._nothing(width) if not shown else [])
        found = self.current
        place: Line = glyphs.rule("", width)
        if found is not None:
            path = visible(home_short(found.path, self._home))
            place = (Span(glyphs.own("── "), "rule"), Span(cut_start(path, max(0, width - 4), glyphs.ellipsis), "dim"))
            place = spread(place, (), width)
        filtered = bool(self.query_one(SafeInput).value)
        leaves = "back" if self.tool.open_sessions.desks else "quit"
        if filtered:
            leaves = "clear the filter" if search is None else "end the search"
        hints: list[Hint] = [
            ("enter", "open" if self._chosen is None else "compare with this", "open"),
            (glyphs.both("↑", "move(-1)", "↓", "move(1)"), "move", ""), ("letters", "filter", ""),
            ("ctrl+f", "search contents", "search_contents"),
            ("]", "next broken", "problem(1)"), ("!", "only broken", "only_broken"),
            ("ctrl+s", "sort", "order"),
            ("ctrl+t", "mark to compare" if self._marked is None else "compare with the marked one", "mark"),
            ("F1", "all keys", "help"),
            ("esc", leaves, "back"),
        ]  # fmt: skip
        if self._opening:
            hints = [("F1", "all keys", "help"), ("esc", "stop", "back")]
        note = self.note or (search.limits if search is not None else "")
        above = glyphs.paragraph(note, width, "warning", limit=3) if note else [place]
        preview = self._preview(found, width, height) if self._found or not self._is_known else []
        self.query_one("#bottom", Lines).show([*above, *preview, hint_line(glyphs, hints, width)])

    def _preview(self, found: FoundSession | None, width: int, height: int) -> list[Line]:
        """That of the session under the cursor; it is read as soon as the cursor rests."""
        if self._still is not None:
            self._still.stop()
            self._still = None
        # What the list leaves empty, whatever is typed.
        free = height - _AROUND - len(self._found) if self._found else 0
        most = min(_TALLEST, max(free, (height - 4) // 4)) if height >= _WITH_PREVIEW else 0
        if found is None or not most:
            return [()] * most
        key, glimpses = _key(found), self._sessions.glimpses
        if key not in glimpses and found.understood:
            self._still = self.later(_STILL, partial(self._read, found))
        return preview_lines(self.glyphs, found, key in glimpses, glimpses.get(key), width, most)

    def _read(self, found: FoundSession) -> None:
        """Read a session for its preview, in place of any other that is still being read."""
        self._still = None
        if self._reading is not None:
            self._reading.stop()
            self._reader.close()
            self._reader = self._sessions.judge()
        reader = self._reader

        def read(aside: Aside) -> None:
            glimpse = reader.glimpse(found.path)
            aside.run_in_ui(lambda: show(glimpse))

        def show(glimpse: Glimpse | None) -> None:
            self._reading = None
            self._sessions.glimpses[_key(found)] = glimpse
            self.draw()

        self._reading = self.in_thread(read, "preview")

    @property
    def _database(self) -> str:
        return visible(os.path.basename(self._sessions.of or ""))

    def _nothing(self, width: int) -> list[Line]:
        glyphs = self.glyphs
        if not self._is_known:
            return [(glyphs.ui(" Looking for sessions …", "dim"),)]
        if self.note:
            return []
        if self._search is not None:
            words = "No session says it. esc ends the search." if self._search.done else "Searching …"
            return glyphs.paragraph(words, width, "warning" if self._search.done else "dim")
        if self._sessions.of is not None and not self._found:
            return glyphs.paragraph(f"There are no sessions in {self._database}.", width, "warning")
        if self._found:
            key = glyphs.key("ctrl+f", "search_contents")
            words = f"No session matches. {key} looks for it in what was said, esc clears the filter."
            return glyphs.paragraph(words, width, "warning")
        lines = glyphs.paragraph("No agent sessions were found on this machine.", width, "warning")
        more = "Sessions elsewhere? toolpair FILE opens any session file, and the agents' own variables are respected"
        lines += glyphs.paragraph(f"{more} ({', '.join(variables())}). Looked in:", width)
        for title, folder in looked_in(self._sessions.machine):
            lines += glyphs.paragraph(f"{title}: {home_short(folder, self._home)}", width, "dim", indent=3, limit=2)
        return lines

    # the filter

    def _filter(self, path: str | None) -> None:
        """Show what matches all words; the cursor moves to the session at `path`, else to the first."""
        words = self.query_one(SafeInput).value.lower().split()
        broken, words = BROKEN in words, [word for word in words if word != BROKEN]
        found, search = self._found, self._search

        def matches(n: int) -> bool:
            if broken and not self._is_broken(found[n]):
                return False
            return found[n].path in search.hits if search is not None else all(word in self._text(n) for word in words)

        self._shown = [n for n in range(len(found)) if matches(n)]
        if self._order:
            marks = self._sessions.marks
            self._shown.sort(key=lambda n: sort_key(self._order, found[n], marks.get(_key(found[n]))))
        cursor = next((place for place, n in enumerate(self._shown) if found[n].path == path), 0) if path else 0
        self._list.show(len(self._shown), cursor)
        self.draw()

    def _text(self, number: int) -> str:
        """What the filter searches of a session."""
        found, known = self._found[number], self._texts.get(number)
        if known is None or known[0] is not found:
            known = self._texts[number] = found, haystack(found, self._home)
        return known[1]

    def on_input_changed(self) -> None:
        self.note = ""
        self._end_search()
        self._filter(None)

    # what was said

    def action_search_contents(self) -> None:
        """Search all listed sessions for the words in the filter; results are shown as they come."""
        self._end_search()
        typed = self.query_one(SafeInput).value.split()
        words = " ".join(word for word in typed if word != BROKEN)
        if not words:
            self.say(f"type what was said, then {self.glyphs.key('ctrl+f', 'search_contents')}")
            return
        found = [one for one in self._found if BROKEN not in typed or self._is_broken(one)]
        self._search = search = ContentSearch(words, self._sessions.judge(), found)

        def on_found() -> None:
            if self._search is search:
                self._came_in()

        self.note = ""
        self.in_thread(lambda aside: search.run(aside, on_found), "contents")
        self._filter(None)

    def _end_search(self) -> None:
        search, self._search = self._search, None
        if search is not None:
            search.stop()

    def on_row_list_moved(self) -> None:
        self.say("")

    def action_move(self, by: int) -> None:
        self._list.move(by)

    def action_page(self, by: int) -> None:
        self._list.action_page(by)

    def action_problem(self, by: int) -> None:
        """Go to the next or previous session with problems."""
        here, count = self._list.cursor, len(self._shown)
        places = ((here + by * step) % count for step in range(1, count + 1))
        found = next((place for place in places if self._is_broken(self._found[self._shown[place]])), None)
        if found is None:
            self.say("no problems are known in any of these sessions")
        else:
            self._list.move_to(found)

    def action_edge(self, by: int) -> None:
        self._list.move_to(0 if by < 0 else len(self._shown) - 1)

    def action_order(self) -> None:
        """Sort by the next column; the cursor stays on its session."""
        here = self.current
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._filter(here.path if here is not None else None)
        self.say(f"sorted by {self._order}" if self._order else "this folder's first, then the newest")

    def action_back(self) -> None:
        field = self.query_one(SafeInput)
        if self._opening and self._work is not None:
            self._work.stopped = True
            self._to_the_list()
            self.say("stopped")
        elif field.value:
            field.value = ""
        elif self.tool.open_sessions.desks:
            self.finish()
        else:
            self.app.exit()

    def action_only_broken(self) -> None:
        """Add the word for broken ones to the filter, or remove it."""
        field = self.query_one(SafeInput)
        words = field.value.split()
        rest = [word for word in words if word != BROKEN]
        field.value = " ".join(rest if BROKEN in words else [*rest, BROKEN])

    # opening

    def action_open(self) -> None:
        found = self.current
        if found is None or self._opening:
            return
        if self._chosen is not None:
            if found.understood:
                chosen = self._chosen
                self.finish()
                chosen(found)
        elif self._has_unsaved(found.path):
            self.finish()
        else:
            self.tool.open_sessions.ask_about_unsaved(
                "Open another session?", "discard them and open it", lambda: self._open(found)
            )

    on_input_submitted = action_open

    on_row_list_chosen = action_open

    def action_mark(self) -> None:
        """Mark the session; with one marked already, compare the two, or unmark it if it is the same."""
        found, marked = self.current, self._marked
        if found is None or self._opening or self._chosen is not None:
            return
        if not found.understood:
            self.note = f"the sessions of this agent are {found.why_unchecked}"
        elif marked is None:
            self._marked = found
            key = self.glyphs.key("ctrl+t", "mark")
            self.note = f"{os.path.basename(found.path)} is marked: {key} on another one compares the two"
        else:
            self._marked, self.note = None, ""
            if marked.path != found.path:
                self._compare(marked, found)
        self._list.forget()
        self.draw()

    def _compare(self, marked: FoundSession, found: FoundSession) -> None:
        from toolpair.tui.screens.compare import CompareScreen

        open = self._sessions.open
        self.open(CompareScreen(on_machine(marked.path, open), on_machine(found.path, open)))

    def _has_unsaved(self, path: str) -> bool:
        """Whether this is the session one came from, and it has unsaved fixes."""
        desk = self.tool.open_sessions.top
        return desk is not None and desk.unsaved and addressed(path) == desk.session.file.address

    def _open(self, found: FoundSession) -> None:
        self._opening = True
        self.tool.open_sessions.sought = self._search.words.lower() if self._search is not None else ""
        self.set_focus(None)
        self.say(f"opening {os.path.basename(found.path)} …")
        self._work = LongTask("reading", found.size)
        opening = Opening(found.path, self._sessions.open)
        self.tool.open_sessions.open_file(self, opening, self._work, lambda error: self._not_opened(found, error))
        self._sessions.last = found.path

    def _not_opened(self, found: FoundSession, error: Exception) -> None:
        self._to_the_list()
        self.note = failure(error).replace(found.path, os.path.basename(found.path))
        self._sessions.marks[_key(found)] = None
        self._list.forget()
        self.draw()


def _key(found: FoundSession) -> tuple[str, float, int]:
    return (found.path, found.modified, found.size)
