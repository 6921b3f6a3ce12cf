"""The gutter of times: when each row was written, how long its call took, the tokens of its response, the size of its
output. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from toolpair.history.row_times import RowTimes
from toolpair.history.summary import PairRow
from toolpair.tui.layout import WIDE
from toolpair.tui.numbers import seconds_text, size_text
from toolpair.tui.styled_text import Glyphs, Line, Span, bar

_AT, _BAR, _TOOK, _TOKENS, _SIZE = 12, 8, 9, 7, 8
_WITH_BARS, _WITH_SIZE = 120, 140
"""Widths of a screen from which durations are also drawn as bars, and from which sizes are shown."""
_SHORTEST, _LONGEST = 0.1, 600.0
"""Seconds of the shortest and the longest bar; between them bars grow with the logarithm."""
_COUNTED = 1 << 16
"""Longer outputs are counted in characters."""
_BACK: Final = 5
"""Rows before one that are asked for the day."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def gutter_width(cells: int, times: RowTimes) -> int:
    """The cells of the gutter on a screen of this width, with the space before it."""
    return sum(width + 1 for _, width in _columns(cells, times))


def _columns(cells: int, times: RowTimes) -> Sequence[tuple[str, int]]:
    columns = [("at", _AT)]
    if cells >= _WITH_BARS:
        columns.append(("", _BAR))
    columns.append(("took", _TOOK))
    if cells >= WIDE and times.has_tokens:
        columns.append(("tokens", _TOKENS))
    if cells >= _WITH_SIZE:
        columns.append(("size", _SIZE))
    return columns


def gutter_titles(glyphs: Glyphs, cells: int, times: RowTimes) -> Line:
    """The names of its columns, on the line above the list."""
    spans: list[Span] = []
    for name, width in _columns(cells, times):
        line = "─" * (width - len(name) - 1 if name else width)
        spans.append(glyphs.ui(f" {line}" if spans else f"─{line}", "rule"))
        spans += [glyphs.ui(f" {name}", "dim")] if name else []
    return tuple(spans)


def gutter_line(
    glyphs: Glyphs, cells: int, times: RowTimes, rows: Sequence[PairRow], order: Sequence[int], at: int
) -> Line:
    """The gutter of the row at a position of `order`; blank where the file does not say."""
    row = rows[order[at]]
    written = _local(times.written(row))
    words: dict[str, str] = {}
    if written is not None:
        earlier = (_local(times.written(rows[order[n]])) for n in range(at - 1, max(-1, at - 1 - _BACK), -1))
        before = next((moment for moment in earlier if moment is not None), None)
        words["at"] = _clock(written, before)
    seconds = times.seconds(row)
    if seconds is not None:
        words["took"] = took_text(seconds)
        words[""] = _took_bar(glyphs, seconds)
    columns = _columns(cells, times)
    if cells >= WIDE and times.has_tokens and not (at and _one_response(row, rows[order[at - 1]])):
        tokens = times.tokens(row)
        words["tokens"] = "" if tokens is None else f"{tokens:,}"
    if cells >= _WITH_SIZE and row.result is not None:
        output = row.result.text
        size = len(output.encode("utf-8", "surrogatepass")) if len(output) < _COUNTED else len(output)
        words["size"] = size_text(size)
    spans: list[Span] = []
    for name, width in columns:
        text = words.get(name, "").rjust(width)
        spans.append(glyphs.ui(f" {text}" if spans else text, "dim" if name else "rule"))
    return tuple(spans)


def _clock(moment: datetime, before: datetime | None) -> str:
    """The time of day; with the day where that is another one than before."""
    if before is not None and before.date() == moment.date():
        return f"{moment:%H:%M:%S}"
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment:%H:%M}"


def _took_bar(glyphs: Glyphs, seconds: float) -> str:
    """How long it took as a bar, as wide as its column."""
    part = math.log(max(seconds, _SHORTEST) / _SHORTEST) / math.log(_LONGEST / _SHORTEST)
    return bar(glyphs, max(1, round(1000 * part)), 1000, _BAR).rstrip(" .").ljust(_BAR)


def took_text(seconds: float) -> str:
    """`0.1 s`, `2 m 40 s`, `12 h`: at most nine cells."""
    words = seconds_text(seconds)
    return words if len(words) <= _TOOK else f"{int(seconds // 3600):,} h"


def _one_response(row: PairRow, before: PairRow) -> bool:
    """Whether the row before has a call of the same response, which has the tokens already."""
    if row.pair is None or before.pair is None or row.pair.call_message is None:
        return False
    return row.pair.call_message == before.pair.call_message


def _local(seconds: float | None) -> datetime | None:
    """The moment by the clock of this machine."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds)
    except (ValueError, OverflowError, OSError):
        return None
