"""Both contents of a guess, side by side: what a person needs to see to confirm it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.text.cells import fit
from toolpair.text.safe import SafeText, visible
from toolpair.tui.row_lines import id_text
from toolpair.tui.spans import Glyphs, Line, Span

if TYPE_CHECKING:
    from toolpair.session import Block, Fix, Problem, Session

SHOWN_CHARS = 20_000


def _body(session: Session, block: Block | None, as_json: bool) -> list[SafeText]:
    if block is None:
        return [SafeText("(none)")]
    text = session.block_json(block) if as_json else session.block_text(block)
    return [visible(line.rstrip("\r")) for line in text[:SHOWN_CHARS].split("\n")[:200]]


def guess_lines(
    session: Session, glyphs: Glyphs, problem: Problem, fix: Fix, cells: int, height: int
) -> list[Line]:  # fmt: skip
    """The sentence, then the call on the left and the result on the right."""
    call, result = problem.call, problem.result
    other = next((block for block in problem.others if block is not call and block is not result), None)
    if call is None and other is not None and other.kind == "call":
        call = other
    if result is None and other is not None and other.kind == "result":
        result = other
    lines = glyphs.paragraph(problem.text, cells, "bold", limit=2)
    reason = problem.cause.evidence or problem.cause.text if problem.cause is not None else ""
    if reason:
        lines += glyphs.paragraph(f"Why: {reason}", cells, "dim", limit=2)
    lines += glyphs.paragraph(f"Fix: {fix.title}." + (f" Loses {fix.loses}." if fix.loses else ""), cells, "warning")
    left = (cells - 5) // 2
    right = cells - 5 - left

    def row(a: SafeText, b: SafeText, style: str = "") -> Line:
        return (
            Span(SafeText(" ")), Span(fit(a, left, glyphs.ellipsis), style), glyphs.ui(" │ ", "rule"),
            Span(fit(b, right, glyphs.ellipsis), style),
        )  # fmt: skip

    name = call.name if call is not None else ""
    lines.append(row(visible(f"call  {name or ''}"), visible("result"), "title"))
    lines.append(row(id_text(call.id) if call else SafeText(""), id_text(result.id) if result else SafeText(""), "dim"))
    calls, results = _body(session, call, True), _body(session, result, False)
    blank = SafeText("")
    for n in range(max(0, min(max(len(calls), len(results)), height - len(lines)))):
        lines.append(row(calls[n] if n < len(calls) else blank, results[n] if n < len(results) else blank))
    return lines
