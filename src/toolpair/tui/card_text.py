"""The text of the card below the list: the problem under the cursor, or the row if it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.dialects.block_texts import call_summary
from toolpair.session.session import lines_text
from toolpair.text.cells import cut, width
from toolpair.text.differ import caret_line, differ
from toolpair.text.safe import SafeText, visible
from toolpair.tui.numbers import count_text
from toolpair.tui.overview import Overview
from toolpair.tui.row_lines import ROLES, _spotted, id_text
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, line_width, spread

if TYPE_CHECKING:
    from toolpair.session.session import CauseGroup, Fix, OnResume, PairRow, Problem

PREVIEW_MESSAGES = 5000
"""In a longer history that is checked as a whole a preview is too slow for a key; `p` shows it instead."""
IDS = 3
Part = tuple[int, list[Line]]
"""Priority (0 is highest) and the lines."""


def loss_text(fix: Fix) -> str:
    return f"Loses {fix.loses}." if fix.loses else "Loses nothing."


def on_resume_text(resumed: OnResume) -> str:
    """`On resume Claude Code drops …`."""
    return f"On resume{'' if resumed.text.startswith(resumed.agent) else ':'} {resumed.text}"


def preview_text(overview: Overview, problem: Problem, fix: Fix) -> str:
    """`changes_text`; for a long history only if it is known already, else it is requested."""
    key = (id(problem), fix.id)
    if key not in overview.previews:
        if overview.session.conversation.fixes_are_local:
            overview.wanted = (problem, fix)
            return ""
        learn_preview(overview, problem, fix)
    return overview.previews[key]


def learn_preview(overview: Overview, problem: Problem, fix: Fix) -> None:
    """Compute what the fix would change."""
    overview.previews[id(problem), fix.id] = changes_text(overview, fix)


def changes_text(overview: Overview, fix: Fix) -> str:
    """`Changes 1 line.`, computed from the fix itself."""
    session = overview.session
    if not session.conversation.fixes_are_local and len(session.conversation.transcript.messages) > PREVIEW_MESSAGES:
        return ""
    from toolpair.session.carrying_out import preview

    changes = preview(session.conversation, fix)
    words: list[str] = []
    for kind, verb in (("changed", "Changes"), ("moved", "Moves"), ("added", "Adds"), ("removed", "Removes")):
        count = sum(change.count for change in changes if change.kind == kind)
        if count:
            words.append(f"{verb if not words else verb.lower()} {count_text(count, overview.noun)}")
    return ", ".join(words) + "." if words else ""


def place_text(overview: Overview, problem: Problem) -> str:
    """The title of the card: which problem, which cause, where."""
    session = overview.session
    number = overview.number(problem)
    name = {"error": "Problem", "warning": "Warning"}.get(problem.severity, "Note")
    parts = [f"{name} {number[0]:,} of {number[1]:,}" if number else name]
    cause = overview.cause_number(problem)
    if cause is not None and problem.severity == "error" and overview.causes > 1:
        parts.append(f"cause {cause:,} of {overview.causes:,}")

    where = session.location(problem)
    if where.line is not None:
        parts.append(lines_text(where))
    if where.message is not None:
        parts.append(f"messages.{where.message}")
    return " · ".join(parts)


def _shorter(lines: list[Line], ellipsis: Span, cells: int) -> list[Line]:
    """The lines without the last one, with a sign that one is missing."""
    kept = lines[-2]
    if not kept or kept[-1].text.endswith(ellipsis.text):
        return lines[:-1]
    room = cells - 1 - width(ellipsis.text)
    words = cut_line(kept, room)
    if line_width(kept) > room and words and " " in words[-1].text:
        words = (*words[:-1], replace(words[-1], text=SafeText(words[-1].text.rpartition(" ")[0])))
    return [*lines[:-2], (*words, Span(SafeText(" ")), ellipsis)]


def _fit(parts: list[Part], height: int, ellipsis: Span, cells: int) -> list[Line]:
    """All lines in order, minus those of lowest priority if there are too many."""
    while sum(len(lines) for _, lines in parts) > height:
        worst = max(range(len(parts)), key=lambda n: (parts[n][0], n))
        level, lines = parts[worst]
        if len(lines) > 1 and level not in (0, IDS):  # One id without the other would be misleading.
            parts[worst] = (level, _shorter(lines, ellipsis, cells))
        elif len(parts) > 1:
            del parts[worst]
        else:
            parts[0] = (level, lines[:height])
    return [line for _, lines in parts for line in lines]


class Card:
    """Builds the card's lines for one size."""

    def __init__(self, overview: Overview, glyphs: Glyphs, cells: int, height: int, wide: bool) -> None:
        self.overview = overview
        self.session = overview.session
        self.glyphs = glyphs
        self.cells = cells
        self.height = height
        self.wide = wide

    def problem(self, problem: Problem, row: int) -> list[Line]:
        glyphs, cells = self.glyphs, self.cells
        title = glyphs.rule(place_text(self.overview, problem), cells)
        sign, style = self.overview.marker(self.overview.row_of(problem))
        style = {"error": "error", "warning": "warning"}.get(problem.severity, "dim")
        text = glyphs.paragraph(problem.text, cells, "bold", indent=3, limit=3)
        text[0] = (glyphs.ui(f" {sign} ", style), *text[0][1:])
        parts: list[Part] = [(0, [title]), (1, text)]
        ids, carets = self._ids(problem)
        parts.append((IDS, ids))
        parts.append((4, carets))
        parts += self._consequences(problem)
        fix = problem.recommended
        if fix is not None:
            parts.append((2, self._fix(problem, fix)))
        elif problem.fixes:
            parts.append((2, glyphs.paragraph("No fix is recommended: f shows the other ways.", cells)))
        else:
            why = problem.no_fix or ("nothing breaks." if problem.severity == "info" else "none is known.")
            parts.append((2, glyphs.paragraph(f"No fix: {why}", cells, limit=3)))
        if self.wide:
            parts += self._more(problem)
        hints = self._hints(problem)
        rule = (glyphs.ui(f"{problem.rule} ", "dim"),)
        if line_width(hints) + line_width(rule) + 2 <= cells:
            hints = spread(hints, rule, cells)
        else:
            parts.append((5 if self.wide else 8, [(glyphs.ui(f" {problem.rule}", "dim"),)]))
        body = _fit(parts, self.height - 1, glyphs.ui(glyphs.ellipsis, "dim"), cells)
        body += [()] * (self.height - 1 - len(body))
        return [*body, hints]

    def _ids(self, problem: Problem) -> tuple[list[Line], list[Line]]:
        glyphs = self.glyphs
        call, result = problem.call, problem.result
        room = self.cells - 15
        if call is not None and result is not None and call.id != result.id:
            left, right = id_text(call.id), id_text(result.id)
            difference = differ(left, right)
            lines: list[Line] = [
                (glyphs.ui("     call    ", "dim"), *_spotted(left, difference.left)),
                (glyphs.ui("     result  ", "dim"), *_spotted(right, difference.right)),
            ]
            carets = caret_line(left, right)
            if difference.none or width(carets) > room:
                return lines, []
            line: list[Span] = [glyphs.ui(" " * 13), Span(carets, "error")]
            note = problem.cause.text if problem.cause is not None else ""
            gap = 8 if room - width(carets) - 8 >= width(glyphs.own(note)) else 2
            space = room - width(carets) - gap
            if note and space >= 12:
                line.append(Span(SafeText(" " * gap)))
                line.append(Span(cut(glyphs.own(note), space, glyphs.ellipsis), "dim"))
            return lines, [tuple(line)]
        block = call or result
        if block is None:
            return [], []
        what = "call" if block is call else "result"
        spans: list[Span] = [glyphs.ui(f"     {what}".ljust(13), "dim"), Span(id_text(block.id))]
        if call is not None:
            spans.append(glyphs.data(f"   {call.name or ''} {call_summary(call)[:400]}", "dim"))
        return [self._cut_line(spans)], []

    def _cut_line(self, spans: list[Span]) -> Line:
        if line_width(spans) <= self.cells:
            return tuple(spans)
        ellipsis = self.glyphs.ui("…", "dim")
        return (*cut_line(spans, self.cells - width(ellipsis.text)), ellipsis)

    def _consequences(self, problem: Problem) -> list[Part]:
        glyphs, cells = self.glyphs, self.cells
        parts: list[Part] = []
        limit = 4 if self.wide else 2
        resumed = problem.on_resume
        refused = resumed is None or resumed.effect == "rejected" or problem.impact == "stops"
        says = problem.api_says if refused else None
        if resumed is not None:
            parts.append((5 if says else 4, glyphs.paragraph(on_resume_text(resumed), cells, limit=limit)))
        if says:
            parts.append((4, glyphs.paragraph(f"The API would say: {says}", cells, limit=limit)))
        return parts

    def _fix(self, problem: Problem, fix: Fix) -> list[Line]:
        glyphs = self.glyphs
        words = [f"Fix: {fix.title}."]
        changed = preview_text(self.overview, problem, fix)
        if changed:
            words.append(changed)
        words.append(loss_text(fix))
        if problem.guess:
            words.append("Another fix may be right, so you will be asked.")
        elif not fix.certain:
            words.append("This is a guess, so you will be asked.")
        style = "good" if fix.certain and not problem.guess else "warning"
        lines = glyphs.paragraph(" ".join(words), self.cells, style, limit=3)
        if fix.note:
            lines += glyphs.paragraph(f"Note: {fix.note}", self.cells, "dim", limit=2)
        return lines

    def _more(self, problem: Problem) -> list[Part]:
        glyphs, cells = self.glyphs, self.cells
        parts: list[Part] = []
        if problem.cause is not None:
            words = f"Why we think so: {problem.cause.text.rstrip('.')}."
            if problem.cause.evidence:
                words += f" {problem.cause.evidence[:1].upper()}{problem.cause.evidence[1:].rstrip('.')}."
            parts.append((6, glyphs.paragraph(words, cells, limit=4)))
            known = ", ".join(part for part in (problem.cause.product, problem.cause.link) if part)
            if known:
                lead = "Seen in:" if problem.cause.product else "See"
                parts.append((5, glyphs.paragraph(f"{lead} {known}", cells, limit=2)))
        others = [fix for fix in problem.fixes if fix is not problem.recommended]
        if others:
            ways = "; ".join(f"{fix.title} ({loss_text(fix).rstrip('.').lower()})" for fix in others)
            parts.append((7, glyphs.paragraph(f"Other ways: {ways}.", cells, limit=4)))
        return parts

    def _hints(self, problem: Problem) -> Line:
        glyphs = self.glyphs
        hints: list[tuple[str, str, str]] = []
        if problem.recommended is not None:
            hints.append(("space", "fix this", "fix"))
        number = self.overview.group_number(problem)
        if number is not None:
            group = self.overview.groups[number]
            if group.certain > 1:
                hints.append(("a", f"fix all {group.certain:,} of this cause", "fix_cause"))
        others = len(problem.fixes) - (problem.recommended is not None)
        if others > 0:
            hints.append(("f", f"{count_text(others, 'other way')}", "choose"))
        if problem.fixes:
            hints.append(("p", "exact bytes", "bytes"))

        def size(gap: int) -> int:
            return 1 + sum(len(key) + len(label) + 1 + gap for key, label, _ in hints) - gap

        if size(2) > self.cells:
            hints = [(key, label.replace(" of this cause", ""), action) for key, label, action in hints]
        while size(2) > self.cells and len(hints) > 2:
            del hints[1]
        gap = 4 if size(4) <= self.cells else 2
        spans: list[Span] = [Span(SafeText(" "))]
        for n, (key, label, action) in enumerate(hints):
            piece = [glyphs.ui(key, "key", action), glyphs.ui(f" {label}", "", action)]
            if line_width(spans) + line_width(piece) + (gap if n else 0) > self.cells:
                break
            spans += [Span(SafeText(" " * gap)), *piece] if n else piece
        return tuple(spans)

    def row(self, row: PairRow | None) -> list[Line]:
        """The card for a row without a problem."""
        glyphs, cells, session = self.glyphs, self.cells, self.session
        if row is None:
            return [glyphs.rule("", cells), (glyphs.ui(" Nothing to show here.", "dim"),)]
        lines: list[Line] = []
        where = f" · messages.{row.message}" if row.message is not None else ""
        if row.pair is not None:
            pair = row.pair
            fixed = self.overview.is_fixed(pair)
            state = "fixed, not saved" if fixed and session.changed else "fixed" if fixed else ""
            if not state and self.overview.partial is not None:
                state = "not checked yet"
            if not state:
                state = {"ok": "sound", "pending": "interrupted" if not self.overview.running else "no result yet"}.get(
                    pair.state, pair.state
                )
            lines.append(glyphs.rule(f"Pair {pair.index:,} · {state}{where}", cells))
            block = pair.call or row.result
            if pair.call is not None:
                call = pair.call
                spans = [glyphs.ui("   call    ", "dim"), glyphs.data(call.name or "", "tool"), Span(SafeText(" "))]
                lines.append(self._cut_line([*spans, glyphs.data(call_summary(call)[: cells * 2])]))
            if block is not None:
                lines.append((glyphs.ui("   id      ", "dim"), Span(id_text(block.id))))
            if row.result is not None:
                lines += self._preview(row.result.text, "   result  ")
        else:
            who = {"text": ROLES.get(row.role or "", row.role or ""), "cut": "history lost"}.get(row.kind, row.kind)
            lines.append(glyphs.rule(f"{who}{where}", cells))
            lines += self._preview(row.label, " ")
        return lines[: self.height]

    def _preview(self, text: str, lead: str) -> list[Line]:
        glyphs = self.glyphs
        out: list[Line] = []
        rows = text[: self.cells * 40].strip("\r\n").split("\n")
        for n, raw in enumerate(rows[: max(1, self.height - 4)]):
            space = self.cells - len(lead)
            words = cut(visible(raw.rstrip("\r")), space, glyphs.ellipsis)
            out.append((glyphs.ui(lead if n == 0 else " " * len(lead), "dim"), Span(words)))
        return out


def cause_lines(overview: Overview, glyphs: Glyphs, cells: int, height: int, current: Problem | None) -> list[Line]:
    """The causes, one entry each, with the current one marked; notes are folded into one line."""
    lines: list[Line] = [glyphs.rule("Causes", cells)]
    notes = 0
    here = overview.group_number(current) if current is not None else None
    entries: list[list[Line]] = []
    focus = 0
    for n, group in enumerate(overview.groups):
        if overview.only_notes(n):
            notes += len(group.problems)
            continue
        if n == here:
            focus = len(entries)
        entries.append(_cause_entry(overview, glyphs, cells, group, n == here))
    room = height - 1 - (1 if notes else 0)
    start = 0
    while start < focus and sum(len(entry) for entry in entries[start : focus + 1]) > room:
        start += 1
    body = [line for entry in entries[start:] for line in entry]
    if len(body) > room:
        body = [*body[: room - 1], (glyphs.ui(" … more", "dim"),)]
    lines += body
    if notes:
        lines.append((glyphs.ui(f"  · {count_text(notes, 'note')}: nothing breaks", "dim"),))
    if not entries and not notes:
        lines.append((glyphs.ui("  none" if overview.partial is None else "  not checked yet", "dim"),))
    return lines


def _cause_entry(overview: Overview, glyphs: Glyphs, cells: int, group: CauseGroup, here: bool) -> list[Line]:
    sign, style = overview.marker(overview.row_of(group.problems[0])) if group.problems else ("!", "warning")
    words = [group.title]
    if group.loses_outputs:
        words.append(f"loses {count_text(group.loses_outputs, 'output')}")
    count = len(group.problems)
    if count > 1 and group.tools:
        words.insert(1, group.tools[0] if len(group.tools) == 1 else f"{len(group.tools):,} tools")
    if group.guesses:
        words.append(f"{group.certain} certain, {count_text(group.guesses, 'guess')}")
    elif group.certain and count > 1:
        words.append(f"all {group.certain:,} certain")
    elif not group.certain:
        words.append("no fix is certain")
    lead = f"{'▌' if here else ' '} {sign} {count:,}  "
    body = glyphs.paragraph(" · ".join(words), cells, "bold" if here else "", indent=len(lead), limit=4)
    body[0] = (
        glyphs.ui(lead[0], "key"), glyphs.ui(f" {sign} ", style), glyphs.ui(lead[4:], "bold"), *body[0][1:]
    )  # fmt: skip
    return body
