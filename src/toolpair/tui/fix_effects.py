"""What a fix writes, as a person reads it: the words of a placeholder, the output that was found, a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
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
_CHARS: Final = 200
"""Characters shown of a call, and of the first line of an output."""
_INDENT: Final = 11
"""Cells before a line of an output."""
_DEEPEST: Final = 24
"""Cells at most that a line of code is indented besides."""
_BACK: Final = 200
"""Rows of a lost history that are looked at."""
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
        for line in said[1:lines]:
            line = output_line(line).expandtabs(4)
            words = line.lstrip(" ")
            deep = len(line) - len(words)
            yield Note(words[:_CHARS], "text", _INDENT + min(deep, _DEEPEST))


class EffectsBefore:
    """The pair as it is and what is written, or what comes back, as the first parts of a diff, before the bytes."""

    def __init__(self, problem: Problem, fix: Fix, conversation: Conversation, text: str | None = None) -> None:
        self._problem = problem
        self._fix = fix
        self._conversation = conversation
        self._text = text

    def __call__(self, lines: int = 1) -> Iterator[Part]:
        """`lines` of the output."""
        folder = self._conversation.transcript.folder
        yield from pair_parts(self._problem.call, self._problem.result, folder, lines)
        for effect in effects_of(self._fix, folder, self._text):
            yield Title(f"{'The model will read' if effect.new else 'Moves'} {effect.where}", change=False)
            written = effect.text.split("\n")
            for line in written[:_LINES]:
                side = Side(None, ((line, "same"),), prose=True)
                yield Row(None, side) if effect.new else Row(side, side)
            if len(written) > _LINES:
                yield Note(f"and {count_text(len(written) - _LINES, 'more line')}")
        if self._back:
            yield Title("The model will read again", change=False)
        for row in self._back[:_LINES]:
            who, words, said = row_words(row, folder)
            yield Note(f"{who} {words}  {said}".rstrip(), "text")
        if len(self._back) > _LINES:
            yield Note(f"and {count_text(len(self._back) - _LINES, 'more row')}")

    @cached_property
    def _back(self) -> list[PairRow]:
        found = self._problem
        return [] if found.call or found.result else brought_back(self._conversation, found.record, self._fix)


def brought_back(conversation: Conversation, record: int | None, fix: Fix) -> list[PairRow]:
    """The rows that are in the history again once it is linked at the record, if the history is lost before it."""
    rows = conversation.rows
    at = next((n for n, row in enumerate(rows) if row.kind == "cut" and row.record == record), None)
    if at is None or is_slow_to_preview(conversation):
        return []
    after = conversation.apply(edits_of(fix, None)).rows
    return [after[n] for n in range(at, min(len(after), at + min(len(after) - len(rows) + 1, _BACK)))]


def row_words(row: PairRow, folder: str | None) -> tuple[str, str, str]:
    """Who or which tool, what was said or called, and how its output begins. Untrusted."""
    if row.pair is None:
        return f"{ROLES.get(row.role or '', row.role or '')}:", words_of(row.label), ""
    tool, words = call_line(row.pair.call, folder) if row.pair.call is not None else ("", NO_CALL)
    said = output_words(row.result.text).strip().partition("\n")[0] if row.result is not None else ""
    return tool, words, said


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
