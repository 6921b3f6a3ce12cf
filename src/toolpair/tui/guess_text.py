"""Both contents of a guess side by side: what a person needs to see to confirm it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.dialects.block_texts import arguments, text_of
from toolpair.dialects.block_values import as_json
from toolpair.history.link_places import links_of
from toolpair.text.cells import fit
from toolpair.text.safe import SafeText, visible
from toolpair.transcript.edits import InsertResult
from toolpair.tui.row_lines import ROLES, id_text
from toolpair.tui.styled_text import Glyphs, Line, Span

if TYPE_CHECKING:
    from toolpair.history.link_places import End, Link
    from toolpair.session.session import Block, Fix, Pair, Problem, Session

SHOWN_CHARS = 20_000
_KEY: Final = 24
"""Values are aligned in a column if no key is longer, in characters."""
SHOWN_LINES = 12
"""Lines for all the outputs to choose from: each must be visible."""


def _body(session: Session, block: Block | None, as_written: bool) -> list[SafeText]:
    if block is None:
        return [SafeText("(none)")]
    text = _given(block) if as_written else block.text
    return [visible(line.rstrip("\r")) for line in text[:SHOWN_CHARS].split("\n")[:200]]


def _given(call: Block) -> str:
    """The arguments of a call, one below the other. Untrusted."""
    given = arguments(call)
    if not isinstance(given, dict) or not given:
        return as_json(call, indent=2)
    room = max(len(key) for key in given) if all(len(key) < _KEY for key in given) else 0
    said = {key: value if isinstance(value, str) else json.dumps(value, default=str) for key, value in given.items()}
    return "\n".join(f"{key:<{room}}  {value}" for key, value in said.items())


def _output_of(fix: Fix) -> str | None:
    """What the model would read as the result that the fix inserts; None when it inserts none. Untrusted."""
    content = next((edit.content for edit in fix.edits if isinstance(edit, InsertResult)), None)
    return text_of(content) if content is not None else None


def _outputs(session: Session, choices: Sequence[tuple[str, Fix, str]]) -> list[SafeText]:
    """What each choice would insert as the missing result, under its key."""
    found = [(key, text) for key, way, _ in choices if (text := _output_of(way)) is not None]
    lines: list[SafeText] = []
    most = max(1, SHOWN_LINES // max(1, len(found)))
    for key, text in found:
        shown = text[:SHOWN_CHARS].split("\n")
        lines += [SafeText(f"{key}:")] if key else []
        lines += [visible(line.rstrip("\r")) for line in shown[:most]]
        lines += [SafeText(f"({len(shown) - most:,} lines more)")] if len(shown) > most else []
    return lines


def _named(candidates: Sequence[Pair], fix: Fix) -> list[Pair]:
    """The candidates, the one named by the fix first."""
    number = fix.id.rpartition("-")[2]
    return sorted(candidates, key=lambda pair: str(pair.index) != number)


def guess_title(fixes: Sequence[Fix]) -> str:
    """The question for the uncertain fixes."""
    if all(fix.id == "reconnect" for fix in fixes):
        return "This is a guess. Does the later line follow the earlier one?"
    if not all(fix.id.startswith("use-copy") for fix in fixes):
        return "This is a guess. Do these two belong together?"
    if len(fixes) > 1:
        return "Several outputs were found. Which one is this call's?"
    return "This is a guess. Is this the output of the call?"


def guess_lines(
    session: Session,
    glyphs: Glyphs,
    problem: Problem,
    fix: Fix,
    cells: int,
    height: int,
    choices: Sequence[tuple[str, Fix, str]] = (),
) -> list[Line]:
    """The sentence, the choices, then the call on the left and the result on the right.

    Each choice: its key, the fix, what it links.
    """
    call, result = problem.call, problem.result
    other = next((block for block in problem.others if block is not call and block is not result), None)
    if call is None and other is not None and other.kind == "call":
        call = other
    if result is None and other is not None and other.kind == "result":
        result = other
    if problem.pair is not None and problem.pair < len(session.conversation.pairs):
        candidates = session.conversation.pairs[problem.pair].candidates
        named = _named(candidates, fix)
        call = call or next((pair.call for pair in named), None)
        result = result or next((pair.result for pair in named), None)
    lines = glyphs.paragraph(problem.text, cells, "bold", limit=2)
    reason = problem.cause.evidence or problem.cause.text if problem.cause is not None else ""
    if reason:
        lines += glyphs.paragraph(f"Why: {reason}", cells, "dim", limit=2)
    ways = list(choices) or [("", fix, "")]
    for key, way, links in ways:
        lead = f"{key}: " if key else "Fix: "
        words = f"{lead}{way.title}{f': {links}' if links else ''}." + (
            f" Loses {way.loses}." if way.loses else " Loses nothing."
        )
        sure = way.certain and len(ways) > 1
        words = words.replace("..", ".")
        lines += glyphs.paragraph(words + (" Not a guess." if sure else ""), cells, "good" if sure else "warning")
    linked = tuple(links_of(session.conversation.document, fix))
    if linked:
        sides = _ends(linked[0])
    else:
        name = f"call  {call.name or ''}" if call is not None else "call"
        found = "result" if result is not None else "what would be put in"
        calls, results = _body(session, call, True), _body(session, result, False)
        if result is None:
            results = _outputs(session, ways) or results
        sides = (
            _Side(name + _place(session, call), id_text(call.id) if call else SafeText(""), calls),
            _Side(found + _place(session, result), id_text(result.id) if result else SafeText(""), results),
        )
    return lines + _beside(glyphs, sides, cells, height - len(lines))


class _Side(Struct, frozen=True):
    title: str
    """Including the place in the file."""
    note: SafeText
    lines: list[SafeText]


def _place(session: Session, block: Block | None) -> str:
    document = session.conversation.document
    if block is None or block.record not in document:
        return ""
    line = document.line_of(block.record)
    return f" · line {line:,}" if line is not None else ""


def _ends(link: Link) -> tuple[_Side, _Side]:
    """The earlier line on the left, the one that would follow it on the right."""

    def side(end: End | None, what: str) -> _Side:
        if end is None:
            return _Side("the beginning", SafeText(""), [])
        place = f"line {end.line:,}" if end.line is not None else "a line"
        words = [visible(line.rstrip("\r")) for line in end.words[:SHOWN_CHARS].split("\n")[:200]]
        return _Side(f"{place} · {ROLES.get(end.role, end.role)}", SafeText(what), words)

    return side(link.earlier, "would come before"), side(link.later, "would follow it")


def _beside(glyphs: Glyphs, sides: tuple[_Side, _Side], cells: int, height: int) -> list[Line]:
    left = (cells - 5) // 2
    right = cells - 5 - left

    def row(a: SafeText, b: SafeText, style: str = "") -> Line:
        return (
            Span(SafeText(" ")), Span(fit(a, left, glyphs.ellipsis), style), glyphs.ui(" │ ", "rule"),
            Span(fit(b, right, glyphs.ellipsis), style),
        )  # fmt: skip

    one, other = sides
    lines = [row(visible(one.title), visible(other.title), "title"), row(one.note, other.note, "dim")]
    for n in range(max(0, min(max(len(one.lines), len(other.lines)), height - len(lines)))):
        lines.append(row(*(side.lines[n] if n < len(side.lines) else SafeText("") for side in sides)))
    return lines
