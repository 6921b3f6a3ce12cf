"""One conversation of an opened file: its records, what is judged of them, and where its problems stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from toolpair.dialects.block_values import own_ids
from toolpair.formats.format import Format, Item, View
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.row_index import RowIndex, RowPlaces
from toolpair.history.summary import CauseGroup, PairRow, Verdict, groups_of, rows_of, verdict_of
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import Profile
from toolpair.source.container import ConversationSource
from toolpair.source.document import Document
from toolpair.transcript.edits import Edit, MendBytes
from toolpair.transcript.model import Block, Message, Transcript
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.history.losses import Losses
    from toolpair.rules.errors.error_detection import Recognised

SHORT: Final = 1_000
"""Records up to which a conversation is checked whole: that takes no longer than in stretches."""
SMALL: Final = 1 << 20
"""Bytes of a file from which on its records are not counted first."""


class Location(Struct, frozen=True):
    """Where a problem is. Records, messages, blocks and pairs count from 0, lines from 1, bytes are half-open."""

    record: int | None = None
    line: int | None = None
    bytes: tuple[int, int] | None = None
    message: int | None = None
    block: int | None = None
    pair: int | None = None
    end_line: int | None = None
    """The last line of a range of lines; the same as `line` where it is one."""
    column: int | None = None
    """From 1, in characters, where a line holds more than a record."""


def lines_text(place: Location) -> str:
    """Its line, or its lines: "line 9", "lines 9 to 12"; "" where it has none."""
    if place.line is None:
        return ""
    if place.end_line in (None, place.line):
        return f"line {place.line:,}"
    return f"lines {place.line:,} to {place.end_line:,}"


class ConversationCounts(Struct, frozen=True):
    """How many of each there are; `inactive` are records."""

    records: int = 0
    messages: int = 0
    calls: int = 0
    results: int = 0
    pairs: int = 0
    inactive: int = 0


class Target(Struct, frozen=True):
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


class RowFilter(Protocol):
    """Passes by rows that cannot hold what is looked for."""

    def about(self, row: int) -> tuple[range, bool]:
        """Rows in a row, this one among them, and whether any may hold it. Raises Unreadable."""


@dataclass(frozen=True, eq=False)
class Conversation:
    """One list of messages in the file, as it is with the staged fixes."""

    number: int
    """From 1, as a person counts."""
    label: str
    source: ConversationSource
    document: Document
    judged: CheckedRecords

    @property
    def format(self) -> Format:
        return self.judged.format

    def by(self, profile: Profile) -> Conversation:
        """The same judged by another profile."""
        return replace(self, judged=self.judged.by(profile))

    def viewed(self, view: View) -> Conversation:
        """The same looked at in another way."""
        return replace(self, judged=self.judged.viewed(view))

    @property
    def profile(self) -> Profile:
        return self.judged.profile

    @property
    def judged_by(self) -> Profile:
        """The profile, or what it says of the family that the transcript's model belongs to."""
        return self.judged.judged_by

    @cached_property
    def counts(self) -> ConversationCounts:
        """How much there is."""
        transcript = self.transcript
        return ConversationCounts(
            records=self.document.count,
            messages=len(transcript.messages),
            calls=sum(len(message.calls) for message in transcript.messages),
            results=sum(len(message.results) for message in transcript.messages),
            pairs=len(self.pairs),
            inactive=sum(scope == "inactive" for scope in transcript.scopes.values()),
        )

    @property
    def damaged(self) -> int:
        """How many records cannot be read."""
        document = self.document
        malformed = [uid for uid, scope in self.transcript.scopes.items() if scope == "malformed"]
        return sum(document.record(uid).count if uid in document else 1 for uid in malformed)

    @property
    def inactive_blocks(self) -> Sequence[Block]:
        """Calls and results outside the active history."""
        return self.transcript.inactive_blocks

    @cached_property
    def by_id(self) -> Mapping[str, Sequence[Block]]:
        """Id -> the blocks of the active history that have it: calls, results, items with an id of their own."""
        return blocks_by_id(self.transcript.messages)

    def messages_of(self, records: Container[int]) -> Sequence[int]:
        """The numbers of the messages that are made of these records (uids)."""
        messages = enumerate(self.transcript.messages)
        return [number for number, message in messages if any(record in records for record in message.records)]

    def pairs_around(self, message: int) -> Sequence[Pair]:
        """The pairs among which those of a message are, and the next one behind it."""
        return self.pairs

    def losses_since(self, before: Conversation) -> Losses:
        """What is gone of what was sent."""
        from toolpair.history.losses import losses

        return losses(before.judged, self.judged)

    def sends_less(self, before: Conversation) -> Losses:
        """What of real outputs and the user's words would have been sent before, and would not be now."""
        from toolpair.history.losses import less_sent

        return less_sent(before.judged, self.judged)

    @property
    def sends_nothing(self) -> bool:
        """Whether its agent would not resume it."""
        return self.judged.sends_nothing

    def pair_of(self, block: Block) -> Pair | None:
        """The pair that a call or a result belongs to."""
        return self.judged.judgement.pairing.pair_of(block)

    @property
    def is_windowed(self) -> bool:
        """Whether only what is around it is judged again after a change."""
        return False

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

    def apply(self, edits: Sequence[Edit], heed: Callable[[int], None] | None = None) -> Conversation:
        """The conversation after the edits, read again from the document that they make: all at once."""
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
        from toolpair.history.inactive_records import inactive_problems

        return tuple(inactive_problems(self.judged))

    @cached_property
    def groups(self) -> tuple[CauseGroup, ...]:
        return groups_of(self.problems)

    @cached_property
    def rows(self) -> Sequence[PairRow]:
        order = {record.uid: number for number, record in enumerate(self.document.records)}
        return rows_of(self.judged, order)

    def passing_rows(self) -> Sequence[PairRow]:
        """The rows, for one who looks through all of them: what is read for that does not stay."""
        return self.rows

    def rows_beside(self, record: int) -> range:
        """The rows among which all are that have to do with a record (its uid)."""
        return range(len(self.rows))

    def sieve(self, texts: Sequence[str]) -> RowFilter | None:
        """What tells which rows need not be looked at for these texts; None: each may hold all of them."""
        return None

    @cached_property
    def places(self) -> RowIndex:
        """Where pairs, records and messages stand in `rows`."""
        return RowPlaces(self.rows)

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
        line = end_line = self.source.line
        if line is None:
            line = end_line = document.line_of_value(record, slot)
            last = problem.until if problem.until is not None and problem.until in document else record
            if anchor is None:
                end_line = document.last_line_of(last)
            if last != record and span is not None:
                span = (span[0], document.span(last)[1] + (offset or 0))
        place = document.number_of(record)
        return Location(place, line, span, problem.message, problem.block, problem.pair, end_line)


def blocks_by_id(messages: Iterable[Message]) -> dict[str, list[Block]]:
    """The blocks of the messages by the id that pairs them, and by that of their item."""
    found: defaultdict[str, list[Block]] = defaultdict(list)
    for message in messages:
        for block in message.blocks:
            for id_ in own_ids(block):
                found[id_].append(block)
    return dict(found)


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
