"""The list of causes: what is in it, and its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from toolpair.tui.numbers import all_text, count_text
from toolpair.tui.overview import Overview, cause_key
from toolpair.tui.screens.base_screen import Hint, hint_line
from toolpair.tui.styled_text import Glyphs, Line, Span

if TYPE_CHECKING:
    from toolpair.session.session import CauseGroup, Problem

_NAMED = 2
"""A group of more tools than that is named by what they share."""


class CauseEntry(Struct, frozen=True, eq=False):
    """One cause, or all that are only notes."""

    groups: tuple[CauseGroup, ...]
    notes: bool

    @property
    def count(self) -> int:
        return sum(len(group.problems) for group in self.groups)

    @property
    def first(self) -> Problem:
        return self.groups[0].problems[0]

    def holds(self, problem: Problem | None) -> bool:
        return any(each is problem for group in self.groups for each in group.problems)

    @property
    def filter_words(self) -> str:
        """The filter that shows only the pairs of this cause."""
        return "is:note" if self.notes else f"cause:{cause_key(self.groups[0])}"


def cause_entries(overview: Overview) -> list[CauseEntry]:
    """The causes in the order of the list; those that break nothing are one entry at its end."""
    groups = [(n, group) for n, group in enumerate(overview.index.groups) if group.problems]
    entries = [CauseEntry((group,), False) for n, group in groups if not overview.index.notes[n]]
    notes = tuple(group for n, group in groups if overview.index.notes[n])
    return [*entries, CauseEntry(notes, True)] if notes else entries


def entry_of(entries: list[CauseEntry], overview: Overview, problem: Problem | None) -> int:
    """The place of the problem's cause in the list; 0 without one."""
    number = overview.index.group_number(problem) if problem is not None else None
    if number is None:
        return 0
    group = overview.index.groups[number]
    return next((n for n, entry in enumerate(entries) if any(each is group for each in entry.groups)), 0)


def entry_lines(overview: Overview, glyphs: Glyphs, entry: CauseEntry, cells: int, digits: int) -> list[Line]:
    """The lines of one entry in that many cells; its bar is not among them."""
    if entry.notes:
        return [
            (
                glyphs.ui(f"· {entry.count:>{digits},}  ", "dim"),
                glyphs.ui(f"{'note' if entry.count == 1 else 'notes'}: nothing breaks", "dim"),
            )
        ]
    group = entry.groups[0]
    sign, style = overview.marker(overview.row_of(entry.first))
    lead = f"{sign} {entry.count:>{digits},}  "
    indent = len(lead)
    title = group.title.rstrip(".")
    if entry.count > 1 and group.tools:
        title += f": {', '.join(group.tools)}" if len(group.tools) <= _NAMED else f", {len(group.tools):,} tools"
    lines = glyphs.paragraph(title, cells, "text", indent=indent, limit=3)
    lines[0] = (glyphs.ui(sign, style), glyphs.ui(lead[len(sign) :], "bold"), *lines[0][1:])
    words = _consequences(group)
    if words:
        lines += glyphs.paragraph(" · ".join(words), cells, "dim", indent=indent, limit=3)
    return lines


def _consequences(group: CauseGroup) -> list[str]:
    words = []
    if group.loses_outputs:
        words.append(f"loses {count_text(group.loses_outputs, 'output')}")
    if group.guesses:
        words.append(f"{group.certain} certain, {count_text(group.guesses, 'guess')}")
    elif group.certain and len(group.problems) > 1:
        words.append(f"{all_text(group.certain)} certain")
    elif not group.certain:
        words.append("no fix is certain")
    return words


def causes_hints(glyphs: Glyphs, entries: list[CauseEntry], entry: int, focused: bool, cells: int) -> Line:
    """The keys of the list."""
    if not entries:
        return ()
    hints: list[Hint] = [("enter", "only these", "only_cause")] if focused else [("tab", "causes", "pane")]
    here = entries[min(entry, len(entries) - 1)]
    if focused and not here.notes and here.groups[0].certain:
        hints.append(("a", f"fix {all_text(here.groups[0].certain)}", "fix_cause"))
    if focused:
        hints.append(("tab", "back", "pane"))
    return hint_line(glyphs, hints, cells)


def title_of(glyphs: Glyphs, entries: list[CauseEntry], cells: int, focused: bool) -> Line:
    count = sum(not entry.notes for entry in entries)
    words = f"Causes ({count:,})" if count > 1 else "Causes"
    line = glyphs.rule(words, cells)
    return (line[0], Span(line[1].text, "title" if focused else "dim", "pane"), *line[2:]) if len(line) > 1 else line
