"""One conversation of an open file: its records, its problems, and where these are.

`WindowedConversation` is the variant for long files.
"""

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
"""Up to this many records a conversation is checked whole: windows would be no faster."""
SMALL: Final = 1 << 20
"""For a file of at least this many bytes, records are not counted first."""


class Location(Struct, frozen=True):
    """The place of a problem. Records, messages, blocks and pairs count from 0, lines from 1; byte ranges are
    half-open.
    """

    record: int | None = None
    line: int | None = None
    bytes: tuple[int, int] | None = None
    message: int | None = None
    block: int | None = None
    pair: int | None = None
    end_line: int | None = None
    """The last line of a range; equal to `line` for a single one."""
    column: int | None = None
    """In characters, from 1, if a line holds more than one record."""


def lines_text(place: Location) -> str:
    """Its line or lines: "line 9", "lines 9 to 12"; "" if it has none."""
    if place.line is None:
        return ""
    if place.end_line in (None, place.line):
        return f"line {place.line:,}"
    return f"lines {place.line:,} to {place.end_line:,}"


class ConversationCounts(Struct, frozen=True):
    """Counts for the display; `inactive` counts records."""

    records: int = 0
    messages: int = 0
    calls: int = 0
    results: int = 0
    pairs: int = 0
    inactive: int = 0


class Target(Struct, frozen=True):
    """The place that an id, a place or an error text refers to."""

    pair: int | None
    message: int | None
    problem: Problem | None
    text: str
    """One sentence: what was found, or why nothing was."""
    recognised: Recognised | None = None
    how: str | None = None
    """How it was found: "by the id", "by the index: message 22, the call stands in 21"."""
    profile: str | None = None
    """The profile that finds `problem`, if it is not the conversation's own."""
    conversation: int | None = None
    """The index of the conversation in the file; None when it is in none."""
    line: int | None = None
    """The line of the file, if what was searched for is in nothing that is sent."""

    @property
    def leads_somewhere(self) -> bool:
        return self.pair is not None or self.message is not None or self.problem is not None


class RowPrefilter(Protocol):
    """Skips rows that cannot contain what is searched for."""

    def about(self, row: int) -> tuple[range, bool]:
        """A range of rows around this one, and whether any of them may match. Raises Unreadable."""


@dataclass(frozen=True, eq=False)
class Conversation:
    """One list of messages in the file, including staged fixes."""

    number: int
    """From 1, as people count."""
    label: str
    source: ConversationSource
    document: Document
    judged: CheckedRecords

    @property
    def format(self) -> Format:
        return self.judged.format

    def by(self, profile: Profile) -> Conversation:
        """The same conversation checked with another profile."""
        return replace(self, judged=self.judged.by(profile))

    def viewed(self, view: View) -> Conversation:
        """The same conversation under another view."""
        return replace(self, judged=self.judged.viewed(view))

    @property
    def profile(self) -> Profile:
        return self.judged.profile

    @property
    def judged_by(self) -> Profile:
        """The profile, narrowed to the family of the transcript's model."""
        return self.judged.judged_by

    @cached_property
    def counts(self) -> ConversationCounts:
        """How much there is of everything."""
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
        """The numbers of the messages made from these records (uids)."""
        messages = enumerate(self.transcript.messages)
        return [number for number, message in messages if any(record in records for record in message.records)]

    def pairs_around(self, message: int) -> Sequence[Pair]:
        """The pairs that include those of a message, and the next pair after it."""
        return self.pairs

    def losses_since(self, before: Conversation) -> Losses:
        """What is lost of what was sent."""
        from toolpair.history.losses import losses

        return losses(before.judged, self.judged)

    def sends_less(self, before: Conversation) -> Losses:
        """Which real outputs and user texts would have been sent before but not now."""
        from toolpair.history.losses import less_sent

        return less_sent(before.judged, self.judged)

    @property
    def sends_nothing(self) -> bool:
        """Whether its agent would refuse to resume it."""
        return self.judged.sends_nothing

    def pair_of(self, block: Block) -> Pair | None:
        """The pair that a call or a result belongs to."""
        return self.judged.judgement.pairing.pair_of(block)

    @property
    def is_windowed(self) -> bool:
        """Whether only the surroundings of a change are checked again."""
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

    def apply(self, edits: Sequence[Edit], on_progress: Callable[[int], None] | None = None) -> Conversation:
        """The conversation after the edits, which are applied together; read again from the resulting document."""
        document = self.document
        others = [edit for edit in edits if not isinstance(edit, MendBytes)]
        if others:
            document = document.rewrite(self.judged.apply(others))
        bytes_of = [(edit.record, edit.how, edit.behind) for edit in edits if isinstance(edit, MendBytes)]
        if bytes_of:
            document = document.repair_all(bytes_of)
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
        """The problems of what is not sent, each history checked on its own; computed on first use."""
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
        """The rows, for a pass through all of them: what is read for it is not kept."""
        return self.rows

    def rows_beside(self, record: int) -> range:
        """The range with all rows that concern a record (its uid)."""
        return range(len(self.rows))

    def row_filter(self, texts: Sequence[str]) -> RowPrefilter | None:
        """A filter for rows that need not be searched for these texts; None: each row may contain all of them."""
        return None

    @cached_property
    def places(self) -> RowIndex:
        """The positions of pairs, records and messages in `rows`."""
        return RowPlaces(self.rows)

    def location(self, problem: Problem) -> Location:
        """The place of the problem in the file."""
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
    """The blocks of the messages by their pairing id, and by their item id."""
    found: defaultdict[str, list[Block]] = defaultdict(list)
    for message in messages:
        for block in message.blocks:
            for id_ in own_ids(block):
                found[id_].append(block)
    return dict(found)


def _block_at(transcript: Transcript, problem: Problem) -> Block | None:
    """The block given by the problem's message and block numbers."""
    if problem.message is None or problem.block is None:
        return None
    return transcript.messages[problem.message].blocks[problem.block]


def weight(problem: Problem) -> tuple[int, int, int]:
    """Sort key, worst first: errors that stop, other errors, warnings, notes; then the position."""
    severity = ("error", "warning", "info").index(problem.severity)
    impact = ("stops", "loses", "harmless").index(problem.impact)
    return (min(impact, severity + 1) if severity == 0 else severity + 2, problem.message or 0, problem.block or 0)
