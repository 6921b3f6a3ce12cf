"""A long conversation of an opened file: parts, of which only those that are looked at are read and judged."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from operator import attrgetter, is_not
from typing import TYPE_CHECKING, Final, TypeVar, overload

from msgspec.structs import replace

from toolpair.formats.format import Format, Item, Spills, View
from toolpair.history.checked_records import CheckedRecords, items_of
from toolpair.history.conversation import Conversation, ConversationCounts, blocks_by_id
from toolpair.history.cross_window_links import CrossWindowLinks
from toolpair.history.outline import Outline, OutlineWindow, Range
from toolpair.history.report_window import lightened
from toolpair.history.row_index import RowIndex
from toolpair.history.summary import PairRow, Tally, Verdict, verdict_from
from toolpair.history.window import NumberedWindow, Offsets, Reading, Window, WindowIds
from toolpair.history.window_checks import CheckedWindow, in_order, judge_ranges, moved
from toolpair.rules.binding import with_removals
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import Profile
from toolpair.source.container import ConversationSource
from toolpair.source.document import Document
from toolpair.source.gc_pause import collect_young, gc_paused
from toolpair.source.joined import DocumentPart, JoinedDocument
from toolpair.source.offsets import shifted
from toolpair.transcript.edits import Edit, InsertMessage, RemoveThinking, records_of, said_of
from toolpair.transcript.model import Block, Message, Scope, Transcript, WindowEdges
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.history.losses import Losses
    from toolpair.history.row_text_search import TextFilter

_COUNTS: Final[Mapping[str, Callable[[Window], int]]] = {
    "_messages_at": attrgetter("messages"),
    "_pairs_at": attrgetter("pairs"),
    "_counted_at": attrgetter("counted"),
    "_unsent_at": attrgetter("unsent"),
    "_rows_at": attrgetter("row_count"),
}
"""Where a conversation keeps in what numbers its parts begin, and how much of it a part has."""
_NUMBERS: Final = ("_messages_at", "_pairs_at", "_counted_at", "_unsent_at")
"""Those of them that problems are numbered by."""
_UIDS: Final = 1 << 20
"""New records that one part can have."""
_MOST: Final = 5_000
"""Records that are judged together; what needs more is judged as a whole."""
_COLLECTED: Final = 100
"""After so many parts that were changed, what was made for them is given back."""
T = TypeVar("T")


def windowed_conversation(
    number: int,
    source: ConversationSource,
    outline: Outline,
    reading: Reading,
    checking: Callable[[int, int], None] | None = None,
) -> WindowedConversation | None:
    """The conversation whose outline this is. None when it has to be judged as a whole.

    `checking` is told how many stretches are judged, and of how many: more, where some have to do with each other.
    """
    document = reading.document
    last = len(outline.windows)

    def part(wanted: Range) -> DocumentPart:
        first, end = outline.records(wanted)
        # Told apart by their first records, so that no two parts give a new record the same uid.
        return DocumentPart(document, first, end, document.next_uid + first * _UIDS)

    def load(wanted: Range, beyond: WindowEdges) -> CheckedWindow:
        made = part(wanted)
        found = CheckedWindow(reading.judged(made, beyond))
        if reading.view.reporting:
            found, made = lightened(found), part(wanted)
            collect_young()
        documents[wanted.start, wanted.stop] = made
        if checking is not None:
            checking(len(documents), max(len(outline.ranges), len(documents)))
        return found

    documents: dict[tuple[int, int], DocumentPart] = {}
    judged = judge_ranges(outline, load, _MOST)
    if judged is None:
        return None
    parts: list[Window] = []
    at = 0
    if outline.past:
        replaced = DocumentPart(document, 0, outline.past, document.next_uid)
        behind = WindowEdges(False, True, outline.ids, reading.answered)
        parts.append(Window(reading, replaced, behind, OutlineWindow(0, outline.past)))

    signed = [*accumulate((found.signed for found in reversed(outline.windows)), initial=0)]

    def plain(stop: int) -> None:
        for n in range(at, stop):
            stretch = outline.windows[n]
            answered = reading.answered - stretch.calls
            beyond = WindowEdges(n > 0, n + 1 < last, outline.ids, answered, signed[last - n - 1])
            parts.append(Window(reading, part(Range(n, n + 1)), beyond, stretch))

    for found in judged:
        plain(found.range.start)
        at = found.range.stop
        beyond = found.found.judged.beyond
        assert beyond is not None
        document_part = documents[found.range.start, found.range.stop]
        parts.append(Window(reading, document_part, beyond, judged=found.found))
    plain(last)
    return WindowedConversation(number, source, reading, tuple(parts))


class WindowedConversation(Conversation):
    """As a conversation that is judged whole; what is asked of all of its messages reads them."""

    def __init__(
        self,
        number: int,
        source: ConversationSource,
        reading: Reading,
        parts: tuple[Window, ...],
        ties: CrossWindowLinks | None = None,
        before: JoinedDocument | None = None,
    ) -> None:
        own = self.__dict__
        own["number"], own["label"], own["source"] = number, source.label, source
        own["reading"], own["parts"], own["_known_ties"] = reading, parts, ties
        own["document"] = JoinedDocument(reading.document, [part.document for part in parts], before)

    reading: Reading
    parts: tuple[Window, ...]
    _known_ties: CrossWindowLinks | None

    # What the whole is

    @cached_property
    def whole(self) -> Conversation:
        """The same with all records read and judged at once."""
        document = self.reading.document
        if any(part.document.changed for part in self.parts):
            document = self.joined_document.as_one()
        judged = CheckedRecords(
            items_of(document),
            self.reading.format,
            self.reading.profile,
            self.reading.request,
            self.reading.view,
            document,
        )
        return Conversation(self.number, self.label, self.source, document, judged)

    @property
    def joined_document(self) -> JoinedDocument:
        assert isinstance(self.document, JoinedDocument)
        return self.document

    @property
    def judged(self) -> CheckedRecords:
        return self.whole.judged

    @property
    def format(self) -> Format:
        return self.reading.format

    @property
    def items(self) -> Sequence[Item]:
        return self.whole.items

    def by(self, profile: Profile) -> Conversation:
        anew = self.reading.judged_by(profile) if not any(part.document.changed for part in self.parts) else None
        return anew if isinstance(anew, WindowedConversation) else self.whole.by(profile)

    def viewed(self, view: View) -> Conversation:
        return self.whole.viewed(view)

    # Where parts are

    @cached_property
    def _messages_at(self) -> list[int]:
        return [0, *accumulate(part.messages for part in self.parts)]

    @cached_property
    def _pairs_at(self) -> list[int]:
        return [0, *accumulate(part.pairs for part in self.parts)]

    @cached_property
    def _counted_at(self) -> list[int]:
        return [0, *accumulate(part.counted for part in self.parts)]

    @cached_property
    def _unsent_at(self) -> list[int]:
        return [0, *accumulate(part.unsent for part in self.parts)]

    @cached_property
    def _rows_at(self) -> list[int]:
        return [0, *accumulate(part.row_count for part in self.parts)]

    def exposed(self, number: int) -> NumberedWindow:
        """A part at its place."""
        return self.parts[number].exposed(self._offsets(number))

    def _offsets(self, number: int) -> Offsets:
        return Offsets(
            self._messages_at[number], self._pairs_at[number], self._counted_at[number], self._unsent_at[number]
        )

    # What is in it

    @property
    def is_windowed(self) -> bool:
        return True

    @cached_property
    def transcript(self) -> Transcript:
        messages: Sequence[Message] = _Joined(self, self._messages_at, NumberedWindow.message)
        return replace(self.reading.head, messages=messages, scopes=_Scopes(self))

    @cached_property
    def pairs(self) -> Sequence[Pair]:
        return _Joined(self, self._pairs_at, NumberedWindow.pair)

    @cached_property
    def rows(self) -> Sequence[PairRow]:
        return _Joined(self, self._rows_at, NumberedWindow.row)

    def passing_rows(self) -> Sequence[PairRow]:
        from toolpair.history.row_text_search import PassingRows

        return PassingRows(self.parts, self._rows_at, self._offsets)

    def rows_beside(self, record: int) -> range:
        number = self._part_of_record(record)
        return range(0) if number is None else range(self._rows_at[number], self._rows_at[number + 1])

    def sieve(self, texts: Sequence[str]) -> TextFilter | None:
        from toolpair.history.row_text_search import TextFilter
        from toolpair.history.text_prefilter import ByteQuery

        wanted = ByteQuery(texts)
        return TextFilter(self.parts, self._rows_at, wanted) if wanted.tells else None

    @property
    def places(self) -> RowIndex:
        return _LongPlaces(self)

    @cached_property
    def problems(self) -> Sequence[Problem]:
        by_part = self._problems_of_parts
        return tuple(in_order([problem for number in sorted(by_part) for problem in by_part[number]]))

    @cached_property
    def _problems_of_parts(self) -> Mapping[int, Sequence[Problem]]:
        """By the number of a part; those that have none may be missing."""
        return {number: self._problems_of(number) for number, part in enumerate(self.parts) if part.problem_count}

    def _problems_of(self, number: int) -> Sequence[Problem]:
        """The problems of a part, numbered as in the whole."""
        part = self.parts[number]
        if not part.problem_count:
            return ()
        lead = part.stretch_judged.lead
        messages, pairs = self._messages_at[number] - lead, self._pairs_at[number]
        counted, unsent = self._counted_at[number] - min(lead, 1), self._unsent_at[number] - lead
        return [moved(problem, messages, pairs, counted, unsent) for problem in part.judged.problems]

    @property
    def profile(self) -> Profile:
        return self.reading.profile

    @property
    def judged_by(self) -> Profile:
        return self.reading.profile.for_model(self.reading.head.model)

    @cached_property
    def counts(self) -> ConversationCounts:
        messages = (message for part in self.parts if not part.clean for message in part.judged.transcript.messages)
        blocks = [block for message in messages for block in message.blocks]
        calls = sum(part.pairs for part in self.parts if part.clean)
        return ConversationCounts(
            records=self.document.count,
            messages=self._messages_at[-1],
            calls=calls + sum(block.kind == "call" for block in blocks),
            results=calls + sum(block.kind == "result" for block in blocks),
            pairs=self._pairs_at[-1],
            inactive=self.reading.inactive + sum(part.inactive for part in self.parts),
        )

    @property
    def damaged(self) -> int:
        scopes = (part.judged.transcript.scopes for part in self.parts if not part.clean)
        malformed = (uid for found in scopes for uid, scope in found.items() if scope == "malformed")
        return sum(self.document.record(uid).count for uid in malformed)

    @property
    def inactive_blocks(self) -> Sequence[Block]:
        parts = (part for part in self.parts if not part.clean or part.replaced)
        return [block for part in parts for block in part.judged.transcript.inactive_blocks]

    @cached_property
    def by_id(self) -> Mapping[str, Sequence[Block]]:
        return _ById(self)

    def messages_of(self, records: Container[int]) -> Sequence[int]:
        if not isinstance(records, Collection):
            return super().messages_of(records)
        found: list[int] = []
        for number in sorted({at for uid in records if (at := self._part_of_record(uid)) is not None}):
            exposed, start = self.exposed(number), self._messages_at[number]
            count = self._messages_at[number + 1] - start
            found += [start + n for n in range(count) if any(uid in records for uid in exposed.message(n).records)]
        return found

    def pairs_around(self, message: int) -> Sequence[Pair]:
        number = bisect_right(self._messages_at, message) - 1
        start, stop = self._pairs_at[max(number, 0)], self._pairs_at[min(number + 1, len(self.parts))]
        return self.pairs[start : stop + 1]

    def losses_since(self, before: Conversation) -> Losses:
        from toolpair.history.losses import NOTHING, losses

        if not isinstance(before, WindowedConversation) or before.reading is not self.reading:
            return super().losses_since(before)
        return sum((losses(then, now) for then, now in self._changed_since(before)), NOTHING)

    def sends_less(self, before: Conversation) -> Losses:
        from toolpair.history.losses import NOTHING, less_sent

        if not isinstance(before, WindowedConversation) or before.reading is not self.reading:
            return super().sends_less(before)
        return sum((less_sent(then, now) for then, now in self._changed_since(before)), NOTHING)

    @property
    def sends_nothing(self) -> bool:
        return any(part.refuses is not None for part in self.parts)

    def _changed_since(self, before: WindowedConversation) -> Iterator[tuple[CheckedRecords, CheckedRecords]]:
        for then, now in zip(before.parts, self.parts, strict=True):
            if then is not now:
                yield then.judged, now.judged

    def pair_of(self, block: Block) -> Pair | None:
        number = self._part_of_record(block.record)
        if number is None:
            return None
        judged = self.parts[number].judged
        found = judged.judgement.pairing.pair_of(block)
        if found is None:  # the block may have been read with the whole
            own = (one for message in judged.transcript.messages for one in message.blocks)
            same = next((one for one in own if (one.kind, one.key) == (block.kind, block.key)), None)
            found = None if same is None else judged.judgement.pairing.pair_of(same)
        return None if found is None else self.exposed(number).pair(found.index)

    def _part_of_record(self, uid: int) -> int | None:
        try:
            return self.joined_document.part_of(uid)
        except KeyError:
            return None

    @cached_property
    def tally(self) -> Tally:
        return sum((part.tally for part in self.parts), Tally())

    @cached_property
    def verdict(self) -> Verdict:
        refuses = next((part.refuses for part in self.parts if part.refuses is not None), None)
        return verdict_from(self.tally, self.problems, self.reading.head, self.reading.profile, refuses)

    # What changes it

    def apply(self, edits: Sequence[Edit], heed: Callable[[int], None] | None = None) -> Conversation:
        """The conversation after the edits; only what they reach is read and judged again.

        `heed` is told how many parts are done.
        """
        with gc_paused():
            return self._applied(edits, heed)

    def _applied(self, edits: Sequence[Edit], heed: Callable[[int], None] | None = None) -> Conversation:
        by_part: dict[int, list[Edit]] = {}
        if any(isinstance(edit, RemoveThinking) for edit in edits):
            return self._applied_to_the_whole(edits)
        for edit in edits:
            numbers = {self._part_of_record(uid) for uid in records_of(edit)}
            if isinstance(edit, InsertMessage) and edit.after is None:
                numbers = {1 if self.reading.past else 0}
            if len(numbers) != 1 or None in numbers or (self.reading.past and 0 in numbers):
                return self._applied_to_the_whole(edits)
            by_part.setdefault(next(number for number in numbers if number is not None), []).append(edit)
        parts = list(self.parts)
        ties = self._ties.copy()
        for done, (number, wanted) in enumerate(by_part.items()):
            if done % _COLLECTED == _COLLECTED - 1:
                collect_young()
            if heed is not None:
                heed(done)
            part = parts[number]
            alone = Conversation(self.number, self.label, self.source, part.document.now, part.judged)
            try:
                after = alone.apply(wanted).document
            except Spills:
                return self._applied_to_the_whole(edits)
            if after is part.document.now:
                continue
            if not _holds_its_ends(part.document.now, after, part.beyond):
                return self._applied_to_the_whole(edits)
            beyond = part.beyond
            made = part.with_document(
                part.document.with_document(after),
                replace(beyond, ids=WindowIds(self.reading.ids, ties.new_ids)),
            )
            if self.reading.native and (
                (self._may_be_interrupted(part) and _turns(part.judged) != _turns(made.judged))
                or _links(made.judged) > _links(part.judged)
            ):
                return self._applied_to_the_whole(edits)
            if not ties.change(part, made) or made.signed != part.signed:
                return self._applied_to_the_whole(edits)  # what stands in front counts the signed thinking behind it
            parts[number] = made
        if not any(map(is_not, parts, self.parts)):
            return self
        made_of = WindowedConversation(self.number, self.source, self.reading, tuple(parts), ties, self.joined_document)
        made_of._go_on_from(self, sorted(by_part))
        return made_of

    def _may_be_interrupted(self, part: Window) -> bool:
        """Whether the end of the history reaches to this part: there an agent looks for an interrupted turn."""
        inside = self.reading.inside(part.document.first, part.document.end)
        return not part.beyond.after or inside is None or inside.ties_to_end

    def _go_on_from(self, before: WindowedConversation, numbers: Sequence[int]) -> None:
        """Take over what is known of the parts, all but those with these numbers the same as before."""
        own = self.__dict__
        changed = [(before.parts[number], self.parts[number]) for number in numbers]
        own["tally"] = before.tally + sum((new.tally - old.tally for old, new in changed), Tally())
        for name, of in _COUNTS.items():
            grown = ((number, of(new) - of(old)) for number, (old, new) in zip(numbers, changed, strict=True))
            own[name] = shifted(getattr(before, name), grown)
        problems = dict(before._problems_of_parts)
        anew = set(numbers)
        if any(own[name] is not getattr(before, name) for name in _NUMBERS):
            anew.update(number for number in problems if number > numbers[0])
        for number in anew:
            problems[number] = self._problems_of(number)
        own["_problems_of_parts"] = problems

    def _applied_to_the_whole(self, edits: Sequence[Edit]) -> Conversation:
        transcript = self.whole.transcript
        blocks = {(block.kind, block.key): block for message in transcript.messages for block in message.blocks}
        messages = {message.records: message for message in transcript.messages}
        edits = said_of(edits, lambda b: blocks[b.kind, b.key], lambda m: messages[m.records])
        after = self.whole.apply(with_removals(edits, transcript))
        return self if after.document is self.whole.document else after

    @cached_property
    def _ties(self) -> CrossWindowLinks:
        return self._known_ties or CrossWindowLinks.of(self.parts)


def _turns(judged: CheckedRecords) -> tuple[bool, bool]:
    """Whether the user says anything in a part, and whether it ends with results: what stands in front may hang on it.

    An agent takes results at the very end, behind which the user says nothing, for a turn that was interrupted.
    """
    users = [message for message in judged.transcript.messages if message.records and message.role == "user"]
    last = next((message for message in reversed(judged.transcript.messages) if message.records), None)
    says = any(block.kind != "result" for message in users for block in message.blocks)
    return says, last is not None and any(block.kind == "result" for block in last.blocks)


def _links(judged: CheckedRecords) -> int:
    """How many lost links there are: where one comes, what it hides may stand in front of the part."""
    return sum(problem.rule.startswith("chain.") for problem in judged.problems)


def _holds_its_ends(before: Document, after: Document, beyond: WindowEdges) -> bool:
    """Whether the records at both ends are the same: what stands there beside other parts does so still."""
    old, new = before.records, after.records
    first = not beyond.before or (bool(new) and old[0].uid == new[0].uid)
    return first and (not beyond.after or (bool(new) and old[len(old) - 1].uid == new[len(new) - 1].uid))


class _LongPlaces:
    """Where pairs, records and messages stand in the rows: asked of the part that they stand in."""

    def __init__(self, conversation: WindowedConversation) -> None:
        self._conversation = conversation

    def of_pair(self, index: int) -> int | None:
        conversation = self._conversation
        if not 0 <= index < conversation._pairs_at[-1]:
            return None
        number = bisect_right(conversation._pairs_at, index) - 1
        return self._row(number, conversation.parts[number].places.of_pair(index - conversation._pairs_at[number]))

    def of_record(self, record: int) -> int | None:
        number = self._conversation._part_of_record(record)
        return None if number is None else self._row(number, self._conversation.parts[number].places.of_record(record))

    def of_part(self, record: int) -> int | None:
        number = self._conversation._part_of_record(record)
        return None if number is None else self._row(number, self._conversation.parts[number].places.of_part(record))

    def of_message(self, number: int) -> int:
        conversation = self._conversation
        at = min(max(bisect_right(conversation._messages_at, number) - 1, 0), len(conversation.parts) - 1)
        while at >= 0:
            part = conversation.parts[at]
            local = number - conversation._messages_at[at] + part.stretch_judged.lead
            row = part.places.of_message_or_before(local)
            if row is not None:
                return conversation._rows_at[at] + row
            at -= 1
        return 0

    def _row(self, number: int, row: int | None) -> int | None:
        return None if row is None else self._conversation._rows_at[number] + row


class _Scopes(Mapping[int, Scope]):
    """The scopes of the records that are not active, looked for in the part that the record stands in."""

    def __init__(self, conversation: WindowedConversation) -> None:
        self._conversation = conversation

    def __getitem__(self, uid: int) -> Scope:
        number = self._conversation._part_of_record(uid)
        if number is None:
            raise KeyError(uid)
        return self._conversation.parts[number].judged.transcript.scopes[uid]

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(part.judged.transcript.scopes for part in self._conversation.parts)

    def __len__(self) -> int:
        return sum(len(part.judged.transcript.scopes) for part in self._conversation.parts)


class _ById(Mapping[str, Sequence[Block]]):
    """The blocks by id, looked for in the part that the id stands in."""

    def __init__(self, conversation: WindowedConversation) -> None:
        self._conversation = conversation

    def __getitem__(self, id_: str) -> Sequence[Block]:
        conversation = self._conversation
        numbers = {number for number, part in enumerate(conversation.parts) if part.document.changed}
        reading = conversation.reading
        known = reading.ids.get(id_)
        firsts = [part.document.first for part in conversation.parts]
        for record in reading.named(id_) if known is None else (known,):
            numbers.add(max(bisect_right(firsts, record) - 1, 0))
        blocks = [
            block
            for number in sorted(numbers)
            for block in blocks_by_id(conversation.parts[number].judged.transcript.messages).get(id_, ())
        ]
        if not blocks:
            raise KeyError(id_)
        return blocks

    def __iter__(self) -> Iterator[str]:
        return iter(blocks_by_id(self._conversation.transcript.messages))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Joined(Sequence[T]):
    """What parts hold, in a row, made when it is asked for."""

    def __init__(
        self, conversation: WindowedConversation, starts: Sequence[int], get: Callable[[NumberedWindow, int], T]
    ) -> None:
        self._conversation = conversation
        self._starts = starts
        self._get = get

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T, ...]: ...
    def __getitem__(self, key: int | slice) -> T | tuple[T, ...]:
        if isinstance(key, slice):
            return tuple(self[place] for place in range(*key.indices(len(self))))
        place = key + len(self) if key < 0 else key
        if not 0 <= place < len(self):
            raise IndexError("there is nothing at this place")
        number = bisect_right(self._starts, place) - 1
        return self._get(self._conversation.exposed(number), place - self._starts[number])

    def __iter__(self) -> Iterator[T]:
        for number, start in enumerate(self._starts[:-1]):
            exposed = self._conversation.exposed(number)
            for place in range(self._starts[number + 1] - start):
                yield self._get(exposed, place)
