"""The texts of the review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from toolpair.reports.reading.problem_words import on_resume_text
from toolpair.rules.binding import without_thinking
from toolpair.text.cells import cut, width
from toolpair.text.safe import SafeText, visible
from toolpair.tui.left_text import left_of
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.overview import Overview
from toolpair.tui.styled_text import Glyphs, Line, Span, bar, cut_line, line_width, spread

if TYPE_CHECKING:
    from toolpair.session.session import Problem, Staged, Verdict
    from toolpair.source.changes import Change


_NAME: Final = 31
"""Cells of the names in the table."""
_THINKING: Final = "toolpair explain reasoning.prefix_changed"
_TABLE: Final = 66
"""Columns from which there is one."""


def counted(rows: Iterable[Staged]) -> list[tuple[str, int]]:
    """Each fix that was applied and how often, in the order of the rows."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.title] += row.count
    return list(counts.items())


def alike(problems: Iterable[Problem]) -> list[tuple[int, Problem]]:
    """The first of those that say the same, and how many there are."""
    first: dict[str, Problem] = {}
    counts: Counter[str] = Counter()
    for problem in problems:
        first.setdefault(problem.text, problem)
        counts[problem.text] += 1
    return [(counts[text], problem) for text, problem in first.items()]


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
        return visible(self.session.file.name)

    def _file(self) -> SafeText:
        path = self.session.path
        return self._name() if path is None else visible(path.name)

    def top(self) -> list[Line]:
        glyphs, session, cells, refused = self.glyphs, self.session, self.cells, self.overview.refused
        before, after = self.before, [found.verdict for found in session.conversations]
        title = (glyphs.ui(" Review: nothing is written yet", "title"),)
        size = glyphs.ui(f"  {size_text(session.file.size)} ", "dim")
        room = max(8, cells - line_width(title) - width(size.text) - 2)
        right = (Span(cut(self._name(), room, glyphs.ellipsis), "dim"), size)
        lines: list[Line] = [spread(title, right, cells)]
        if cells >= _TABLE:
            lines.append(self._table("", "now", "after saving", "dim"))
        rules = f"({session.profile.judged} {session.profile.name} rules)"
        who = "Resume refused by the API?" if session.conversation.verdict.native else "Refused by the API?"
        if any(verdict.outlook == "stops" and not verdict.refused for verdict in (*before, *after)):
            who = f"Refused by {session.conversation.transcript.agent or 'its agent'}?"
        now, then = (self._refused(before, refused.now is not None), self._refused(after, refused.after is not None))
        lines.append(self._table(who, now, f"{then}  {rules}"))
        lines.append(self._outputs(before, after))
        lost = session.staging.losses
        lines.append(
            self._table("Outputs, user words removed", "", lost.text or "none", "warning" if lost.text else "")
        )
        lines.append(glyphs.rule(self._changed(), cells))
        return lines

    def _outputs(self, before: Sequence[Verdict], after: Sequence[Verdict]) -> Line:
        """How many outputs the model sees, as bars on one scale."""
        glyphs = self.glyphs
        gone = len(self.session.staging.losses.outputs)
        was, is_ = (sum(verdict.outputs_seen for verdict in verdicts) for verdicts in (before, after))
        total_before = sum(verdict.outputs_total for verdict in before)
        total = sum(verdict.outputs_total for verdict in after) + gone
        placeholders = sum(staged.placeholders for staged in self.session.staged)
        more = f", {count_text(placeholders, 'placeholder')}" if placeholders else ""
        name = "Outputs the model sees"
        if self.cells < _TABLE:
            return self._table(name, f"{was:,} of {total_before:,}", f"{is_:,} of {total:,}{more}")
        most, room = max(total, total_before, 1), self._bar
        style = "warning" if was < most else "dim"
        words = cut(glyphs.own(f" {is_:,}/{total:,}{more}"), self.cells - _NAME - self._column - room, glyphs.ellipsis)
        return (
            glyphs.ui(f" {name:<{_NAME - 2}} ", "dim"),
            Span(bar(glyphs, was, most, room, track=True), style),
            glyphs.ui(f" {was:,}".ljust(self._column - room)),
            Span(bar(glyphs, is_, most, room, track=True), "applied"),
            Span(words),
        )

    def _changed(self) -> str:
        """How much of the file changes."""
        changed = sum(change.count for change in self.changes if change.kind in ("changed", "moved"))
        added = sum(change.kind == "added" for change in self.changes)
        removed = sum(change.count for change in self.changes if change.kind == "removed")
        total = sum(found.document.count for found in self.session.conversations) - added + removed
        same = total - sum(change.count for change in self.changes if change.kind == "changed") - removed
        counted = ((changed, "change"), (added, "added"), (removed, "removed"))
        words = [f"{count_text(n, self.noun) if not at else f'{n:,}'} {_verb(n, verb)}"
                 for at, (n, verb) in enumerate((n, verb) for n, verb in counted if n)]  # fmt: skip
        around = "" if all(change.count for change in self.changes) else ", not what is around them"
        return f"{', '.join([*words, f'{same:,} of {total:,}'])} stay byte for byte{around}"

    @property
    def _bar(self) -> int:
        return 10 if self.cells >= 100 else 6

    @property
    def _column(self) -> int:
        """The cells of what is now."""
        return self._bar + 9

    def _table(self, name: str, now: str, after: str, style: str = "") -> Line:
        glyphs = self.glyphs
        if self.cells < _TABLE:
            words = f" {name}: {now + ' → ' if now else ''}{after}"
            return (Span(cut(glyphs.own(words), self.cells, glyphs.ellipsis), style),)
        rest = cut(glyphs.own(after), self.cells - _NAME - self._column, glyphs.ellipsis)
        return (
            glyphs.ui(f" {name:<{_NAME - 2}} ", "dim"),
            glyphs.ui(f"{now:<{self._column}}", style),
            Span(rest, style),
        )

    def _refused(self, verdicts: Sequence[Verdict], as_pasted: bool) -> str:
        """`as_pasted`: a pasted error says so of one of them."""
        found = {n for n, one in enumerate(verdicts) if one.refused or one.outlook == "stops"}
        found |= {self.overview.refused.conversation} if as_pasted else set()
        if not found or len(verdicts) == 1:
            return "yes" if found else "no"
        return f"yes, {len(found):,} of {len(verdicts):,}"

    def entries(self, shown: Sequence[tuple[Staged, bool]]) -> list[list[Line]]:
        """One entry per decision; the second value says whether it is staged or excluded."""
        return [self._entry(staged, is_in) for staged, is_in in shown]

    def _entry(self, staged: Staged, is_in: bool) -> list[Line]:
        glyphs, cells = self.glyphs, self.cells - 2
        where = f" (conversation {staged.conversation + 1})" if len(self.session.conversations) > 1 else ""
        title = f"[{'x' if is_in else ' '}] {staged.count:>3,} × {staged.title}{where}"
        left = (glyphs.ui(title, "" if is_in else "dim"),)
        if not is_in:
            effects: Line = (glyphs.ui("excluded ", "dim"),)
        else:
            loss = f"LOSES {staged.loses}" if staged.loses else "loses nothing"
            touched = staged.lines_changed + staged.lines_added + staged.lines_removed
            rest = f"   {count_text(touched, self.noun)}"
            if staged.tools:
                tools = list(dict.fromkeys(staged.tools))
                more = f" and {len(tools) - 2} more" if len(tools) > 2 else ""
                rest += f"  {', '.join(tools[:2])}{more}"
            effects = (glyphs.ui(loss, "warning" if staged.loses else "dim"), glyphs.ui(f"{rest} ", "dim"))
        if line_width(left) + line_width(effects) + 2 <= cells:
            return [spread(left, effects, cells)]
        left = (Span(cut(left[0].text, cells, glyphs.ellipsis), left[0].style),)
        indent = Span(SafeText(" " * 10))
        return [left, (indent, *cut_line(effects, max(0, cells - 10)))]

    def left(self) -> list[tuple[str, list[Problem]]]:
        """What is not staged: what only a person can decide, and what is not fixed. Titles and problems."""
        found = left_of(self.session)
        held = self.session.staging.held_back
        sections: list[tuple[str, list[Problem]]] = []
        if found.guesses:
            sections.append((f"left for you: {len(found.guesses):,}", list(found.guesses)))
        if held:
            words = f"{len(held):,} not applied: {held[0].without}"
            sections.append((words, [one.problem for one in held]))
        rest = [*found.unfixed, *found.hopeless]
        notes = sum(each.verdict.infos for each in self.session.conversations)
        counts = [f"{len(rest):,}"] if rest else []
        counts += [f"{count_text(notes, 'note')}, nothing breaks"] if notes else []
        if counts:
            sections.append((f"not fixed: {', and '.join(counts)}", rest))
        return sections

    def problem(self, problem: Problem, count: int = 1) -> list[Line]:
        """Problems that are left and say the same, in one line."""
        times = f"{count:>7,} × " if count > 1 else "      "
        line = cut(self.glyphs.own(f"{times}{problem.text}"), self.cells - 2, self.glyphs.ellipsis)
        return [(Span(line, "text" if problem.severity == "error" else "dim"),)]

    def problem_in_full(self, problem: Problem) -> list[Line]:
        """The same with what it does on resume, and why it is left."""
        glyphs, cells = self.glyphs, self.cells
        lines = glyphs.paragraph(problem.text, cells, "bold", limit=3)
        if problem.on_resume is not None:
            lines += glyphs.paragraph(on_resume_text(problem.on_resume), cells, limit=3)
        held = next((one for one in self.session.staging.held_back if one.problem.key == problem.key), None)
        if held is not None:
            words = f"Not applied: with it {held.without}"
        elif not problem.fixes:
            words = f"No fix: {problem.no_fix or 'none is known.'}"
        elif problem.recommended is None:
            why = problem.no_fix or "None is certain."
            key = glyphs.key("f", "choose")
            words = f"{count_text(len(problem.fixes), 'way')} to fix it: esc, then {key} shows them. {why}"
        else:
            key = glyphs.key("space", "fix")
            words = f"Fix: {problem.recommended.title}. It is not applied: esc, then {key} applies it."
        return lines + glyphs.paragraph(words, cells, "warning", limit=3)

    def rest(self) -> list[Line]:
        glyphs, session, cells = self.glyphs, self.session, self.cells
        lines: list[Line] = []
        if session.file.writable:
            words = f"The save is atomic and verified. Original kept as {self._file()}.toolpair-<date>-<time>.bak"
            lines += glyphs.paragraph(words, cells, limit=2)
        else:
            reason = session.file.writable_reason or "this file cannot be written"
            lines += glyphs.paragraph(f"It can only be saved as a copy. {reason}", cells, "warning", limit=3)
        if thinking := self._thinking_after():
            blocks = count_text(thinking, "thinking block")
            words = f"! Claude may refuse the {blocks} after the first change. f on its problem has a way to drop them."
            lines += glyphs.paragraph(f"{words} More: {_THINKING}", cells, "warning", limit=3)
        for warning in session.warnings:
            lines += glyphs.paragraph(f"! {warning}", cells, "warning", limit=2)
        return lines

    def _thinking_after(self) -> int:
        """The signed blocks that come after something that is fixed."""
        original = self.session.staging.original
        firsts = [
            (row.decisions[0], original[row.conversation].problems) for row in self.session.staged if row.decisions
        ]
        fixes = [found[1] for decision, problems in firsts if (found := decision.find(problems)) is not None]
        return max((without_thinking(fix.note)[1] for fix in fixes), default=0)


def _verb(count: int, verb: str) -> str:
    return "changes" if verb == "change" and count == 1 else verb
