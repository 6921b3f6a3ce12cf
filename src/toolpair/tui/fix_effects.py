"""What a fix writes, as a person reads it: the words of a placeholder, the output that was found, a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.dialects.block_texts import text_of
from toolpair.reports.reading.call_line import call_line, output_line, output_words
from toolpair.reports.reading.row_words import NO_CALL, words_of
from toolpair.reports.reading.titles import call_title
from toolpair.session.decisions import edits_of
from toolpair.text.file_diffs import Row, Side
from toolpair.transcript.edits import InsertMessage, InsertResult, MoveResult, MoveToRole, ReplaceWithText
from toolpair.tui.bodies.diff_body import DiffBody, Note, Part, Title
from toolpair.tui.card_text import is_slow_to_preview
from toolpair.tui.numbers import count_text
from toolpair.tui.row_lines import ROLES

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, Fix, PairRow, Problem
    from toolpair.transcript.model import Block

_LINES: Final = 12
"""Lines shown of a longer text before the bytes."""
_ROWS: Final = 200
"""Rows shown of what is brought back."""
_CHARS: Final = 200
"""Characters shown of a call, and of the first line of an output."""
_INDENT: Final = 11
"""Cells before a line of an output."""
_FREE: Final = 3
"""Lines that may stay free while something is cut."""
_COPY: Final = "use-copy"
"""How the ids of fixes begin that write an output which was found elsewhere."""


class Effect(Struct, frozen=True):
    """`where` it is written, untrusted like the `text`. `new`: the text is not in the history yet."""

    where: str
    text: str
    block: Block | None = None
    """The call that it is the result of, or the block in whose place it stands."""
    new: bool = True
    found: str = ""
    """Where the text was found."""


def effects_of(fix: Fix, folder: str | None = None, text: str | None = None) -> Iterator[Effect]:
    """What is written, piece by piece. `text` replaces a placeholder's; paths in `folder` are shown from there."""
    found = f": {fix.title.removeprefix('use the ')}" if fix.id.startswith(_COPY) else ""
    for edit in edits_of(fix, text):
        match edit:
            case InsertResult(call=call, content=content):
                yield Effect(f"as the result of {call_title(call, folder)}{found}", text_of(content), call, found=found)
            case ReplaceWithText(block=block, text=words):
                yield Effect(f"as text, in place of the {'result' if block.kind == 'result' else 'call'}", words, block)
            case InsertMessage(role=role, text=words):
                said = words if isinstance(words, str) else text_of(words)
                yield Effect(f"as a new message of {_who(role)}", said)
            case MoveResult(result=result, call=call):
                yield Effect(f"after its call, {call_title(call, folder)}", result.text, result, new=False)
            case MoveToRole(block=block, role=role):
                yield Effect(f"in a message of {_who(role)}", block.text, block, new=False)


def _who(role: str) -> str:
    return {"you": "yours", "agent": "the agent's"}.get(ROLES.get(role, role), role)


def pair_parts(call: Block | None, result: Block | None, folder: str | None, lines: int = 1) -> Iterator[Part]:
    """What was called, and so many lines of the output, as parts of a diff."""
    if call is not None:
        yield Note(f"call    {' '.join(call_line(call, folder))[:_CHARS]}", "text")
    if result is not None:
        said = output_words(result.text).strip("\r\n").split("\n")
        more = f"  ({count_text(len(said), 'line')})" if len(said) > lines else ""
        yield Note(f"result  {output_line(said[0][:_CHARS])}{more}", "text")
        yield from (Note(output_line(line[:_CHARS]), "text", _INDENT) for line in said[1:lines])


def brought_back(conversation: Conversation, record: int | None, fix: Fix) -> list[PairRow]:
    """The rows that are in the history again once the record that they are lost at is linked."""
    if is_slow_to_preview(conversation):
        return []
    rows = conversation.rows
    at = next((n for n, row in enumerate(rows) if row.kind == "cut" and row.record == record), None)
    if at is None:
        return []
    after = conversation.apply(edits_of(fix, None)).rows
    return [after[n] for n in range(at, min(len(after), at + min(len(after) - len(rows) + 1, _ROWS)))]


def words_of_row(row: PairRow, folder: str | None) -> tuple[str, str, str]:
    """Who spoke or which tool was called; what was said, or what it did; what came of it."""
    if row.pair is None:
        return f"{ROLES.get(row.role or '', row.role or '')}:", words_of(row.label), ""
    tool, words = call_line(row.pair.call, folder) if row.pair.call is not None else ("", NO_CALL)
    said = output_words(row.result.text).strip().partition("\n")[0] if row.result is not None else ""
    return tool, words, said


def effects_before(
    problem: Problem, fix: Fix, conversation: Conversation, text: str | None = None, lines: int = 1
) -> Iterator[Part]:
    """The pair as it is and what is written, or what is in the history again, as the first parts of a diff, before the
    bytes. `lines` of the output.
    """
    folder = conversation.transcript.folder
    yield from pair_parts(problem.call, problem.result, folder, lines)
    if problem.rule.startswith("chain.") and (back := brought_back(conversation, problem.record, fix)):
        yield Title("What it brings back", change=False)
        most = max(_LINES, lines)
        yield from (Note(" ".join(words_of_row(row, folder))[:_CHARS], "text") for row in back[:most])
        if len(back) > most:
            yield Note(f"and {count_text(len(back) - most, 'more row')}")
    for effect in effects_of(fix, folder, text):
        yield Title(f"{'The model will read' if effect.new else 'Moves'} {effect.where}", change=False)
        said = effect.text.split("\n")
        for line in said[:_LINES]:
            side = Side(None, ((line, "same"),), prose=True)
            yield Row(None, side) if effect.new else Row(side, side)
        if len(said) > _LINES:
            yield Note(f"and {count_text(len(said) - _LINES, 'more line')}")


def filling(make: Callable[..., DiffBody], first: Callable[..., Iterator[Part]], cells: int, room: int) -> DiffBody:
    """A diff that begins with `first`. Where some of `room` lines are free, it shows more of the output, then whole new
    records if they fit.
    """
    best, lines, whole = make(first=first), 1, False
    for _ in range(2):
        best.lay_out(cells)
        free = room - best.rows
        if free <= _FREE:
            break
        lines, whole = (lines + free, False) if lines == 1 else (lines, True)
        body = make(first=partial(first, lines=lines), whole_new=whole)
        body.lay_out(cells)
        best = body if body.rows <= room else best
    return best
