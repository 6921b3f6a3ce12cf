"""The lines of the session list."""

from __future__ import annotations

from typing import Final

from toolpair.formats.agent import NOT_UNDERSTOOD, FoundSession
from toolpair.shell.machine import home_short
from toolpair.text.cells import cut_start, fit
from toolpair.text.safe import SafeText, visible
from toolpair.text.short import age_text, size_text
from toolpair.tui.head_text import NOTHING_TO_CHECK
from toolpair.tui.picker_checks import Mark
from toolpair.tui.styled_text import Glyphs, Line, Span, line_width

WIDE: Final = 72
"""Minimum cells for an agent's full name."""
_WITH_SIZE: Final = 100
"""Minimum cells for the size of the file."""
_STYLES: Final = {"stops": "error", "loses": "warning", "ready": "good"}
_AGE: Final = 6
_SIZE: Final = 7


def mark_text(judged: bool, mark: Mark) -> tuple[str, str]:
    """The verdict on a session, in the words of its badge, and their style."""
    if not judged:
        return "…", "dim"
    if mark is None:
        return "NOT READABLE", "warning"
    if mark.badge in NOTHING_TO_CHECK:
        return mark.badge, "dim"
    return mark.badge.removeprefix("RESUMES, "), _STYLES.get(mark.outlook, "")


def row_line(glyphs: Glyphs, found: FoundSession, judged: bool, mark: Mark, now: float, home: str, cells: int) -> Line:
    """One session: verdict, age, agent, project folder, the user's last words, size."""
    sign, style = mark_text(judged, mark) if found.understood else ("not understood", "dim")
    wide = cells >= WIDE
    with_size = cells >= _WITH_SIZE
    mark_cells = 18 if with_size else 16
    agent = found.title if wide else found.title.split()[0]
    agent_cells = 11 if wide else 6
    folder_cells = min(40, cells // 4) if with_size else cells // 5 if wide else cells // 6
    gap = Span(SafeText("  " if wide else " "))
    size: Line = (gap, glyphs.ui(f"{size_text(found.size):>{_SIZE}}", "dim")) if with_size else ()
    used = mark_cells + _AGE + agent_cells + folder_cells + line_width(size) + len(gap.text) * 4
    rest = max(0, cells - 2 - used)
    unknown = "?" if found.described else "…"
    folder = visible(home_short(found.folder, home)) if found.folder else glyphs.own(unknown)
    words = found.words if found.understood else NOT_UNDERSTOOD
    if found.name and words != found.name:
        words = f"{found.name}: {words}" if words else found.name
    said = visible(words) if words else glyphs.own("")
    ellipsis = glyphs.ellipsis
    return (
        Span(SafeText(" ")),
        Span(fit(glyphs.own(sign), mark_cells, ellipsis), style),
        gap,
        glyphs.ui(f"{age_text(now - found.modified):>{_AGE}}", "dim"),
        gap,
        Span(fit(visible(agent), agent_cells, ellipsis)),
        gap,
        Span(fit(cut_start(folder, folder_cells, ellipsis), folder_cells), "tool" if found.here else "dim"),
        gap,
        Span(fit(said, rest, ellipsis)),
        *size,
        Span(SafeText(" ")),
    )


def haystack(found: FoundSession, home: str) -> str:
    """The text that a filter searches."""
    folder = found.folder or ""
    return " ".join(
        (found.title, home_short(folder, home), folder, found.name or "", found.words or "", found.session_id)
    ).lower()
