"""The lines of the session list."""

from __future__ import annotations

from typing import Final

from toolpair.formats.agent import NOT_UNDERSTOOD, FoundSession
from toolpair.shell.machine import home_short
from toolpair.text.cells import cut_start, fit
from toolpair.text.safe import SafeText, visible
from toolpair.text.short import age_text, size_text
from toolpair.tui.picker_checks import Mark
from toolpair.tui.styled_text import Glyphs, Line, Span

WIDE: Final = 72
"""Minimum cells for an agent's full name."""
_MARK: Final = 5
_AGE: Final = 6
_SIZE: Final = 7


def mark_text(judged: bool, mark: Mark) -> tuple[str, str]:
    """The marker for what is known of a session's problems, and its style."""
    if not judged:
        return "…", "dim"
    if mark is None:
        return "?", "warning"
    if mark == 0:
        return "✓", "good"
    return (f"≠ {mark}" if mark < 1000 else "≠ 999+"), "error"


def row_line(glyphs: Glyphs, found: FoundSession, judged: bool, mark: Mark, now: float, home: str, cells: int) -> Line:
    """One session: problems, age, agent, project folder, the user's last words, size."""
    sign, style = mark_text(judged, mark)
    wide = cells >= WIDE
    agent = found.title if wide else found.title.split()[0]
    agent_cells = 11 if wide else 6
    folder_cells = min(40, cells // 4) if wide else cells // 5
    gap = Span(SafeText("  " if wide else " "))
    rest = max(0, cells - _MARK - _AGE - agent_cells - folder_cells - _SIZE - len(gap.text) * 5)
    unknown = "?" if found.described else "…"
    folder = visible(home_short(found.folder, home)) if found.folder else glyphs.own(unknown)
    words = found.words if found.understood else NOT_UNDERSTOOD
    said = visible(words) if words else glyphs.own("")
    ellipsis = glyphs.ellipsis
    return (
        Span(fit(glyphs.own(f"{sign:<{_MARK}}"), _MARK, ""), style),
        gap,
        glyphs.ui(f"{age_text(now - found.modified):>{_AGE}}", "dim"),
        gap,
        Span(fit(visible(agent), agent_cells, ellipsis)),
        gap,
        Span(fit(cut_start(folder, folder_cells, ellipsis), folder_cells), "tool" if found.here else "dim"),
        gap,
        Span(fit(said, rest, ellipsis)),
        gap,
        glyphs.ui(f"{size_text(found.size):>{_SIZE}}", "dim"),
    )


def haystack(found: FoundSession, home: str) -> str:
    """The text that a filter searches."""
    folder = found.folder or ""
    return " ".join((found.title, home_short(folder, home), folder, found.words or "", found.session_id)).lower()
