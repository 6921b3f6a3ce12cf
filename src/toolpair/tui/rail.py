"""The scroll bar of the list, with ticks where problems are, which are found while no key is pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBarRender
from textual.widget import Widget

from toolpair.tui.idle import Idle
from toolpair.tui.overview import Overview, problem_style

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.session import Problem

BREAKS, NOTE = "━", "─"
_ASCII: Final = {BREAKS: "#", NOTE: "-", "┃": " ", "╋": "#", "┿": "-"}
Ticks = Mapping[int, tuple[str, Style]]
"""For a cell of the rail: the sign of the worst that is there, and its style."""


_EXACT: Final = 1000
"""Rows of a list in which each row has a place of its own in the scroll bar. In a longer one a cell stands for many,
and reading a row reads its window.
"""
_ORDER: Final = {"error": 0, "warning": 1, "dim": 2}


class ProblemTicks:
    """One pass over the problems after each change of them."""

    def __init__(self, later: Callable[[float, Callable[[], None]], Timer], found: Callable[[], None]) -> None:
        """`found` is called when all are found."""
        self._found = found
        self._idle = Idle(later)
        self._walk: Sequence[Problem] | None = None
        self.rows: list[tuple[int, str, Problem]] = []
        """The rows with problems, the worst problems first: row, style, problem."""

    def follow(self, overview: Overview) -> None:
        """Begin again if the problems have changed."""
        if overview.walk is not self._walk:
            self._walk = overview.walk
            self._idle.begin(self._find(overview))

    def _find(self, overview: Overview) -> Iterator[None]:
        row_of = overview.row_of if len(overview.rows) <= _EXACT else overview.row_near
        fresh: list[tuple[int, str, Problem]] = []
        for problem in sorted(overview.walk, key=lambda problem: _ORDER[problem_style(problem)]):
            fresh.append((row_of(problem), problem_style(problem), problem))
            yield
        # All at once: the ticks of a half-finished pass would jump.
        self.rows = fresh
        self._found()


class RailRender(ScrollBarRender):
    """A thin thumb, and ticks. Clicking a tick goes there; elsewhere the list scrolls by a page."""

    def __init__(self, ticks: Callable[[int], Ticks], ascii: bool, **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self._ticks = ticks
        self._ascii = ascii

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        size = options.height or console.height
        style = console.get_style(self.style)
        first, last = self._thumb(size)
        ticks = self._ticks(size)
        segments = []
        for y in range(size):
            in_thumb = first <= y < last
            sign, colour = ticks.get(y, (" ", Style()))
            if in_thumb:
                sign = {BREAKS: "╋", NOTE: "┿"}.get(sign, "┃")
            action = f"screen.rail({y}, {size})" if y in ticks else ""
            if not action:
                action = "grab" if in_thumb else "scroll_up" if y < first else "scroll_down"
            drawn = Style(color=style.color if in_thumb else None, bgcolor=style.bgcolor) + colour
            drawn += Style(meta={"@mouse.down": action})
            if self._ascii:
                # The thumb is a coloured area, which terminals without colours show reversed.
                drawn = drawn + Style(reverse=True) if in_thumb else drawn
                sign = _ASCII.get(sign, sign)
            segments.append(Segment(sign, drawn))
        yield Segments(segments, new_lines=True)

    def _thumb(self, size: int) -> tuple[int, int]:
        """The cells of the thumb; none when everything is visible."""
        if not self.window_size or self.virtual_size <= self.window_size:
            return 0, 0
        length = max(1, round(size * self.window_size / self.virtual_size))
        first = round((size - length) * self.position / (self.virtual_size - self.window_size))
        first = max(0, min(first, size - length))
        return first, first + length


def rail(widget: Widget, ticks: Callable[[int], Ticks], ascii: bool) -> None:
    """Draw the vertical bar of `widget` as a rail. `ticks` gets the number of its cells."""
    widget.vertical_scrollbar.renderer = partial(RailRender, ticks, ascii)  # type: ignore[misc, assignment]
