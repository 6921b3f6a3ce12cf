"""One part of a long conversation: records that are read and judged when they are looked at, and then stay."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Set
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.format import FileFacts, Format, View
from toolpair.history.checked_records import CheckedRecords, items_of
from toolpair.history.compacted import replaced
from toolpair.history.outline import OutlineWindow
from toolpair.history.row_index import RowPlaces
from toolpair.history.summary import PairRow, Tally, rows_of
from toolpair.history.window_checks import CheckedWindow
from toolpair.rules.profiles import Profile
from toolpair.source.document import Document
from toolpair.source.joined import DocumentPart
from toolpair.transcript.model import Message, Transcript, WindowEdges
from toolpair.transcript.pairing import Pair


class Reading(Struct, frozen=True, eq=False):
    """How the records of a long conversation are read and judged."""

    document: Document
    """All records, as the file holds them."""
    format: Format
    profile: Profile
    request: Callable[[Transcript], Transcript] | None
    view: View
    ids: Mapping[str, int]
    """The ids of the file, and the number of a record in whose exchange each stands."""
    answered: int
    """How many of its calls have their result."""
    head: Transcript
    """Whose history it is: everything but its messages."""
    judged_by: Callable[[Profile], Any]
    """The conversation of the file by another profile, read anew; None where that judges the whole."""

    past: int = 0
    """Records in front of the first stretch: a compaction replaced them."""
    inactive: int = 0
    """How many of these are the agent's messages, and what stands beside them."""
    proof: Callable[[Document, WindowEdges], tuple[OutlineWindow, frozenset[str]] | None] = lambda document, beyond: (
        None
    )
    """The counts and the ids of changed records, where a look at their values shows that nothing in them is wrong."""
    inside: Callable[[int, int], FileFacts | None] = lambda first, end: None
    """What the format needs besides to read the records from one number to before another."""
    named: Callable[[str], Iterable[int]] = lambda id_: ()
    """By an id that pairs nothing: the numbers of the records that it may stand in."""

    @property
    def native(self) -> bool:
        """Whether it is an agent's own session."""
        return self.head.native

    def judged(self, part: DocumentPart, beyond: WindowEdges) -> CheckedRecords:
        """The records of a part, as a stretch."""
        if part.end <= self.past:
            return replaced(
                CheckedRecords(items_of(part.now), self.format, self.profile, self.request, self.view, part.now)
            )
        inside = self.inside(part.first, part.end)
        view = self.view if inside is None else replace(self.view, inside=inside)
        return CheckedRecords(items_of(part.now), self.format, self.profile, self.request, view, part.now, beyond)


class Offsets(Struct, frozen=True):
    """What stands before a part: messages, pairs, and messages as the provider counts them."""

    messages: int = 0
    pairs: int = 0
    counted: int = 0
    unsent: int = 0
    """The same if all of them were sent as they stand."""


class Window:
    """Stretches in a row. While `stretch` is known, nothing in it is a problem, and its counts are those."""

    def __init__(
        self,
        reading: Reading,
        document: DocumentPart,
        beyond: WindowEdges,
        stretch: OutlineWindow | None = None,
        judged: CheckedWindow | None = None,
        ids: frozenset[str] | None = None,
    ) -> None:
        self.reading = reading
        self.document = document
        self.beyond = beyond
        self.stretch = stretch
        self._judged = judged
        self._ids = ids
        self._seen: tuple[Offsets, NumberedWindow] | None = None

    @property
    def looked_at(self) -> bool:
        """Whether it has been judged."""
        return self._judged is not None

    @property
    def stretch_judged(self) -> CheckedWindow:
        if self._judged is None:
            self._judged = CheckedWindow(self.reading.judged(self.document, self.beyond))
        return self._judged

    @property
    def judged(self) -> CheckedRecords:
        return self.stretch_judged.judged

    @property
    def clean(self) -> bool:
        """Nothing in it is a problem: known without a look."""
        return self.stretch is not None

    @property
    def unread(self) -> Window:
        """The same without what was read of it."""
        own = self.document
        document = own if own.changed else DocumentPart(own.long, own.first, own.end, own.next_uid)
        return Window(self.reading, document, self.beyond, self.stretch, ids=self._ids)

    @cached_property
    def says_more(self) -> bool:
        """Whether its rows may say what its bytes, as the file holds them, do not."""
        from toolpair.history.shown_otherwise import speaks_otherwise

        if self.document.changed:
            return True
        return not self.clean and speaks_otherwise(self.judged)

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids that stand in it."""
        if self._ids is not None:
            return self._ids
        messages = self.judged.transcript.messages
        return frozenset(block.id for message in messages for block in message.blocks if isinstance(block.id, str))

    @cached_property
    def problem_count(self) -> int:
        return 0 if self.clean else len(self.judged.problems)

    @cached_property
    def refuses(self) -> str | None:
        """Why its agent does not resume the file at all."""
        seen = None if self.clean else self.judged.seen
        return seen.refuses if seen is not None else None

    @cached_property
    def messages(self) -> int:
        return self.stretch.messages if self.stretch is not None else self.stretch_judged.messages

    @cached_property
    def pairs(self) -> int:
        return self.stretch.calls if self.stretch is not None else len(self.judged.pairs)

    @cached_property
    def counted(self) -> int:
        return self.stretch.counted if self.stretch is not None else self.stretch_judged.counted

    @cached_property
    def unsent(self) -> int:
        return self.stretch.counted if self.stretch is not None else self.stretch_judged.unsent

    @property
    def replaced(self) -> bool:
        """A compaction replaced all of it."""
        return self.document.first < self.reading.past

    @property
    def signed(self) -> int:
        """Blocks of signed thinking in it."""
        if self.stretch is not None:
            return self.stretch.signed
        return self.stretch_judged.signed

    @property
    def inactive(self) -> int:
        """Records in it that are not sent."""
        scopes = {} if self.clean else self.judged.transcript.scopes
        return sum(scope == "inactive" for scope in scopes.values())

    @cached_property
    def row_count(self) -> int:
        return self.stretch.rows if self.stretch is not None else len(self.rows)

    @cached_property
    def tally(self) -> Tally:
        found = self.stretch
        if found is None:
            return self.stretch_judged.tally
        return Tally(
            messages=found.messages,
            calls=found.calls,
            outputs=found.outputs,
            seen=found.outputs,
            placeholders=found.calls - found.outputs,
            shortened=found.shortened,
        )

    @cached_property
    def rows(self) -> tuple[PairRow, ...]:
        """As those of a conversation of its own, without those that stand for what is around it."""
        document = self.document.now
        order = {record.uid: number for number, record in enumerate(document.records)}
        return tuple(row for row in rows_of(self.judged, order) if row.record != -1)

    @cached_property
    def places(self) -> RowPlaces:
        return RowPlaces(self.rows)

    def exposed(self, offsets: Offsets) -> NumberedWindow:
        """What is in it, numbered as in the whole; the same objects each time."""
        seen = self._seen  # another thread may ask with other offsets
        if seen is None or seen[0] != offsets:
            seen = self._seen = (offsets, NumberedWindow(self, offsets))
        return seen[1]

    def with_document(self, document: DocumentPart, beyond: WindowEdges) -> Window:
        """The same records after a change, or with something else around them."""
        proven = self.reading.proof(document.now, beyond)
        if proven is None:
            return Window(self.reading, document, beyond)
        return Window(self.reading, document, beyond, proven[0], ids=proven[1])


class NumberedWindow:
    """A part at its place in the whole."""

    def __init__(self, part: Window, offsets: Offsets) -> None:
        self._part = part
        self._offsets = offsets
        self._pairs: dict[int, Pair] = {}
        self._rows: dict[int, PairRow] = {}

    @property
    def _lead(self) -> int:
        return self._part.stretch_judged.lead

    def message(self, number: int) -> Message:
        return self._part.judged.transcript.messages[number + self._lead]

    def pair(self, number: int) -> Pair:
        made = self._pairs.get(number)
        if made is None:
            made = self._pairs[number] = self._moved(self._part.judged.pairs[number])
        return made

    def row(self, number: int) -> PairRow:
        made = self._rows.get(number)
        if made is None:
            row = self._part.rows[number]
            made = self._rows[number] = replace(
                row,
                message=None if row.message is None else row.message + self._offsets.messages - self._lead,
                pair=None if row.pair is None else self.pair(row.pair.index),
            )
        return made

    def _moved(self, pair: Pair) -> Pair:
        by = self._offsets.messages - self._lead
        return Pair(
            index=pair.index + self._offsets.pairs,
            call=pair.call,
            call_at=None if pair.call_at is None else (pair.call_at[0] + by, pair.call_at[1]),
            results=pair.results,
            results_at=tuple((message + by, block) for message, block in pair.results_at),
            evidence=pair.evidence,
            spelling=pair.spelling,
            candidates=pair.candidates,
            ambiguous=pair.ambiguous,
            state=pair.state,
        )


class WindowIds(Container[str]):
    """The ids of the file, and those that changes have put in."""

    __slots__ = ("file", "new")

    def __init__(self, file: Mapping[str, int], new: Set[str]) -> None:
        self.file = file
        self.new = new

    def __contains__(self, id_: Any) -> bool:
        return id_ in self.file or id_ in self.new
