"""The lines of the statistics: tools, what fills the context, the largest outputs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from toolpair.history.statistics import SHARES, LargeOutput, Statistics, ToolNumbers
from toolpair.reports.reading.call_line import tool_name
from toolpair.text.cells import cut, fit, width
from toolpair.text.safe import SafeText, visible, visible_text
from toolpair.tui.numbers import count_text, seconds_text, size_text
from toolpair.tui.styled_text import Glyphs, Line, Span, bar, line_width, spread

WIDE: Final = 76
"""Cells from which on there are bars."""
_BAR: Final = 10
_LEAST_NAME: Final = 24


class Column(Struct, frozen=True):
    """A column of the tools, and what they are sorted by there."""

    title: str
    cells: int
    key: Callable[[ToolNumbers], tuple[float | str, ...]]
    text: Callable[[ToolNumbers], str]
    share: Callable[[ToolNumbers], float] | None = None
    """What its bar shows."""


COLUMNS: Final = (
    Column("tool", 0, lambda tool: (tool.name.lower(),), lambda tool: tool.name),
    Column("calls", 8, lambda tool: (-tool.calls,), lambda tool: f"{tool.calls:,}"),
    Column("failed", 8, lambda tool: (-tool.failed,), lambda tool: f"{tool.failed:,}" if tool.failed else ""),
    Column(
        "took",
        11,
        lambda tool: (-tool.seconds,),
        lambda tool: seconds_text(tool.seconds) if tool.timed else "",
        lambda tool: tool.seconds,
    ),
    Column(
        "output",
        9,
        lambda tool: (-tool.output_bytes,),
        lambda tool: size_text(tool.output_bytes),
        lambda tool: tool.output_bytes,
    ),
)
BY_OUTPUT: Final = len(COLUMNS) - 1
_SHARE_NAMES: Final = {
    "outputs": "outputs", "inputs": "inputs", "agent": "agent", "thinking": "thinking", "you": "you", "other": "other",
}  # fmt: skip


def head_line(glyphs: Glyphs, name: str, found: Statistics | None, done: bool, cells: int) -> Line:
    """What the session is in one line."""
    left = (glyphs.ui(" Statistics   ", "bold"), Span(cut(visible(name), max(8, cells // 4), glyphs.ellipsis), "dim"))
    if found is None:
        return spread(left, (glyphs.ui("reading … ", "dim"),), cells)
    words = [seconds_text(found.seconds)] if found.seconds is not None else []
    words.append(count_text(found.calls, "call") + (f", {found.failed:,} failed" if found.failed else ""))
    if found.usage is not None:
        limit = f" of {_thousands(found.usage.limit)}" if found.usage.limit else ""
        words.append(f"context {_thousands(found.usage.context)}{limit} tokens")
    if not done:
        words.append(f"{count_text(found.messages, 'message')} so far …")
    return spread(left, (glyphs.ui(f"{'   '.join(words)} ", "" if done else "dim"),), cells, glyphs.ellipsis)


def _thousands(count: int) -> str:
    return f"{count:,}" if count < 10_000 else f"{count // 1000:,}k"


def title_line(glyphs: Glyphs, sorted_by: int, names: int, cells: int) -> Line:
    """The names of the columns; that by which the tools are sorted has an arrow."""
    spans: list[Span] = []
    for number, column in enumerate(COLUMNS):
        here = number == sorted_by
        title = f"{column.title}{'↓' if here else ''}"
        style = "title" if here else "dim"
        if not number:
            spans.append(Span(fit(glyphs.own(f"── {title} ──"), names, ""), style, f"sort_by({number})"))
            continue
        spans.append(Span(glyphs.own(title.rjust(column.cells)), style, f"sort_by({number})"))
        if column.share is not None and cells >= WIDE:
            spans.append(Span(SafeText(" " * (_BAR + 1))))
    return tuple(spans)


def name_cells(tools: Sequence[ToolNumbers], cells: int) -> int:
    """The width of the first column: as wide as the longest name, if there is room."""
    bars = sum(column.share is not None for column in COLUMNS) * (_BAR + 1) if cells >= WIDE else 0
    room = max(8, cells - bars - sum(column.cells for column in COLUMNS))
    return min(room, max(_LEAST_NAME, *(width(visible(tool.name)) for tool in tools), 0))


def tool_line(glyphs: Glyphs, tool: ToolNumbers, most: Sequence[float], names: int, cells: int) -> Line:
    """One tool. `most` is the largest share of each column."""
    spans: list[Span] = [Span(fit(visible(tool.name), names, glyphs.ellipsis), "tool")]
    for number, column in enumerate(COLUMNS[1:], 1):
        style = "error" if column.title == "failed" else ""
        spans.append(Span(glyphs.own(column.text(tool).rjust(column.cells)), style))
        if column.share is not None and cells >= WIDE:
            part, whole = (round(value * 1000) for value in (column.share(tool), most[number]))
            spans.append(Span(SafeText(f" {bar(glyphs, part, whole, _BAR)}"), "dim"))
    return tuple(spans)


def most_of(tools: Sequence[ToolNumbers]) -> list[float]:
    return [max(map(column.share, tools), default=0) if column.share is not None else 0 for column in COLUMNS]


def share_lines(glyphs: Glyphs, found: Statistics, cells: int) -> list[Line]:
    """What fills the context, as bars beside each other."""
    total = sum(found.shares.values())
    lines: list[Line] = [glyphs.rule("what fills the context, by bytes", cells)]
    row: list[Span] = []
    for name in sorted(SHARES, key=lambda share: -found.shares[share]):
        part = found.shares[name]
        if not part:
            continue
        percent = f"{100 * part / total:.0f} %" if part * 100 >= total else "< 1 %"
        drawn = SafeText(bar(glyphs, part, total, 2 * _BAR).rstrip(" ."))
        spans = [Span(SafeText(" ")), Span(drawn, "key"), glyphs.ui(f" {_SHARE_NAMES[name]} {percent} ")]
        if row and line_width((*row, *spans)) > cells:
            lines.append(tuple(row))
            row = []
        row += spans
    return [*lines, tuple(row)] if row else [*lines, (glyphs.ui(" nothing", "dim"),)]


def output_line(glyphs: Glyphs, number: int, output: LargeOutput, summary: str, cells: int) -> Line:
    """One of the largest outputs, with its call in a few words."""
    line = (
        glyphs.ui(f"{number:>3}  {size_text(output.bytes):>8}  ", "dim"),
        glyphs.ui(f"{output.pair:>6} ", "dim"),
        Span(cut(visible(tool_name(output.tool)[0]), 30, glyphs.ellipsis), "tool"),
        Span(SafeText(" ")),
        Span(visible(summary)),
    )
    return glyphs.fit(line, cells)


def as_csv(tools: Sequence[ToolNumbers]) -> SafeText:
    """The numbers of all tools, to paste elsewhere."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("tool", "calls", "failed", "unanswered", "seconds", "input_bytes", "output_bytes"))
    for tool in tools:
        seconds = round(tool.seconds, 3) if tool.timed else ""
        row = (tool.calls, tool.failed, tool.unanswered, seconds, tool.input_bytes, tool.output_bytes)
        writer.writerow((visible(tool.name), *row))
    return visible_text(text.getvalue())
