"""One conversation of an opened file: windows in a row, of which only those that are looked at are read and judged.

One that is checked whole is a single window, with nothing around it.
"""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.format import Format, Item, View
from toolpair.history.checked_records import CheckedRecords, items_of
from toolpair.history.joined_windows import Numbering, RowPrefilter, WholeRow, WindowRow
from toolpair.history.row_index import RowIndex
from toolpair.history.summary import CauseGroup, PairRow, groups_of, verdict_from
from toolpair.history.verdict_text import GUESS, ONLY_SHOWN, Tally, Verdict, guess_text
from toolpair.history.window import NumberedWindow, Reading, Window
from toolpair.history.window_checks import CheckedWindow, in_order, renumbered, summed
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import Profile
from toolpair.rules.registry import RULES
from toolpair.source.container import ConversationSource
from toolpair.source.document import Document
from toolpair.source.gc_pause import gc_paused
from toolpair.source.joined import DocumentPart, JoinedDocument
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Transcript
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.history.cross_window_links import CrossWindowLinks
    from toolpair.history.losses import Losses, TextGone
    from toolpair.history.window_edits import EditedWindows
    from toolpair.rules.errors.error_detection import Recognised
    from toolpair.rules.where import NamedPlace

SHORT: Final = 1_000
"""Records up to which a conversation is checked whole: that takes no longer than in windows."""
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


class Found(IntEnum):
    """How a text leads to a place, the surest last."""

    NOT = 0
    """Nothing is wrong in the way that it says; what it names may be there all the same."""
    STOPPING = 1
    """It may mean anything: this is what stops the session."""
    PLACE = 2
    """It names the place; whether what it complains about is wrong there cannot be seen."""
    RULE = 3
    """It names no place: this is what breaks its rule."""
    INDEX = 4
    """It names the place, and what it complains about is wrong there."""
    ID = 5
    """It names the id."""

    @property
    def is_placed(self) -> bool:
        """Whether the text itself says where."""
        return self in (Found.PLACE, Found.INDEX, Found.ID)


class Target(Struct, frozen=True):
    """The place that an id, a place or an error text refers to."""

    text: str
    """One sentence: what was found, or why nothing was."""
    pair: int | None = None
    message: int | None = None
    problem: Problem | None = None
    recognised: Recognised | None = None
    found: Found = Found.NOT
    """How sure it is that `problem` is what is meant."""
    how: str | None = None
    """How it was found, in words: "by the id", "by the index: message 22, the call stands in 21"."""
    profile: str | None = None
    """The profile that finds `problem`, if it is not the conversation's own."""
    conversation: int | None = None
    """The index of the conversation in the file; None when it is in none."""
    line: int | None = None
    """The line of the file, if what was searched for is in nothing that is sent."""
    place: NamedPlace | None = None
    """The block that is meant."""
    offers: tuple[Problem, ...] = ()
    """What else may be wrong with that block, if an API says so: its fixes can be chosen."""

    @property
    def leads_somewhere(self) -> bool:
        return self.pair is not None or self.message is not None or self.problem is not None


class KnownOfWindows(Struct, frozen=True, eq=False):
    """What is known of windows of which only some have changed."""

    numbering: Numbering
    tally: Tally
    problems: Mapping[int, Sequence[Problem]]
    """Of the windows before the change, by their numbers."""
    anew: Collection[int]
    """Those whose problems are others now, or have other numbers."""


class Conversation:
    """One list of messages in the file, as it is with the staged fixes. Immutable; edits give a new one."""

    def __init__(
        self,
        number: int,
        source: ConversationSource,
        reading: Reading,
        windows: tuple[Window, ...],
        links: CrossWindowLinks | None = None,
        known: KnownOfWindows | None = None,
        before: Document | None = None,
    ) -> None:
        """`known`, `before`: what is known from another state of these windows, and the document of that."""
        self.number: Final = number
        """From 1, as a person counts."""
        self.label: Final = source.label
        self.source: Final = source
        self.reading: Final = reading
        self.windows: Final = windows
        self._known_links = links
        self._known = known
        self.previewed: tuple[Sequence[Edit], Conversation] | None = None
        """What these edits lead to, computed to be looked at: mostly they are what is applied then."""
        self._known_missing: tuple[weakref.ref[Conversation], Sequence[TextGone]] | None = None
        numbering = known.numbering if known is not None else None
        whole = len(windows) == 1 and windows[0].edges is None
        self._row = WholeRow(windows[0]) if whole else WindowRow(windows, reading, numbering, before)
        self.document: Final = self._row.document

    # What it is

    @property
    def fixes_are_local(self) -> bool:
        """Whether a fix leaves most of it as it is: only what is around it is read and judged again."""
        return not isinstance(self._row, WholeRow)

    @property
    def whole(self) -> Conversation:
        """The same with all records read and judged at once."""
        return self._as_one_window if self.fixes_are_local else self

    @cached_property
    def _as_one_window(self) -> Conversation:
        document = self.reading.document
        if isinstance(self.document, JoinedDocument) and any(window.document.changed for window in self.windows):
            document = self.document.as_one()
        reading = self.reading
        judged = CheckedRecords(
            items_of(document),
            reading.format,
            reading.profile,
            reading.request,
            reading.view,
            document,
            ids=reading.ids_of_file,
        )
        return whole_conversation(self.number, self.source, judged)

    @property
    def judged(self) -> CheckedRecords:
        """All of it, read and judged at once."""
        return self.whole.windows[0].judged

    @property
    def items(self) -> Sequence[Item]:
        return self.judged.items

    @property
    def format(self) -> Format:
        return self.reading.format

    @property
    def profile(self) -> Profile:
        return self.reading.profile

    @property
    def head(self) -> Transcript:
        """Whose history it is."""
        return self._row.head

    @property
    def judged_by(self) -> Profile:
        """The profile, narrowed to the family of the transcript's model."""
        return self.profile.for_model(self.head.model)

    def by(self, profile: Profile) -> Conversation:
        """The same conversation checked with another profile."""
        if self.fixes_are_local:
            unchanged = not any(window.document.changed for window in self.windows)
            anew: Conversation | None = self.reading.judged_by(profile) if unchanged else None
            if anew is not None and anew.fixes_are_local:
                return anew
        return self.whole._judged_as(self.judged.by(profile))

    def viewed(self, view: View) -> Conversation:
        """The same conversation under another view."""
        return self.whole._judged_as(self.judged.viewed(view))

    def _judged_as(self, judged: CheckedRecords) -> Conversation:
        """With all records at once, judged so."""
        part = self.windows[0].document
        return whole_conversation(self.number, self.source, judged, part)

    # Where windows are

    @property
    def numbering(self) -> Numbering:
        """In what numbers the windows begin."""
        return self._row.numbering

    def numbered(self, number: int) -> NumberedWindow:
        """A window at its place."""
        return self._row.numbered(number)

    def window_of(self, record: int) -> int | None:
        """The number of the window that a record (its uid) stands in."""
        return self._row.window_of(record)

    # What is in it

    @cached_property
    def transcript(self) -> Transcript:
        return self._row.transcript

    @cached_property
    def pairs(self) -> Sequence[Pair]:
        return self._row.pairs

    @cached_property
    def rows(self) -> Sequence[PairRow]:
        return self._row.rows

    @cached_property
    def problems(self) -> Sequence[Problem]:
        if not self.fixes_are_local:
            return self.judged.problems
        by_window = self.problems_by_window
        return tuple(in_order([problem for number in sorted(by_window) for problem in by_window[number]]))

    @cached_property
    def problems_by_window(self) -> Mapping[int, Sequence[Problem]]:
        """By the number of a window, numbered as in the whole; those that have none may be missing."""
        if self._known is not None:
            return {**self._known.problems, **{number: self.problems_of(number) for number in self._known.anew}}
        numbers = [number for number, window in enumerate(self.windows) if window.problem_count]
        found = {number: self.problems_of(number) for number in numbers}
        return self._summed(found) if self.reading.view.reporting else found

    def _summed(self, found: Mapping[int, Sequence[Problem]]) -> Mapping[int, Sequence[Problem]]:
        """With one problem for all messages that have both text and calls."""
        outlined = (window.outlined for window in self.windows)
        mixed = [
            range(begins + calls.start, begins + calls.stop)
            for window, begins in zip(outlined, self.numbering.pairs, strict=False)
            for calls in (window.mixed if window is not None else ())
        ]
        return summed(found, RULES["content.mixed_with_tool"], len(mixed), chain.from_iterable(mixed))

    def problems_of(self, number: int) -> Sequence[Problem]:
        """The problems of a window, numbered as in the whole."""
        window = self.windows[number]
        return self.as_in_the_whole(number, window.judged.problems) if window.problem_count else ()

    def as_in_the_whole(self, number: int, problems: Iterable[Problem]) -> Sequence[Problem]:
        """Problems found in a window, numbered as in the whole."""
        lead, at = self.windows[number].checked.lead, self.numbering.offsets(number)
        messages, counted, unsent = at.messages - lead, at.counted - min(lead, 1), at.unsent - lead
        return [renumbered(problem, messages, at.pairs, counted, unsent) for problem in problems]

    def passing_rows(self) -> Sequence[PairRow]:
        """The rows, for a pass through all of them: what is read for it is not kept."""
        return self._row.passing_rows()

    def rows_beside(self, record: int) -> range:
        """The range with all rows that concern a record (its uid)."""
        number, rows = self.window_of(record), self.numbering.rows
        return range(0) if number is None else range(rows[number], rows[number + 1])

    def row_filter(self, texts: Sequence[str]) -> RowPrefilter | None:
        """A filter for rows that need not be searched for these texts; None: each row may contain all of them."""
        return self._row.row_filter(texts)

    @cached_property
    def places(self) -> RowIndex:
        """The positions of pairs, records and messages in `rows`."""
        return self._row.places

    @cached_property
    def counts(self) -> ConversationCounts:
        """How much there is of everything."""
        seen = [window for window in self.windows if not window.clean]
        blocks = [block for window in seen for message in window.judged.transcript.messages for block in message.blocks]
        calls = sum(window.pairs for window in self.windows if window.clean)
        return ConversationCounts(
            records=self.document.count,
            messages=self.numbering.messages[-1],
            calls=calls + sum(block.kind == "call" for block in blocks),
            results=calls + sum(block.kind == "result" for block in blocks),
            pairs=self.numbering.pairs[-1],
            inactive=self.reading.inactive + sum(window.inactive for window in self.windows),
        )

    @property
    def damaged(self) -> int:
        """How many records cannot be read."""
        document = self.document
        scopes = (window.judged.transcript.scopes for window in self.windows if not window.clean)
        malformed = [uid for found in scopes for uid, scope in found.items() if scope == "malformed"]
        return sum(document.record(uid).count if uid in document else 1 for uid in malformed)

    @property
    def inactive_blocks(self) -> Sequence[Block]:
        """Calls and results outside the active history."""
        windows = (window for window in self.windows if not window.clean or window.replaced)
        return [block for window in windows for block in window.judged.transcript.inactive_blocks]

    @cached_property
    def by_id(self) -> Mapping[str, Sequence[Block]]:
        """Id -> the blocks of the active history that have it: calls, results, items with an id of their own."""
        return self._row.by_id

    def messages_of(self, records: Collection[int]) -> Sequence[int]:
        """The numbers of the messages made from these records (uids)."""
        found: list[int] = []
        for number in sorted({at for uid in records if (at := self.window_of(uid)) is not None}):
            window, start = self.numbered(number), self.numbering.messages[number]
            count = self.numbering.messages[number + 1] - start
            found += [start + n for n in range(count) if any(uid in records for uid in window.message(n).records)]
        return found

    def pairs_around(self, message: int) -> Sequence[Pair]:
        """The pairs that include those of a message, and the next pair after it."""
        messages, pairs = self.numbering.messages, self.numbering.pairs
        number = bisect_right(messages, message) - 1
        return self.pairs[pairs[max(number, 0)] : pairs[min(number + 1, len(self.windows))] + 1]

    def pair_of(self, block: Block) -> Pair | None:
        """The pair that a call or a result belongs to."""
        number = self.window_of(block.record)
        if number is None:
            return None
        judged = self.windows[number].judged
        found = judged.judgement.pairing.pair_of(block)
        if found is None:  # the block may have been read with the whole
            own = (one for message in judged.transcript.messages for one in message.blocks)
            same = next((one for one in own if (one.kind, one.key) == (block.kind, block.key)), None)
            found = None if same is None else judged.judgement.pairing.pair_of(same)
        return None if found is None else self.pairs[found.index + self.numbering.pairs[number]]

    @cached_property
    def tally(self) -> Tally:
        if self._known is not None:
            return self._known.tally
        return sum((window.tally for window in self.windows), Tally())

    @cached_property
    def verdict(self) -> Verdict:
        refuses = next((window.refuses for window in self.windows if window.refuses is not None), None)
        found = verdict_from(self.tally, self.problems, self.head, self.profile, refuses)
        if not self.format.is_guess:
            return found
        described = self.format.title if self.format.is_described else None
        return replace(
            found,
            badge=GUESS if described is None else ONLY_SHOWN,
            sentence=guess_text(self.counts.calls, self.counts.results, described),
        )

    @cached_property
    def worst(self) -> dict[int, Problem]:
        """Pair -> its worst problem."""
        worst: dict[int, Problem] = {}
        for problem in sorted(self.problems, key=weight):
            for pair in problem.pairs:
                worst.setdefault(pair, problem)
        return worst

    @cached_property
    def groups(self) -> tuple[CauseGroup, ...]:
        return groups_of(self.problems)

    def inactive_problems(self) -> Sequence[Problem]:
        """The problems of what is not sent, each history checked on its own; computed on first use."""
        return self._inactive

    @cached_property
    def _inactive(self) -> tuple[Problem, ...]:
        from toolpair.history.inactive_records import inactive_problems

        return tuple(inactive_problems(self.judged))

    def named(self, rules: Iterable[str], place: NamedPlace) -> Sequence[Problem]:
        """What these rules find at a place only because an error text names it. All of it is read at once."""
        found = self.judged.named(rules, place)
        if isinstance(self._row, WholeRow):
            return found
        from toolpair.history.window_edits import of_windows

        return [of_windows(problem, self.window_of, self.windows) for problem in found]

    # What changes it

    def apply(self, edits: Sequence[Edit], on_progress: Callable[[int], None] | None = None) -> Conversation:
        """The conversation after the edits; only the windows that they reach are read and judged again.

        `on_progress` is told how many windows are done.
        """
        from toolpair.history.window_edits import edited, edited_windows, of_the_whole

        with gc_paused():
            if isinstance(self._row, WholeRow):
                one = self._row.window
                document = edited(one.judged, self.document, edits)
                checked = CheckedWindow(one.judged.with_document(document))
                made = Window(self.reading, one.document.with_document(document), None, judged=checked)
                return Conversation(self.number, self.source, self.reading, (made,))
            after = edited_windows(self.windows, self.window_of, self.links, edits, on_progress)
            if after is None:
                changed = self.whole.apply(of_the_whole(edits, self.whole.transcript))
                return self if changed.document is self.whole.document else changed
            return self._changed(after) if after.changed else self

    def _changed(self, after: EditedWindows) -> Conversation:
        """With some of the windows changed; what is known of the others stays known."""
        changed = after.changed
        numbering = self.numbering.after(after.windows, changed)
        problems = dict(self.problems_by_window)
        anew = {number for number, _, _ in changed}
        if self.numbering.renumbers(numbering):
            anew.update(number for number in problems if number > changed[0][0])
        tally = self.tally + sum((now.tally - then.tally for _, then, now in changed), Tally())
        known = KnownOfWindows(numbering, tally, problems, anew)
        return Conversation(self.number, self.source, self.reading, after.windows, after.links, known, self.document)

    @cached_property
    def links(self) -> CrossWindowLinks:
        """What ties its windows together."""
        from toolpair.history.cross_window_links import CrossWindowLinks

        return self._known_links or CrossWindowLinks.of(self.windows)

    def losses_since(self, before: Conversation) -> Losses:
        """What is lost of what was sent."""
        from toolpair.history.losses import losses_between

        texts = self._missing_texts(before)
        return losses_between([*(self.changed_since(before) if texts else self._losing_since(before))], texts)

    def sends_less(self, before: Conversation) -> Losses:
        """Which real outputs and user texts would have been sent before but not now."""
        from toolpair.history.losses import NOTHING, less_sent

        return sum((less_sent(then, now) for then, now in self._losing_since(before)), NOTHING)

    def texts_gone(self, before: Conversation) -> Losses:
        """Which texts of the records are nowhere any more."""
        from toolpair.history.losses import NOTHING, gone

        texts = self._missing_texts(before)
        return gone([*self.changed_since(before)], texts) if texts else NOTHING

    def _missing_texts(self, before: Conversation) -> Sequence[TextGone]:
        """Asked by who chooses fixes, and again for the verdict on them: all of the result is read for it."""
        from toolpair.history.losses import missing_in_documents

        known = self._known_missing
        if known is None or known[0]() is not before:
            found = missing_in_documents([*self._documents_since(before)], self.document)
            known = self._known_missing = (weakref.ref(before), found)
        return known[1]

    def changed_since(self, before: Conversation) -> Iterator[tuple[CheckedRecords, CheckedRecords]]:
        """What says something else; all of it where the windows are others."""
        return self._changed_where(before, lambda then, now: True)

    def _losing_since(self, before: Conversation) -> Iterator[tuple[CheckedRecords, CheckedRecords]]:
        """The same without what surely has lost nothing: that is not even read."""
        return self._changed_where(before, lambda then, now: not now.keeps_all_of(then))

    def _changed_where(
        self, before: Conversation, wanted: Callable[[Window, Window], bool]
    ) -> Iterator[tuple[CheckedRecords, CheckedRecords]]:
        if before.reading is not self.reading:
            yield before.judged, self.judged
            return
        for then, now in zip(before.windows, self.windows, strict=True):
            if then.origin is not now.origin and wanted(then, now):
                yield then.judged, now.judged

    def _documents_since(self, before: Conversation) -> Iterator[tuple[Document, Document]]:
        """The same of the bytes, which tell more than what is made of them."""
        if before.reading is not self.reading:
            yield before.whole.document, self.whole.document
            return
        for then, now in zip(before.windows, self.windows, strict=True):
            if then.document is not now.document:
                yield then.document.now, now.document.now

    @property
    def sends_nothing(self) -> bool:
        """Whether its agent would refuse to resume it."""
        return any(window.refuses is not None for window in self.windows)

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


def whole_conversation(
    number: int, source: ConversationSource, judged: CheckedRecords, part: DocumentPart | None = None
) -> Conversation:
    """All records read and judged at once: one window, with nothing around it. `part`: what they are a change of."""
    document = judged.document
    assert document is not None
    reading = Reading(
        source.document,
        judged.format,
        judged.profile,
        judged.request,
        judged.view,
        {},
        0,
        Transcript(()),
        ids_of_file=judged.ids,
    )
    window = Window(reading, part or DocumentPart.whole(document), None, judged=CheckedWindow(judged))
    return Conversation(number, source, reading, (window,))


def _block_at(transcript: Transcript, problem: Problem) -> Block | None:
    """The block given by the problem's message and block numbers."""
    if problem.message is None or problem.block is None:
        return None
    return transcript.messages[problem.message].blocks[problem.block]


def weight(problem: Problem) -> tuple[int, int, int]:
    """Sort key, worst first; then the position."""
    return (rank(problem), problem.message or 0, problem.block or 0)


def rank(problem: Problem) -> int:
    """Sort key: errors that stop, other errors, warnings, notes."""
    severity = ("error", "warning", "info").index(problem.severity)
    impact = ("stops", "loses", "harmless").index(problem.impact)
    return min(impact, severity + 1) if severity == 0 else severity + 2
