"""One conversation of an opened file: its records, what is judged of them, and where its problems stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from toolpair.conversation import Judged
from toolpair.formats.base import Item
from toolpair.overview import Group, Row, Verdict, groups_of, rows_of, verdict_of
from toolpair.rules.base import Problem
from toolpair.source.container import ConversationSource
from toolpair.source.document import Document
from toolpair.transcript.edits import Edit, MendBytes
from toolpair.transcript.model import Block, Transcript
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.rules.errors.recognising import Recognised


@dataclass(frozen=True, slots=True)
class Location:
    """Where a problem is. Records, messages, blocks and pairs count from 0, lines from 1, bytes are half-open."""

    record: int | None = None
    line: int | None = None
    bytes: tuple[int, int] | None = None
    message: int | None = None
    block: int | None = None
    pair: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What an id, a place or an error text leads to."""

    pair: int | None
    message: int | None
    problem: Problem | None
    text: str
    """One sentence: what was found, or why not."""
    recognised: Recognised | None = None
    how: str | None = None
    """How it was found: "by the id", "by the index: message 22, the call stands in 21"."""
    profile: str | None = None
    """The profile that `problem` is judged by, where it is not the conversation's own."""
    conversation: int | None = None
    """Which conversation of the file it is in, from 0; None when it is in none."""
    line: int | None = None
    """The line of the file, where what was looked for stands in nothing that is sent."""

    @property
    def leads_somewhere(self) -> bool:
        return self.pair is not None or self.message is not None or self.problem is not None


@dataclass(frozen=True, eq=False)
class Conversation:
    """One list of messages in the file, as it is with the staged fixes."""

    number: int
    """From 1, as a person counts."""
    label: str
    source: ConversationSource
    document: Document
    judged: Judged

    @property
    def transcript(self) -> Transcript:
        return self.judged.transcript

    @property
    def items(self) -> Sequence[Item]:
        return self.judged.items

    @property
    def pairs(self) -> Sequence[Pair]:
        return self.judged.pairs

    @property
    def problems(self) -> Sequence[Problem]:
        return self.judged.problems

    def apply(self, edits: Sequence[Edit]) -> Conversation:
        """The conversation after the edits, read again from the document that they make."""
        document = self.document
        others = [edit for edit in edits if not isinstance(edit, MendBytes)]
        if others:
            document = document.rewrite(self.judged.apply(others))
        bytes_of = [(edit.record, edit.how, edit.behind) for edit in edits if isinstance(edit, MendBytes)]
        if bytes_of:
            document = document.mend_all(bytes_of)
        return replace(self, document=document, judged=self.judged.with_document(document))

    @cached_property
    def verdict(self) -> Verdict:
        return verdict_of(self.judged)

    @cached_property
    def worst(self) -> dict[int, Problem]:
        """Pair -> its worst problem."""
        worst: dict[int, Problem] = {}
        for problem in sorted(self.problems, key=weight):
            for pair in problem.pairs:
                worst.setdefault(pair, problem)
        return worst

    def inactive_problems(self) -> Sequence[Problem]:
        """The problems of what is not sent, each history judged by itself; found at the first call."""
        return self._inactive

    @cached_property
    def _inactive(self) -> tuple[Problem, ...]:
        from toolpair.inactive import inactive_problems

        return tuple(inactive_problems(self.judged))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        return groups_of(self.problems)

    @cached_property
    def rows(self) -> list[Row]:
        order = {record.uid: number for number, record in enumerate(self.document.records)}
        return rows_of(self.judged, order)

    def location(self, problem: Problem) -> Location:
        """Where the problem stands in the file."""
        document = self.document
        record = problem.record
        anchor = _block_at(self.transcript, problem)
        if anchor is not None:
            record = anchor.record
        if record is None or record not in document:
            return Location(message=problem.message, block=problem.block, pair=problem.pair)
        slot = anchor.slot if anchor is not None else ()
        span: tuple[int, int] | None
        try:
            span = document.span(record, slot)
        except ValueError:
            span = None
        offset = self.source.offset
        if span is not None:
            span = (span[0] + offset, span[1] + offset) if offset is not None else None
        line = self.source.line if self.source.line is not None else document.line_of_value(record, slot)
        return Location(document.index(record), line, span, problem.message, problem.block, problem.pair)


def _block_at(transcript: Transcript, problem: Problem) -> Block | None:
    """The block that the problem's message and block number name."""
    if problem.message is None or problem.block is None:
        return None
    return transcript.messages[problem.message].blocks[problem.block]


def weight(problem: Problem) -> tuple[int, int, int]:
    """The lower, the worse: an error that stops, other errors, warnings, infos; then the place."""
    severity = ("error", "warning", "info").index(problem.severity)
    impact = ("stops", "loses", "harmless").index(problem.impact)
    return (min(impact, severity + 1) if severity == 0 else severity + 2, problem.message or 0, problem.block or 0)
