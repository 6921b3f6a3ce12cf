"""The lines of the session list."""

from __future__ import annotations

from typing import Final, NamedTuple

from toolpair.formats.agent import FoundSession
from toolpair.shell.machine import home_short
from toolpair.text.cells import cut_start, fit
from toolpair.text.safe import SafeText, visible
from toolpair.text.short import age_text, size_text
from toolpair.tui.head_text import NOTHING_TO_CHECK
from toolpair.tui.picker_checks import Glimpse, Mark
from toolpair.tui.styled_text import Glyphs, Line, Span, line_width

WIDE: Final = 72
"""Minimum cells for an agent's full name."""
_WITH_SIZE: Final = 100
"""Minimum cells for the size of the file."""
_STYLES: Final = {"stops": "error", "loses": "warning", "ready": "good"}
_LEAD: Final = 7
"""Cells of the names of what was said."""
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
    # Without colour red is a dark grey, and it matters most.
    bold = " bold" if mark.outlook == "stops" else ""
    return mark.badge.removeprefix("RESUMES, "), _STYLES.get(mark.outlook, "") + bold


class _Columns(NamedTuple):
    """The cells of each column; 0 for one that is not shown."""

    verdict: int
    age: int
    agent: int
    folder: int
    words: int
    size: int
    gap: int


def _columns(cells: int) -> _Columns:
    wide, with_size = cells >= WIDE, cells >= _WITH_SIZE
    folder = min(40, cells // 4) if with_size else cells // 5 if wide else cells // 6
    found = _Columns(18 if with_size else 16, _AGE, 11 if wide else 6, folder, 0, _SIZE * with_size, 2 if wide else 1)
    used = sum(found[:-1]) + found.gap * (5 if with_size else 4)
    return found._replace(words=max(0, cells - 2 - used))


ORDERS: Final = ("", "age", "size", "problems", "agent", "folder")
"""How the list can be sorted; at first this folder's sessions come first, then the newest."""
_WORST: Final = {"stops": 0, "loses": 1, "ready": 2}


def sort_key(order: str, found: FoundSession, mark: Mark) -> tuple[object, ...]:
    """Where a session comes in the list."""
    match order:
        case "age":
            return (-found.modified,)
        case "size":
            return (-found.size,)
        case "problems":
            return (3, 0) if mark is None else (_WORST.get(mark.outlook, 3), -mark.errors)
        case "agent":
            return (found.title.lower(),)
        case "folder":
            return (found.folder is None, found.folder or "")
    return ()


def heads_line(glyphs: Glyphs, cells: int, order: str, words: str = "last words") -> Line:
    """The names of the columns, with a sign at the one that the list is sorted by."""
    columns = _columns(cells)
    names = ("verdict", "age", "agent", "folder", words, "size")
    gap = Span(SafeText(" " * columns.gap))
    spans: list[Span] = [Span(SafeText("  "))]
    for name, room in zip(names, columns[:6], strict=True):
        sorted_by = order == {"verdict": "problems"}.get(name, name)
        words = fit(glyphs.own(f"{name}{' ▾' if sorted_by else ''}"), room, glyphs.ellipsis)
        words = SafeText(words.strip().rjust(room)) if name in ("age", "size") else words
        spans += [Span(words, "title" if sorted_by else "dim", "order"), gap] if room else []
    return tuple(spans)


def row_line(glyphs: Glyphs, found: FoundSession, judged: bool, mark: Mark, now: float, home: str, cells: int) -> Line:
    """One session: verdict, age, agent, project folder, the user's last words, size."""
    unchecked = "only shown" if found.shown else "not understood"
    sign, style = mark_text(judged, mark) if found.understood else (unchecked, "dim")
    columns = _columns(cells)
    agent = found.title if cells >= WIDE else found.title.split()[0]
    gap = Span(SafeText(" " * columns.gap))
    size: Line = (gap, glyphs.ui(f"{size_text(found.size):>{_SIZE}}", "dim")) if columns.size else ()
    unknown = "?" if found.described else "…"
    folder = visible(home_short(found.folder, home)) if found.folder else glyphs.own(unknown)
    words = found.why_unchecked or found.words
    if found.name and words != found.name:
        words = f"{found.name}: {words}" if words else found.name
    said = visible(words) if words else glyphs.own("")
    ellipsis = glyphs.ellipsis
    return (
        Span(SafeText(" ")),
        Span(fit(glyphs.own(sign), columns.verdict, ellipsis), style),
        gap,
        glyphs.ui(f"{age_text(now - found.modified):>{_AGE}}", "dim"),
        gap,
        Span(fit(visible(agent), columns.agent, ellipsis)),
        gap,
        Span(fit(cut_start(folder, columns.folder, ellipsis), columns.folder), "tool" if found.here else "dim"),
        gap,
        Span(fit(said, columns.words, ellipsis)),
        *size,
        Span(SafeText(" ")),
    )


def preview_lines(
    glyphs: Glyphs, found: FoundSession, known: bool, glimpse: Glimpse | None, cells: int, most: int
) -> list[Line]:
    """What was said first and last in a session, the verdict on it and the causes, on exactly so many lines."""
    if glimpse is not None:
        said = [("first", glimpse.first), ("last", glimpse.last), ("reply", glimpse.reply)]
    else:
        said = [("last", found.why_unchecked or found.words)]
    verdict: list[Line] = []
    if glimpse is not None:
        verdict = _verdict_lines(glyphs, glimpse, cells)
    elif found.understood:
        verdict = [(glyphs.ui(" cannot be read" if known else " reading …", "dim"),)]
    causes = glimpse.causes if glimpse is not None else ()
    texts = [(lead, visible(words[: cells * most])) for lead, words in said if words]
    free = max(0, most - len(verdict) - len(texts) - len(causes))
    lines: list[Line] = []

    def add(lead: Span, words: str, style: str) -> None:
        """Words after their lead, on more than one line while some are free."""
        nonlocal free
        wide = line_width((lead,))
        first, *more = glyphs.paragraph(words, cells - 1, style, indent=wide, limit=1 + free)
        free -= len(more)
        lines.extend([(lead, *first[1:]), *more])

    for lead, words in texts:
        add(glyphs.ui(f" {lead:<{_LEAD - 1}}", "dim"), words, "text")
    lines += verdict
    digits = max((len(f"{count:,}") for count, _, _ in causes), default=1)
    for count, title, outlook in causes:
        dim = outlook == "ready"
        sign = glyphs.ui(f" {count:>{digits},} × ", "dim" if dim else f"{_STYLES[outlook]} bold")
        add(sign, title, "dim" if dim else "text")
    return [*lines[:most], *([()] * (most - len(lines)))]


def _verdict_lines(glyphs: Glyphs, glimpse: Glimpse, cells: int) -> list[Line]:
    style = "dim" if glimpse.badge in NOTHING_TO_CHECK else _STYLES.get(glimpse.outlook, "")
    said = f"{glimpse.badge}: {glimpse.sentence}" if glimpse.sentence else glimpse.badge
    lines = glyphs.paragraph(said, cells, "text", limit=2)
    indent, *words = lines[0]
    first = words[0].text.removeprefix(glimpse.badge)
    if len(first) < len(words[0].text):
        lines[0] = (indent, glyphs.ui(glimpse.badge, f"{style} bold"), Span(SafeText(first), "text"))
    return lines


def haystack(found: FoundSession, home: str) -> str:
    """The text that a filter searches."""
    folder = found.folder or ""
    return " ".join(
        (found.title, home_short(folder, home), folder, found.name or "", found.words or "", found.session_id)
    ).lower()
