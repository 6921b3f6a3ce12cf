"""The text of the card below the list: about the problem under the cursor, or the row if it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.reports.reading.call_line import call_line
from toolpair.reports.reading.problem_words import (
    api_text,
    cause_text,
    known_text,
    loss_text,
    no_fix_text,
    on_resume_text,
    other_ways_text,
    severity_name,
)
from toolpair.session.session import lines_text
from toolpair.text.cells import cut, width
from toolpair.text.differ import caret_line, differ
from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.body import Query
from toolpair.tui.bodies.text_body import NUMBERED, PROSE
from toolpair.tui.numbers import count_text
from toolpair.tui.overview import Overview, problem_style
from toolpair.tui.row_lines import ROLES, id_text, spotted
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, line_width, spread, with_hits

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, Fix, Problem

PREVIEW_MESSAGES = 5000
"""In a longer history that is checked as a whole a preview is too slow for a key; `p` shows it instead."""
IDS = 3
_SEARCHED = 1 << 18
"""Characters of an output in which the match is looked for."""
_ROOMY = 10
"""Lines of a card on a narrow screen from which it also says why, and which other ways there are."""
Part = tuple[int, list[Line]]
"""Priority (0 is highest) and the lines."""


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


def is_slow_to_preview(conversation: Conversation) -> bool:
    """Whether applying one fix takes longer than somebody waits who has not asked for it."""
    return not conversation.fixes_are_local and len(conversation.transcript.messages) > PREVIEW_MESSAGES


def changes_text(overview: Overview, fix: Fix) -> str:
    """`Changes 1 line.`, computed from the fix itself."""
    session = overview.session
    if is_slow_to_preview(session.conversation):
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
    number = overview.index.number(problem)
    name = severity_name(problem)
    parts = [f"{name} {number[0]:,} of {number[1]:,}" if number else name]
    cause = overview.index.cause_number(problem)
    if cause is not None and problem.severity == "error" and overview.index.causes > 1:
        parts.append(f"cause {cause:,} of {overview.index.causes:,}")

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


def _lead_bold(span: Span, lead: str) -> tuple[Span, Span]:
    """The span with its first word in bold."""
    rest = SafeText(span.text[len(lead) :])
    return Span(SafeText(span.text[: len(lead)]), f"bold {span.style}".strip()), replace(span, text=rest)


class Card:
    """Builds the card's lines for one size."""

    def __init__(self, overview: Overview, glyphs: Glyphs, cells: int, height: int, wide: bool) -> None:
        self.overview = overview
        self.session = overview.session
        self.glyphs = glyphs
        self.cells = cells
        self.height = height
        self.roomy = wide or height > _ROOMY
        self.query = ""
        """What is searched for: it is shown where the output has it."""
        self.previewed = False
        """Whether the pair is shown in full somewhere else."""

    def problem(self, problem: Problem, row: int) -> list[Line]:
        glyphs, cells = self.glyphs, self.cells
        title = glyphs.rule(place_text(self.overview, problem), cells)
        if len(title) > 1:
            title = (title[0], replace(title[1], action="pane"), *title[2:])
        sign, _ = self.overview.marker(self.overview.row_of(problem))
        style = problem_style(problem)
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
        elif problem.guess and problem.fixes:
            words = "This is a guess, so it is left for you: space shows both sides and asks."
            parts.append((2, glyphs.paragraph(words, cells, "warning", limit=2)))
        elif problem.fixes:
            why = f"No safe fix: {problem.no_fix}" if problem.no_fix else "No fix is recommended:"
            parts.append((2, glyphs.paragraph(f"{why} f shows the other ways.", cells, limit=3)))
        else:
            parts.append((2, glyphs.paragraph(f"No fix: {no_fix_text(problem)}", cells, limit=3)))
        if self.roomy:
            parts += self._more(problem)
        hints = self._hints(problem)
        rule = (glyphs.ui(f"{problem.rule} ", "dim"),)
        if line_width(hints) + line_width(rule) + 2 <= cells:
            hints = spread(hints, rule, cells)
        else:
            parts.append((5 if self.roomy else 8, [(glyphs.ui(f" {problem.rule}", "dim"),)]))
        body = _fit(parts, self.height - 1, glyphs.ui(glyphs.ellipsis, "dim"), cells)
        body += [()] * (self.height - 1 - len(body))
        return [*body, hints]

    def _ids(self, problem: Problem) -> tuple[list[Line], list[Line]]:
        glyphs = self.glyphs
        call, result = problem.call, problem.result
        room = self.cells - 15
        if call is not None and result is not None and call.id != result.id:
            left, right = id_text(call.id), id_text(result.id)
            difference, style = differ(left, right), problem_style(problem)
            lines: list[Line] = [
                (glyphs.ui("     call    ", "dim"), *spotted(left, difference.left, style)),
                (glyphs.ui("     result  ", "dim"), *spotted(right, difference.right, style)),
            ]
            carets = caret_line(left, right)
            if difference.none or width(carets) > room:
                return lines, []
            line: list[Span] = [glyphs.ui(" " * 13), Span(carets, style)]
            note = problem.cause.text if problem.cause is not None else ""
            gap = 8 if room - width(carets) - 8 >= width(glyphs.own(note)) else 2
            space = room - width(carets) - gap
            if width(glyphs.own(note)) > space and self.roomy:
                space = 0  # it is said again, as the reason
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
            tool, words = call_line(call, self.session.conversation.transcript.folder)
            spans.append(glyphs.data(f"   {tool} {words[:400]}", "dim"))
        return [self.glyphs.fit(spans, self.cells)], []

    def _consequences(self, problem: Problem) -> list[Part]:
        glyphs, cells = self.glyphs, self.cells
        parts: list[Part] = []
        limit = 4 if self.roomy else 2
        resumed = problem.on_resume
        says = api_text(problem)
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
        lines = glyphs.paragraph(" ".join(words), self.cells, "warning" if fix.loses else "", limit=3)
        lines[0] = (lines[0][0], *_lead_bold(lines[0][1], "Fix:"), *lines[0][2:])
        if fix.note:
            lines += glyphs.paragraph(f"Note: {fix.note}", self.cells, "dim", limit=2)
        return lines

    def _more(self, problem: Problem) -> list[Part]:
        glyphs, cells = self.glyphs, self.cells
        parts: list[Part] = []
        if problem.cause is not None:
            words = f"Why we think so: {cause_text(problem.cause)}"
            parts.append((6, glyphs.paragraph(words, cells, limit=4)))
            known = known_text(problem.cause)
            if known:
                parts.append((5, glyphs.paragraph(known, cells, limit=2)))
        others = other_ways_text(problem)
        if others:
            parts.append((7, glyphs.paragraph(f"Other ways: {others}.", cells, limit=4)))
        return parts

    def _hints(self, problem: Problem) -> Line:
        glyphs = self.glyphs
        hints: list[tuple[str, str, str]] = []
        if problem.recommended is not None or (problem.guess and problem.fixes):
            hints.append(("space", "fix this", "fix"))
        number = self.overview.index.group_number(problem)
        if number is not None:
            group = self.overview.index.groups[number]
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

    def row(self, n: int | None) -> list[Line]:
        """The card for a row without a problem."""
        glyphs, cells, session = self.glyphs, self.cells, self.session
        row = self.overview.rows[n] if n is not None and n < len(self.overview.rows) else None
        if row is None:
            return [glyphs.rule("", cells), (glyphs.ui(" Nothing to show here.", "dim"),)]
        lines: list[Line] = []
        where = f" · messages.{row.message}" if row.message is not None else ""
        if row.pair is not None:
            pair = row.pair
            fixed = self.overview.is_fixed(pair)
            state = "fixed, not saved" if fixed and session.changed else "fixed" if fixed else ""
            if session.format.is_guess:
                state = "a guess"
            elif not state and self.overview.partial is not None:
                state = "not checked yet"
            if not state:
                state = {"ok": "sound", "pending": "interrupted" if not self.overview.running else "no result yet"}.get(
                    pair.state, pair.state
                )
            lines.append(glyphs.rule(f"Pair {pair.index:,} · {state}{where}", cells))
            block = pair.call or row.result
            if pair.call is not None:
                tool, words = call_line(pair.call, session.conversation.transcript.folder)
                spans = [glyphs.ui("   call    ", "dim"), glyphs.data(tool, "bold"), Span(SafeText(" "))]
                lines.append(glyphs.fit([*spans, glyphs.data(words[: cells * 2])], cells))
            if block is not None:
                lines.append((glyphs.ui("   id      ", "dim"), Span(id_text(block.id))))
            places = [self._line_of(each.record) for each in (pair.call, row.result) if each is not None]
            if self.previewed and None not in places:
                noun = f"{self.overview.noun}s" if len(places) > 1 else self.overview.noun
                lines.append((glyphs.ui(f"   {noun:<8}", "dim"), glyphs.ui(" and ".join(map(str, places)))))
            elif row.result is not None:
                lines += self._preview(row.result.text, "   result  ")
        else:
            who = {"text": ROLES.get(row.role or "", row.role or ""), "cut": "history lost"}.get(row.kind, row.kind)
            lines.append(glyphs.rule(f"{who}{where}", cells))
            if not self.previewed or row.kind != "text":
                lines += self._words(row.label)
        lines = lines[: self.height]
        hint = self._next(n)
        if hint and len(lines) + 1 < self.height:
            lines += [()] * (self.height - 1 - len(lines)) + [hint]
        return lines

    def _line_of(self, record: int) -> str | None:
        document = self.session.conversation.document
        line = document.line_of(record) if record in document else None
        return None if line is None else f"{line:,}"

    def _next(self, n: int | None) -> Line:
        """Where `]` goes."""
        problem, _ = self.overview.after(n or 0, 1, None)
        if problem is None:
            return ()
        where = self.session.location(problem)
        words = f" next problem: {lines_text(where)}" if where.line is not None else " next problem"
        return (self.glyphs.ui(" ]", "key", "problem(1)"), self.glyphs.ui(words, "", "problem(1)"))

    def _words(self, text: str) -> list[Line]:
        """What a message says, between words."""
        glyphs, out = self.glyphs, []
        for raw in text[: self.cells * 40].strip("\r\n").split("\n")[: self.height]:
            out += glyphs.paragraph(visible(raw.rstrip("\r")), min(self.cells, PROSE), limit=self.height)
        most = max(1, self.height - 1)
        return [*out[: most - 1], (glyphs.ui(" …", "dim"),)] if len(out) > most else out

    def _preview(self, text: str, lead: str) -> list[Line]:
        glyphs = self.glyphs
        out: list[Line] = []
        pattern = Query(self.query).pattern if self.query else None
        hit = pattern.search(text[:_SEARCHED]) if pattern is not None else None
        if hit is not None and text.count("\n", 0, hit.start()) >= max(1, self.height - 4):
            text = text[text.rfind("\n", 0, hit.start()) + 1 :]
        rows = text[: self.cells * 40].strip("\r\n").split("\n")
        for n, raw in enumerate(rows[: max(1, self.height - 4)]):
            space = self.cells - len(lead)
            own = NUMBERED.match(raw)
            shown = raw.replace("→", " ", 1) if own is not None else raw
            line: Line = (Span(cut(visible(shown.rstrip("\r")), space, glyphs.ellipsis)),)
            line = with_hits(line, pattern) if pattern is not None else line
            out.append((glyphs.ui(lead if n == 0 else " " * len(lead), "dim"), *line))
        return out
