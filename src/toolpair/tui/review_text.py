"""The texts of the review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolpair.text.cells import cut, width
from toolpair.text.safe import SafeText, visible
from toolpair.tui.left_text import left_of
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.overview import Overview
from toolpair.tui.styled_text import Glyphs, Line, Span, line_width, spread

if TYPE_CHECKING:
    from toolpair.session.session import Staged, Verdict
    from toolpair.source.changes import Change


class ReviewText:
    """Builds the lines for one width."""

    def __init__(self, overview: Overview, glyphs: Glyphs, cells: int, changes: Sequence[Change]) -> None:
        """`changes` is everything staged, compared with the file."""
        self.overview = overview
        self.session = overview.session
        self.glyphs = glyphs
        self.cells = cells
        self.changes = changes
        self.before: Sequence[Verdict] = [found.verdict for found in self.session.staging.original]
        self.noun = overview.noun

    def _name(self) -> SafeText:
        session = self.session
        return visible(session.path.name if session.path is not None else session.file.shown_name)

    def top(self) -> list[Line]:
        glyphs, session, cells = self.glyphs, self.session, self.cells
        before, after = self.before, [found.verdict for found in session.conversations]
        title = (glyphs.ui(" Review: nothing is written yet", "title"),)
        size = glyphs.ui(f"  {size_text(session.file.size)} ", "dim")
        room = max(8, cells - line_width(title) - width(size.text) - 2)
        right = (Span(cut(self._name(), room, glyphs.ellipsis), "dim"), size)
        lines: list[Line] = [spread(title, right, cells)]
        if cells >= 66:
            lines.append(self._table("", "now", "after saving", "dim"))
        checked = f"{self._refused(after)}  ({session.profile.judged} {session.profile.name} rules)"
        who = "Resume refused by the API?" if session.conversation.verdict.native else "Refused by the API?"
        if any(verdict.outlook == "stops" and not verdict.refused for verdict in (*before, *after)):
            who = f"Refused by {session.conversation.transcript.agent or 'its agent'}?"
        lines.append(self._table(who, self._refused(before), checked))
        placeholders = self._placeholders()
        lost = session.staging.losses
        seen = self._seen(after, len(lost.outputs))
        if placeholders:
            seen += f", {count_text(placeholders, 'placeholder')}"
        lines.append(self._table("Outputs the model sees", self._seen(before), seen))
        lines.append(
            self._table("Outputs, user words removed", "", lost.text or "none", "warning" if lost.text else "")
        )
        lines.append(())
        return lines

    def _placeholders(self) -> int:
        return sum(staged.placeholders for staged in self.session.staged)

    def _table(self, name: str, now: str, after: str, style: str = "") -> Line:
        glyphs = self.glyphs
        if self.cells < 66:
            words = f" {name}: {now + ' → ' if now else ''}{after}"
            return (Span(cut(glyphs.own(words), self.cells, glyphs.ellipsis), style),)
        rest = cut(glyphs.own(after), self.cells - 48, glyphs.ellipsis)
        return (glyphs.ui(f" {name:<29} ", "dim"), glyphs.ui(f"{now:<16} ", style), Span(rest, style))

    @staticmethod
    def _refused(verdicts: Sequence[Verdict]) -> str:
        refused = sum(verdict.refused or verdict.outlook == "stops" for verdict in verdicts)
        if not refused or len(verdicts) == 1:
            return "yes" if refused else "no"
        return f"yes, {refused:,} of {len(verdicts):,}"

    @staticmethod
    def _seen(verdicts: Sequence[Verdict], gone: int = 0) -> str:
        """ "1,172 of 1,212"; `gone` are outputs that will no longer be in the file."""
        seen = sum(verdict.outputs_seen for verdict in verdicts)
        return f"{seen:,} of {sum(verdict.outputs_total for verdict in verdicts) + gone:,}"

    def entries(self, shown: Sequence[tuple[Staged, bool]]) -> list[list[Line]]:
        """One entry per decision; the second value says whether it is staged or excluded."""
        glyphs, cells = self.glyphs, self.cells - 2
        entries: list[list[Line]] = []
        for staged, is_in in shown:
            effects = []
            if staged.lines_changed:
                effects.append(f"{count_text(staged.lines_changed, self.noun)} changed")
            if staged.lines_added:
                effects.append(f"{count_text(staged.lines_added, self.noun)} added")
            if staged.lines_removed:
                effects.append(f"{count_text(staged.lines_removed, self.noun)} removed")
            effects.append(f"loses {staged.loses}" if staged.loses else "loses nothing")
            if staged.tools:
                tools = list(dict.fromkeys(staged.tools))
                effects.append(", ".join(tools[:3]) + (f" and {len(tools) - 3} more" if len(tools) > 3 else ""))
            where = f" (conversation {staged.conversation + 1})" if len(self.session.conversations) > 1 else ""
            if not is_in:
                effects = ["excluded"]
            title = f"[{'x' if is_in else ' '}] {staged.count:>3,} × {staged.title}{where}"
            left, right = (glyphs.ui(title, "" if is_in else "dim"),), (glyphs.ui("  ".join(effects) + " ", "dim"),)
            if len(title) + len(right[0].text) + 2 <= cells:
                entries.append([spread(left, right, cells)])
            else:
                left = (Span(cut(left[0].text, cells, glyphs.ellipsis), left[0].style),)
                entries.append([left, *glyphs.paragraph("  ".join(effects), cells, "dim", indent=10, limit=2)])
        return entries

    def rest(self) -> list[Line]:
        glyphs, session, cells = self.glyphs, self.session, self.cells
        lines: list[Line] = []
        for words in left_of(session).lines():
            lines += glyphs.paragraph(f"    {words}", cells, "warning", limit=2)
        held = session.staging.held_back
        if held:
            words = f"    {len(held):>3,} not applied: the agent would no longer send {held[0].less}"
            words += f" (and {count_text(len(held) - 1, 'more fix')})" if len(held) > 1 else ""
            lines += glyphs.paragraph(words, cells, "warning", limit=2)
        lines.append(())
        changed = sum(change.count for change in self.changes if change.kind == "changed")
        added = sum(change.kind == "added" for change in self.changes)
        removed = sum(change.count for change in self.changes if change.kind == "removed")
        total = sum(found.document.count for found in session.conversations) - added + removed
        same = total - changed - removed
        lines += glyphs.paragraph(
            f"{same:,} of {count_text(total, self.noun)} stay byte for byte."
            + (" The save is atomic and verified." if session.file.writable else ""),
            cells,
        )
        if session.file.writable:
            backup = f"Original kept as {self._name()}.toolpair-<date>-<time>.bak"
            lines += glyphs.paragraph(backup, cells)
        else:
            reason = session.file.writable_reason or "this file cannot be written"
            lines += glyphs.paragraph(f"It can only be saved as a copy: {reason}", cells, "warning", limit=3)
        for warning in session.warnings:
            lines += glyphs.paragraph(f"! {warning}", cells, "warning", limit=2)
        return lines
