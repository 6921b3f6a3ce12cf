"""What the model sees, now and at each request before: two keys walk through these in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import BindingType

from toolpair.tui.keys import APP, REQUESTS, VIEWER
from toolpair.tui.screens.base_screen import Hint
from toolpair.tui.screens.viewer import ViewerPage, ViewerScreen, text_page
from toolpair.tui.sees_text import SHORT, line_style, past_text
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.reports.requests_in_time import RequestsInTime
    from toolpair.session.session import Session
    from toolpair.tui.aside import Aside

_NOTHING: Final = "nothing broke in any request"


class SeesScreen(ViewerScreen):
    """The first page shows the request that is walked to; a thread reads what is asked for, and then looks for those
    that broke.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), *VIEWER.bindings(), *REQUESTS.bindings()]

    def __init__(self, title: str, pages: Sequence[ViewerPage], start: int, session: Session) -> None:
        super().__init__(title, pages, start)
        self._session = session
        self._now = self._pages[0]
        self._back = 0
        """How many requests before now is asked for."""
        self._shown = 0
        """How many before now is shown."""
        self._count: int | None = None
        """How many requests there are; None until the file was gone through."""
        self._broken: list[int] = []
        """The requests that first hold something broken, as far as they were looked at."""
        self._looked = False
        """All of them are known."""
        self._reading = False
        self._why_not = ""
        """Why there is nothing to walk through."""
        self._requests: RequestsInTime | None = None
        self._candidates: Iterator[int] | None = None

    def hints(self) -> list[Hint]:
        hints = super().hints()
        if self.query_one("#find").has_class("-open"):
            return hints
        walk: list[Hint] = [(", .", "walk in time", "request(-1)")]
        if self._broken:
            walk.append(("[", "where it broke", "change(-1)"))
        return [*walk, *hints]

    def action_request(self, by: int) -> None:
        """To the request before, or the one after."""
        self._go(self._back - by)

    def action_change(self, by: int) -> None:
        """To the next request that broke, or the one before."""
        if self._count is None or self._why_not:
            self._go(self._back)  # which finds them
            return
        here = self._count + 1 - self._back
        found = [number for number in self._broken if (number > here if by > 0 else number < here)]
        if found:
            self._go(self._count + 1 - (found[0] if by > 0 else found[-1]))
        elif not self._looked:
            self.say("still looking for the requests that broke")
        else:
            where = "after this request" if by > 0 else "before it"
            self.say(f"nothing more broke {where}" if self._broken else _NOTHING)

    def _go(self, back: int) -> None:
        if self._why_not:
            self.say(self._why_not)
            return
        if self._page:
            self.action_page(0)
        most = back if self._count is None else self._count
        if back < 0:
            self.say("this is what would be sent now: , goes to the requests before")
            return
        if back > most:
            self.say("this is the first request")
        self._back = max(0, min(back, most))
        if self._reading:
            return
        if self._count is None or (self._back and self._back != self._shown):
            self.say("reading the file as it was …")
            self._reading = True
            self.in_thread(self._read, "work", self._failed)
        else:
            self._show_now()

    def _show_now(self) -> None:
        if self._back == 0 and self._shown:
            self._put(0, self._now)
            self.say("what would be sent now")

    # in a thread

    def _read(self, aside: Aside) -> None:
        from toolpair.reports.requests_in_time import RequestsInTime

        known = self._requests = self._requests or RequestsInTime(self._session)
        unknown, count = known.unknown, len(known)
        aside.run_in_ui(lambda: self._counted(0 if unknown is not None else count))
        if unknown is not None:
            aside.run_in_ui(lambda: self._ended(unknown))
            return
        candidates = self._candidates = self._candidates or known.may_have_broken()
        while not aside.stopped:
            if self._back and self._back != self._shown:
                self._read_one(aside, known, self._back)
            elif not self._look_at_one(aside, known, candidates):
                break
        aside.run_in_ui(lambda: self._ended(""))

    def _read_one(self, aside: Aside, known: RequestsInTime, back: int) -> None:
        number = len(known) + 1 - back
        text = past_text(self.glyphs, known, number, SHORT)
        page = text_page(f"request {number:,} of {len(known):,}", lambda: text, line_style)

        def show() -> None:
            if self._back == back:
                self._put(back, page)
                self.say(self._about_broken(number))

        aside.run_in_ui(show)

    def _look_at_one(self, aside: Aside, known: RequestsInTime, candidates: Iterator[int]) -> bool:
        """Whether there was one left to look at."""
        number = next(candidates, None)
        if number is None:
            return False
        if known.at(number).wrong:
            aside.run_in_ui(lambda: self._found_broken(number))
        return True

    # in the interface

    def _counted(self, count: int) -> None:
        self._count = count
        self._back = min(self._back, count)

    def _found_broken(self, number: int) -> None:
        self._broken.append(number)
        if self._count is not None:
            self.say(self._about_broken(self._count + 1 - self._shown))

    def _about_broken(self, number: int) -> str:
        first = self._broken[0] if self._broken else None
        if first == number:
            return f"request {number:,}: the first broken one"
        if first is not None:
            return f"the first broken request is {first:,}: [ and ] go to where something broke"
        return _NOTHING if self._looked else ""

    def _ended(self, why_not: str) -> None:
        self._reading = False
        self._looked = True
        self._why_not = why_not
        if why_not or not self._broken:
            self.say(why_not or _NOTHING)
        if self._back != self._shown:
            self._go(self._back)

    def _failed(self, error: Exception) -> None:
        self._reading = False
        self.say(f"that failed: {failure(error)}")

    def _put(self, back: int, page: ViewerPage) -> None:
        """Show it as the first page; who reads at its end stays at the end."""
        self._shown = back
        view = self.view
        at_end = self._page == 0 and view.scroll_offset.y > 0 and view.scroll_offset.y >= view.max_scroll_y
        self._pages[0] = page
        for key in [key for key in self._bodies if key[0] == 0]:
            del self._bodies[key]
        if self._page == 0:
            self._show_page()
            if at_end:
                view.action_edge(1)
        else:
            self.draw()
