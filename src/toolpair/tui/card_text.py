"""The text of the card below the list: about the problem under the cursor, or the row if it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from toolpair.reports.reading.call_line import call_line
from toolpair.reports.reading.problem_words import (
    api_text,
    cause_texts,
    known_text,
    loss_text,
    no_fix_text,
    on_resume_text,
    other_ways_text,
    severity_name,
)
from toolpair.rules.binding import without_thinking
from toolpair.session.session import lines_text
from toolpair.text.cells import cut, width, wrap
from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.body import Query
from toolpair.tui.bodies.text_body import NUMBERED, PROSE
from toolpair.tui.numbers import all_text, count_text
from toolpair.tui.overview import Overview, problem_style
from toolpair.tui.row_lines import ROLES, both_ids, carets_below, id_text
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, line_width, spread, with_hits

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, Fix, Problem

PREVIEW_MESSAGES = 5000
"""In a longer history that is checked as a whole a preview is too slow for a key; `p` shows it instead."""
_SEARCHED = 1 << 18
"""Characters of an output in which the match is looked for."""
_LEAD = 13
"""Cells before an id."""
LAST: Final = (
    "fix", "place", "title", "ids", "carets", "on resume", "api", "cause", "note", "why", "ways", "seen", "rule",
)  # fmt: skip
"""The parts of a card. Where lines are short the last goes first."""
NEVER_CUT: Final = LAST[: LAST.index("cause")]
"""The parts that a terminal of 80 x 24 has room for."""
Part = tuple[str, list[Line]]
"""One of those, and its lines."""


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
    if changes and not words:
        words = [f"Changes what is around the {overview.noun}s"]
    return ", ".join(words) + "." if words else ""


def place_text(overview: Overview, problem: Problem, tab: str = "") -> str:
    """The title of the card: which problem, which cause, where. `tab` is the key that leads to the causes, if nothing
    else says so.
    """
    session = overview.session
    number = overview.index.number(problem)
    name = severity_name(problem)
    parts = [f"{name} {number[0]:,} of {number[1]:,}" if number else name]
    cause = overview.index.cause_number(problem)
    if cause is not None and problem.severity == "error" and overview.index.causes > 1:
        parts.append(f"cause {cause:,} of {overview.index.causes:,}{f' ({tab})' if tab else ''}")

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


def _fit(parts: Sequence[Part], height: int, ellipsis: Span, cells: int) -> tuple[list[Line], set[str]]:
    """All lines in order, and the parts that are left out; where there are too many lines, the last of `LAST` first."""
    kept, gone = dict(parts), set[str]()
    while sum(map(len, kept.values())) > height and len(kept) > 1:
        worst = max(kept, key=LAST.index)
        lines = kept[worst]
        if len(lines) > 1 and worst != "ids":  # One id without the other would be misleading.
            kept[worst] = _shorter(lines, ellipsis, cells)
        else:
            gone.add(worst)
            del kept[worst]
    return [line for lines in kept.values() for line in lines][:height], gone


def _lead_bold(span: Span, lead: str) -> tuple[Span, Span]:
    """The span with its first word in bold."""
    rest = SafeText(span.text[len(lead) :])
    return Span(SafeText(span.text[: len(lead)]), f"bold {span.style}".strip()), replace(span, text=rest)


class Card:
    """Builds the card's lines for one width."""

    def __init__(self, overview: Overview, glyphs: Glyphs, cells: int) -> None:
        self.overview = overview
        self.session = overview.session
        self.glyphs = glyphs
        self.cells = cells
        self.query = ""
        """What is searched for: it is shown where the output has it."""
        self.tab = ""
        """The key that leads to the causes, if it is to be said."""
        self._cause_said = False
        """Whether the cause is told beside the carets."""

    def parts(self, problem: Problem) -> list[Part]:
        """All that there is to say of a problem, but the keys."""
        glyphs, cells = self.glyphs, self.cells
        title = glyphs.rule(place_text(self.overview, problem, self.tab), cells)
        if len(title) > 1:
            title = (title[0], replace(title[1], action="pane"), *title[2:])
        sign, _ = self.overview.marker(self.overview.row_of(problem))
        text = glyphs.paragraph(problem.text, cells, "bold", indent=3)
        text[0] = (glyphs.ui(f" {sign} ", problem_style(problem)), *text[0][1:])
        parts: list[Part] = [("place", [title]), ("title", text), *self._ids(problem), *self._consequences(problem)]
        fix = problem.recommended
        if fix is not None:
            parts += self._fix(problem, fix)
        elif problem.guess and problem.fixes:
            words = f"This is a guess, so it is left for you: {glyphs.key('space', 'fix')} shows both sides and asks."
            parts.append(("fix", glyphs.paragraph(words, cells, "warning")))
        elif problem.fixes:
            why = f"No safe fix: {problem.no_fix}" if problem.no_fix else "No fix is recommended:"
            parts.append(("fix", glyphs.paragraph(f"{why} {glyphs.key('f', 'choose')} shows the other ways.", cells)))
        else:
            parts.append(("fix", glyphs.paragraph(f"No fix: {no_fix_text(problem)}", cells)))
        return [*parts, *self._more(problem), ("rule", [(glyphs.ui(f" {problem.rule}", "dim"),)])]

    def needs(self, parts: Sequence[Part]) -> tuple[int, int]:
        """How many lines the card takes with its keys, and how many of them are never cut."""
        keys = 1
        return (
            sum(len(lines) for name, lines in parts if name != "rule") + keys,
            sum(len(lines) for name, lines in parts if name in NEVER_CUT) + keys,
        )

    def problem(self, problem: Problem, parts: Sequence[Part], height: int) -> list[Line]:
        """The card in so many lines, the keys last."""
        glyphs, cells = self.glyphs, self.cells
        rule = (glyphs.ui(f"{problem.rule} ", "dim"),)
        said = [(name, lines) for name, lines in parts if name != "rule"]
        body, gone = _fit(said, height - 1, glyphs.ui(glyphs.ellipsis, "dim"), cells)
        hints = self._hints(problem, "note" in gone)
        if line_width(hints) + line_width(rule) + 2 <= cells:
            hints = spread(hints, rule, cells)
        elif len(body) < height - 1:
            body += dict(parts)["rule"]
        body += [()] * (height - 1 - len(body))
        return [*body, hints]

    def _ids(self, problem: Problem) -> list[Part]:
        glyphs = self.glyphs
        call, result = problem.call, problem.result
        if call is not None and result is not None and call.id != result.id:
            left, right = both_ids(call.id, result.id, glyphs, self.cells - _LEAD)
            # A long id is worth more than its indent.
            lead = min(_LEAD, max(self.cells - max(line_width(left), line_width(right)), len("   result  ")))
            style = problem_style(problem)
            lines: list[Line] = [
                (glyphs.ui(f"{'call':>{lead - 4}}    ".rjust(lead), "dim"), *left),
                (glyphs.ui("result  ".rjust(lead), "dim"), *right),
            ]
            carets = carets_below(left, right)
            if not carets or len(carets) > self.cells - lead:
                return [("ids", lines)]
            line: list[Span] = [glyphs.ui(" " * lead), Span(carets, style)]
            note = glyphs.own(problem.cause.text) if problem.cause is not None else SafeText("")
            space = self.cells - lead - len(carets) - 2
            if note and width(note) <= space:
                self._cause_said = True
                gap = 8 if space - 6 >= width(note) else 2
                line += [Span(SafeText(" " * gap)), Span(note, "dim")]
            return [("ids", lines), ("carets", [tuple(line)])]
        block = call or result
        if block is None:
            return []
        what = "call" if block is call else "result"
        spans: list[Span] = [glyphs.ui(f"     {what}".ljust(_LEAD), "dim"), Span(id_text(block.id))]
        if call is not None:
            tool, words = call_line(call, self.session.conversation.transcript.folder)
            spans.append(glyphs.data(f"   {tool} {words[:400]}", "dim"))
        return [("ids", [self.glyphs.fit(spans, self.cells)])]

    def _consequences(self, problem: Problem) -> list[Part]:
        glyphs, cells = self.glyphs, self.cells
        parts: list[Part] = []
        if problem.on_resume is not None:
            parts.append(("on resume", glyphs.paragraph(on_resume_text(problem.on_resume), cells)))
        says = api_text(problem)
        if says:
            parts.append(("api", glyphs.paragraph(f"The API would say: {says}", cells)))
        return parts

    def _fix(self, problem: Problem, fix: Fix) -> list[Part]:
        glyphs = self.glyphs
        words = [f"Fix: {fix.title}."]
        changed = preview_text(self.overview, problem, fix)
        if changed:
            words.append(changed)
        words.append(loss_text(fix))
        lines = glyphs.paragraph(" ".join(words), self.cells, "warning" if fix.loses else "")
        lines[0] = (lines[0][0], *_lead_bold(lines[0][1], "Fix:"), *lines[0][2:])
        parts: list[Part] = [("fix", lines)]
        note, _ = without_thinking(fix.note)  # The review says that, once.
        if note:
            parts.append(("note", glyphs.paragraph(f"Note: {note.rstrip('.')}.", self.cells, "dim")))
        return parts

    def _more(self, problem: Problem) -> list[Part]:
        glyphs, cells = self.glyphs, self.cells
        parts: list[Part] = []
        if problem.cause is not None:
            words, evidence = cause_texts(problem.cause)
            if not self._cause_said:
                parts.append(("cause", glyphs.paragraph(f"Cause: {words}", cells)))
            if evidence:
                parts.append(("why", glyphs.paragraph(f"Why we think so: {evidence}", cells)))
            known = known_text(problem.cause)
            if known:
                parts.append(("seen", glyphs.paragraph(known, cells)))
        others = other_ways_text(problem)
        if others:
            parts.append(("ways", glyphs.paragraph(f"Other ways: {others}.", cells)))
        return parts

    def _hints(self, problem: Problem, note: bool) -> Line:
        """`note`: what the fix should be read with is not on the card."""
        glyphs = self.glyphs
        hints: list[tuple[str, str, str]] = []
        if problem.recommended is not None or (problem.guess and problem.fixes):
            hints.append(("space", "fix this", "fix"))
        number = self.overview.index.group_number(problem)
        if number is not None:
            group = self.overview.index.groups[number]
            if group.certain > 1:
                hints.append(("a", f"fix {all_text(group.certain)} of this cause", "fix_cause"))
        others = len(problem.fixes) - (problem.recommended is not None)
        if others > 0 or note:
            hints.append(("f", f"{count_text(others, 'other way')}" if others else "the fix", "choose"))
            if note:
                hints[-1] = ("f", f"{hints[-1][1]}, 1 note", "choose")
        if problem.fixes:
            hints.append(("p", "exact bytes", "bytes"))

        hints = [(glyphs.key(key, action), label, action) for key, label, action in hints]

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

    def row(self, n: int | None, height: int) -> list[Line]:
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
                state = "not checked" if session.format.is_described else "a guess"
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
            if row.result is not None:
                lines += self._preview(row.result.text, "   result  ", height)
        else:
            who = {"text": ROLES.get(row.role or "", row.role or ""), "cut": "history lost"}.get(row.kind, row.kind)
            lines.append(glyphs.rule(f"{who}{where}", cells))
            lines += self._words(row.label, height)
        lines = lines[:height]
        hint = self._next(n)
        if hint and len(lines) + 1 < height:
            lines += [()] * (height - 1 - len(lines)) + [hint]
        return lines

    def _next(self, n: int | None) -> Line:
        """Where `]` goes."""
        problem, _ = self.overview.after(n or 0, 1, None)
        if problem is None:
            return ()
        where = self.session.location(problem)
        words = " next note" if problem.severity == "info" else " next problem"
        words = f"{words}: {lines_text(where)}" if where.line is not None else words
        key = self.glyphs.key("]", "problem(1)")
        return (self.glyphs.ui(f" {key}", "key", "problem(1)"), self.glyphs.ui(words, "", "problem(1)"))

    def _words(self, text: str, height: int) -> list[Line]:
        """What a message says, between words."""
        glyphs, out = self.glyphs, []
        for raw in text[: self.cells * 40].strip("\r\n").split("\n")[:height]:
            out += glyphs.paragraph(visible(raw.rstrip("\r")), min(self.cells, PROSE), limit=height)
        most = max(1, height - 1)
        return [*out[: most - 1], (glyphs.ui(" …", "dim"),)] if len(out) > most else out

    def _preview(self, text: str, lead: str, height: int) -> list[Line]:
        glyphs = self.glyphs
        out: list[Line] = []
        pattern = Query(self.query).pattern if self.query else None
        hit = pattern.search(text[:_SEARCHED]) if pattern is not None else None
        if hit is not None and text.count("\n", 0, hit.start()) >= max(1, height - 4):
            text = text[text.rfind("\n", 0, hit.start()) + 1 :]
        rows = text[: self.cells * 40].strip("\r\n").split("\n")
        for raw in rows[: max(1, height - 4)]:
            space = self.cells - len(lead)
            own = NUMBERED.match(raw)
            shown = raw.replace("→", " ", 1) if own is not None else raw
            whole = visible(shown.rstrip("\r"))
            # A single line may have all the room that others would.
            alone = len(rows) == 1 and pattern is None
            for piece in wrap(whole, space)[: max(1, height - 4)] if alone else [whole]:
                line: Line = (Span(cut(piece, space, glyphs.ellipsis)),)
                line = with_hits(line, pattern) if pattern is not None else line
                out.append((glyphs.ui(" " * len(lead) if out else lead, "dim"), *line))
        return out
