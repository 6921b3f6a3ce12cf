"""A net that knows no format: no placeholder is recommended for a call whose id stands elsewhere in the file.

What a reader does not know may be the call's output: a block of an unknown type, a field too many, a text. So before a
placeholder is recommended, the id is looked for in the bytes, as a whole string or a token in one. Not elsewhere are
the call and its copies, other exchanges with the same id, errors that quote it, and what its agent is known to keep
beside its calls. The file is searched once for all calls that want it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.besides import known_places
from toolpair.dialects.block_texts import is_real_output
from toolpair.formats.format import Format, Item
from toolpair.rules.problem import Fix, Problem
from toolpair.source.document import Document
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.json_strings import is_bookkeeping, spellings, strings_in, written
from toolpair.source.limits import GB, in_words
from toolpair.source.record_values import parse
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import InsertResult, Rename
from toolpair.transcript.id_shapes import usable
from toolpair.transcript.model import Block, Damaged, Transcript
from toolpair.transcript.output_copies import Copies
from toolpair.transcript.pairing import Pairing
from toolpair.transcript.placeholders import known_placeholder

_BLOCK: Final = 1 << 18
_TOGETHER: Final = 1_000
"""Records that are written one behind the other to be searched."""
MOST_SEARCHED: Final = 2 * GB
"""Bytes that are searched."""
_GROUPS: Final = 24
"""Beginnings of ids, and their sizes, that are looked for one by one."""
_FEW: Final = 4
"""So many ids are each looked for as a whole: what all ids begin with stands in many places."""
_BEGINNING: Final = 5
_CALLS: Final = ("call", "server_call", "mcp_call")
_TOLD: Final = frozenset({"output", "content", "error", "stdout", "stderr", "response", "text", "Ok", "Err", "result"})
_OUTPUTS: Final = frozenset({"output", "result", "results", "content", "error", "stdout", "stderr", "response"})
_KIND_KEYS: Final = ("type", "subtype", "customType")
_WORDS: Final = re.compile(rb"[A-Za-z0-9_-]++")
Slot = tuple[str | int, ...]
_Find = Callable[[bytes], Iterator[tuple[int, bytes]]]


class _Wanted(Struct, frozen=True):
    """A call without a result, and where the transcript knows its id."""

    id: str
    record: int
    tool: str | None
    slot: Slot
    known: Mapping[int, Collection[Slot]]
    """By record: the blocks that have the id, and are no unknown result of the call."""
    not_searched: str | None
    """Which files beside this one may have its output, too."""


class IdPlaces:
    """The ids of one file, or of one list in memory. Shared by all that is judged of it."""

    def __init__(
        self,
        document: Document | None,
        items: Sequence[Item] = (),
        format: Format | None = None,
        *,
        most: int = MOST_SEARCHED,
    ) -> None:
        self._document = document
        self._most = most
        self._listed = {item.uid: (number, item.value) for number, item in enumerate(items)}
        """Of a list in memory: the number and the value of each message, by its uid."""
        self._beside = format.ids_beside if format is not None else frozenset[str]()
        self._ends = format.outputs_beside if format is not None else frozenset[str]()
        self._wanted: dict[str, _Wanted] = {}
        self._new: dict[str, None] = {}
        """Those that have not been looked for yet."""
        self._found: dict[str, list[int]] = {}
        """The records that hold each id, of those that were looked for."""
        self._renamed: dict[str, str] = {}
        self._all_searched = True
        self._spelt: dict[bytes, str] = {}
        self._find = _finder(())

    def rename(self, old: Any, new: str) -> None:
        """A fix gives a call a new id: what stands in the file has the old one."""
        if usable(old) and old != new:
            self._renamed[new] = self._renamed.get(old, old)

    def want(self, problems: Iterable[Problem], transcript: Transcript, pairing: Pairing) -> None:
        """Take down the calls for which a placeholder would be recommended."""
        calls = {self._id(call): call for problem in problems for call in _answered(problem) if usable(call.id)}
        if not calls:
            return
        known: dict[str, dict[int, list[Slot]]] = {id_: defaultdict(list) for id_ in calls}
        inactive = [*transcript.inactive_blocks, *transcript.unreached]
        asked = {block.id for block in inactive if block.kind in _CALLS and usable(block.id)}
        for block in (*(block for message in transcript.messages for block in message.blocks), *inactive):
            at = known.get(self._id(block)) if usable(block.id) else None
            if at is None:
                continue
            if block.kind in _CALLS or (block.kind == "result" and not is_real_output(block)):
                at[block.record].append(block.slot)
            elif block.kind == "result":
                pair = pairing.pair_of(block)
                asks = pair.call if pair is not None else None
                if asks is not None and asks.record == block.record and block.slot[: len(asks.slot)] == asks.slot:
                    at[block.record].append(asks.slot[:-1])  # one object is the call and its result, with the id in it
                elif asks is not None or (pair is None and block.id in asked):
                    at[block.record].append(block.slot)
        copies = transcript.copies if isinstance(transcript.copies, Copies) else None
        for id_, call in calls.items():
            left = copies.not_searched(id_) if copies is not None else None
            self._wanted[id_] = _Wanted(id_, call.record, call.name, call.slot, known[id_], left)
            if id_ not in self._found:
                self._new[id_] = None

    def settled(
        self, problems: Sequence[Problem], items: Sequence[Item], document: Document | None, whole: bool
    ) -> Sequence[Problem]:
        """The problems, without recommending placeholders for ids that stand elsewhere, or new ids for their calls:
        these would part a call from what may be its output.

        `items`, `document`: the records that were judged as they are now; `whole`: they are all of the history.
        """
        self._search()
        records = _Records(self._document, self._listed, items, document, whole, self._spelt, self._find)
        held: dict[str, str] = {}
        found = [self._settled(problem, records, held) for problem in problems]
        return tuple([self._unparted(problem, held) for problem in found] if held else found)

    def _settled(self, problem: Problem, records: _Records, held: dict[str, str]) -> Problem:
        """The problem; the ids of calls that are held back are added to `held`, with the reason."""
        wanted = [found for call in _answered(problem) if (found := self._wanted.get(self._id(call))) is not None]
        reasons = {one.id: why for one in wanted if (why := self._why_not(one, records)) is not None}
        if not reasons:
            return problem
        held |= reasons
        return _left(problem, _writes_placeholder, next(iter(reasons.values())))

    def _unparted(self, problem: Problem, held: Mapping[str, str]) -> Problem:
        """The problem, without recommending a new id for a call that is held back."""
        renamed = [id_ for fix in problem.fixes if fix.recommended for id_ in self._renamed_by(fix) if id_ in held]
        if not renamed:
            return problem
        why = f"a call has no result, and {held[renamed[0]]}"
        return _left(problem, lambda fix: not held.keys().isdisjoint(self._renamed_by(fix)), why)

    def _renamed_by(self, fix: Fix) -> list[str]:
        edits = (edit for edit in fix.edits if isinstance(edit, Rename) and edit.block.kind in _CALLS)
        return [self._id(edit.block) for edit in edits]

    def _id(self, block: Block) -> str:
        id_ = block.id if isinstance(block.id, str) else ""
        return self._renamed.get(id_, id_)

    def _why_not(self, wanted: _Wanted, records: _Records) -> str | None:
        if records.holds_output(wanted.record, wanted.slot):
            return f"in {records.place(wanted.record)}, the call itself has a text that may be its output"
        places = [uid for uid in self._found[wanted.id] if self._says_more(uid, wanted, records)]
        if places:
            more = f" and {plural(len(places) - 1, 'other place')}" if len(places) > 1 else ""
            return f"its id also stands in {records.place(places[0])}{more}, where its output may be"
        if not self._all_searched:
            return f"its id was only looked for in the first {in_words(self._most)}, and its output may come later"
        if wanted.not_searched is not None:
            return f"{wanted.not_searched} for its output, which may be there"
        return None

    # --- searching ---------------------------------------------------------------------------------------

    def _search(self) -> None:
        if not self._new:
            return
        new, self._new = list(self._new), {}
        self._found.update((id_, []) for id_ in new)
        spelt = {spelling: id_ for id_ in new for spelling in _spelt(id_)}
        find = _finder(spelt)
        self._spelt.update(spelt)
        self._find = _finder(self._spelt) if len(spelt) < len(self._spelt) else find
        searched = 0
        for uid_at, block in self._blocks():
            if searched > self._most:
                self._all_searched = False
                return
            for at, spelling in find(block):
                uid, found = uid_at(at), self._found[spelt[spelling]]
                if not found or found[-1] != uid:
                    found.append(uid)
            searched += len(block)

    def _blocks(self) -> Iterator[tuple[Callable[[int], int], bytes]]:
        """The bytes of the records in blocks, each with what says which record stands at a byte of it."""
        document = self._document
        if document is not None and isinstance(document.records, IndexedRecords):
            positions = document.records.positions
            for start, block in positions.texts(_BLOCK):
                yield lambda at, start=start: positions.uid_at(start + at), block  # type: ignore[misc]
            return
        records: Iterable[tuple[int, bytes | memoryview]]
        if document is None:
            records = ((uid, written(value)) for uid, (_, value) in self._listed.items())
        else:
            records = ((record.uid, record.body) for record in document.records)
        while some := list(islice(records, _TOGETHER)):
            ends = [*accumulate(len(body) + 1 for _, body in some)]
            yield lambda at, ends=ends, some=some: some[bisect_right(ends, at)][0], b"\n".join(b for _, b in some)  # type: ignore[misc]

    def _says_more(self, uid: int, wanted: _Wanted, records: _Records) -> bool:
        """Whether the id stands in a record where nothing explains it."""
        uid = records.first_line(uid)
        read = records.read(uid)
        if read is None or not self._beside.isdisjoint(read.kinds):
            return False
        if not self._ends.isdisjoint(read.kinds) and not records.tells_output(uid):
            return False
        known = wanted.known.get(uid, ())
        for place in read.places.get(wanted.id, ()):
            if any(place.slot[:deep] in known for deep in range(len(place.slot) + 1)):
                continue
            if place.key in self._beside or (len(place.text) > len(wanted.id) and wanted.id in _quoted(place.text)):
                continue
            if not _is_copy(place.around, wanted.tool, records.said(wanted.record)):
                return True
        return False


class _Place(Struct, frozen=True):
    """A string that holds an id, or is one."""

    slot: Slot
    key: str
    text: str
    around: Mapping[str, Any] | None
    """The outermost object around it that is no list's element together with others."""


class _Read(Struct, frozen=True):
    kinds: frozenset[str]
    places: Mapping[str, Sequence[_Place]]
    """By id."""


class _Records:
    """Records as they are now; each is read once, whatever is asked of it."""

    def __init__(
        self,
        opened: Document | None,
        listed: Mapping[int, tuple[int, Any]],
        now_items: Sequence[Item],
        now: Document | None,
        whole: bool,
        spelt: Mapping[bytes, str],
        find: _Find,
    ) -> None:
        self._opened = opened
        self._listed = listed
        self._now_items = now_items
        self._now = now
        self._whole = whole
        self._spelt = spelt
        self._find = find
        self._read: dict[int, _Read | None] = {}
        self._said: dict[int, frozenset[str]] = {}

    def read(self, uid: int) -> _Read | None:
        """Where ids stand in a record; None for one that is gone."""
        if uid not in self._read:
            body = self.body(uid)
            self._read[uid] = None if body is None else self._look(body)
        return self._read[uid]

    def _look(self, body: bytes) -> _Read:
        value = parse(body)
        places: dict[str, list[_Place]] = defaultdict(list)
        if isinstance(value, (dict, list)):
            strings = _strings(value)
        else:
            strings = (_Place((), "", text, None) for _, text in strings_in(body))
        for place in strings:
            text = place.text.encode("utf-8", "replace")
            found = [text] if text in self._spelt else dict.fromkeys(spelt for _, spelt in self._find(text))
            for spelt in found:
                places[self._spelt[spelt]].append(place)
        return _Read(frozenset(_kinds(value) if isinstance(value, dict) else ()), places)

    def body(self, uid: int) -> bytes | None:
        """The bytes of a record, of one over several lines all of them; None for one that is gone."""
        document = self._document(uid)
        if document is not None:
            over = _over_lines(document).get(uid)
            lines = (uid, *over.after) if over is not None else (uid,)
            return b"\n".join([document.record(line).body for line in lines])
        if self._opened is not None or self._now is not None:
            return None
        if uid in self._values:
            return written(self._values[uid])
        return written(self._listed[uid][1]) if not self._whole and uid in self._listed else None

    def _document(self, uid: int) -> Document | None:
        """The newest document that has the record; None for one that is gone."""
        if self._now is not None and uid in self._now:
            return self._now
        gone = self._now is not None and (self._whole or self._first <= uid <= self._last)
        return None if gone or self._opened is None or uid not in self._opened else self._opened

    def first_line(self, uid: int) -> int:
        """The first line of the record that a line belongs to."""
        document = self._document(uid)
        firsts = None if document is None else self._firsts_now if document is self._now else self._firsts_opened
        return firsts.get(uid, uid) if firsts else uid

    @cached_property
    def _firsts_now(self) -> Mapping[int, int]:
        return _first_lines(self._now)

    @cached_property
    def _firsts_opened(self) -> Mapping[int, int]:
        return _first_lines(self._opened)

    @cached_property
    def _uids(self) -> Sequence[int]:
        return [record.uid for record in self._now.records if record.line is not None] if self._now is not None else []

    @cached_property
    def _first(self) -> int:
        return min(self._uids, default=0)

    @cached_property
    def _last(self) -> int:
        return max(self._uids, default=-1)

    @cached_property
    def _values(self) -> Mapping[int, Any]:
        return {item.uid: item.value for item in self._now_items}

    def said(self, uid: int) -> frozenset[str]:
        """The texts of a call's own record: a copy of the call says nothing else."""
        if uid not in self._said:
            body = self.body(uid)
            self._said[uid] = frozenset(() if body is None else (text for _, text in strings_in(body)))
        return self._said[uid]

    def holds_output(self, uid: int, slot: Slot) -> bool:
        """Whether there is a text where outputs are, in what the record says of a call."""
        body = self.body(uid)
        value: Any = None if body is None or not slot else parse(body)
        try:
            for step in slot:
                value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
        if not isinstance(value, dict):
            return False
        besides = {key: part for key, part in value.items() if key not in known_places("call")}
        return any(
            key in _OUTPUTS and text.strip() and known_placeholder(text.strip()) is None
            for key, text in strings_in(written(besides))
        )

    def tells_output(self, uid: int) -> bool:
        """Whether a record has a text where outputs are."""
        body = self.body(uid)
        texts = strings_in(body) if body is not None else ()
        return any(
            key.removeprefix("aggregated_").removeprefix("formatted_") in _TOLD and text.strip() for key, text in texts
        )

    def place(self, uid: int) -> str:
        opened = self._opened
        if opened is None:
            return f"message {self._listed[uid][0] if uid in self._listed else uid}"
        if uid not in opened:
            return "a record that a fix writes"
        line = opened.line_of(uid) if opened.kind == "lines" else None
        return f"line {line:,}" if line is not None else f"message {opened.number_of(uid):,}"


def _over_lines(document: Document) -> Mapping[int, Damaged]:
    """Its records that are written over several lines. A file that is read in windows is not read whole for them."""
    return {} if isinstance(document.records, IndexedRecords) else document.over_lines


def _first_lines(document: Document | None) -> Mapping[int, int]:
    """For each further line of such a record its first one."""
    over = _over_lines(document) if document is not None else {}
    return {line: first for first, record in over.items() for line in record.after}


def _answered(problem: Problem) -> Iterator[Block]:
    """The calls that would be answered by a recommended placeholder."""
    if problem.severity == "error":
        for fix in problem.fixes:
            if _writes_placeholder(fix):
                calls = [edit.call for edit in fix.edits if isinstance(edit, InsertResult)]
                yield from calls or ([problem.call] if problem.call is not None else [])


def _left(problem: Problem, by: Callable[[Fix], bool], why: str) -> Problem:
    """The problem without recommending these fixes."""
    fixes = tuple(replace(fix, recommended=False) if by(fix) else fix for fix in problem.fixes)
    return replace(problem, fixes=fixes, no_fix=f"{why[:1].upper()}{why[1:]}.")


def _writes_placeholder(fix: Fix) -> bool:
    return fix.recommended and fix.placeholder


def _spelt(id_: str) -> Iterator[bytes]:
    """The bytes of an id, as text and as JSON may spell it."""
    yield from dict.fromkeys((id_.encode("utf-8", "replace"), *spellings(id_))) if id_ else ()


def _finder(wanted: Collection[bytes]) -> _Find:
    """Finds in a text where any of these stands as a token."""
    words = frozenset(one for one in wanted if _WORDS.fullmatch(one))
    beginnings = [(one, [len(one)]) for one in words] if len(words) <= _FEW else _grouped(words)
    several = sum(len(sizes) for _, sizes in beginnings) > _GROUPS
    beginnings = [*([] if several else beginnings), *_grouped(set(wanted) - words)]

    def find(text: bytes) -> Iterator[tuple[int, bytes]]:
        if several:
            yield from ((match.start(), match[0]) for match in _WORDS.finditer(text) if match[0] in words)
        for beginning, sizes in beginnings:
            at = text.find(beginning)
            while at >= 0:
                for size in sizes:
                    one = text[at : at + size]
                    if one in wanted and _is_apart(text, at, at + size):
                        yield at, one
                at = text.find(beginning, at + 1)

    return find


def _grouped(ids: Iterable[bytes]) -> Sequence[tuple[bytes, Sequence[int]]]:
    """What ids begin with, and the sizes of those that begin so."""
    groups: dict[bytes, list[bytes]] = defaultdict(list)
    for one in ids:
        groups[one[:_BEGINNING]].append(one)
    return [(_common(min(group), max(group)), sorted(set(map(len, group)))) for group in groups.values()]


def _common(one: bytes, other: bytes) -> bytes:
    """What both begin with."""
    return one[: next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))]


def _is_apart(text: bytes, start: int, end: int) -> bool:
    return not (start and _WORDS.match(text, start - 1, start)) and not _WORDS.match(text, end, end + 1)


def _kinds(record: Mapping[str, Any], deep: int = 2) -> Iterator[str]:
    """The names of a record's kind, and of what it carries."""
    for key in _KIND_KEYS:
        kind = record.get(key)
        if isinstance(kind, str):
            yield kind
    for part in record.values() if deep else ():
        if isinstance(part, dict):
            yield from _kinds(part, deep - 1)


def _strings(value: Any) -> Iterator[_Place]:
    """The strings in a value, and its keys."""
    todo: list[tuple[Any, Slot, str, Mapping[str, Any] | None]] = [(value, (), "", None)]
    while todo:
        here, slot, key, around = todo.pop()
        if isinstance(here, str):
            yield _Place(slot, key, here, around)
        elif isinstance(here, list):
            for number, part in enumerate(here):
                todo.append((part, (*slot, number), key, None if isinstance(part, dict) else around))
        elif isinstance(here, dict):
            outer = here if around is None else around
            for name, part in here.items():
                yield _Place(slot, name, name, outer)
                todo.append((part, (*slot, name), name, outer))


def _is_copy(around: Mapping[str, Any] | None, tool: str | None, said: frozenset[str]) -> bool:
    """Whether an object is a copy of the call: it names its tool, and says nothing that the call does not."""
    if around is None or not tool:
        return False
    texts = [*strings_in(written(around))]
    named = any(text == tool for _, text in texts)
    return named and all(text in said or is_bookkeeping(key, text.strip()) for key, text in texts)


def _quoted(text: str) -> Collection[str]:
    from toolpair.rules.errors.error_detection import ids_quoted  # only where the id stands in a longer text

    return ids_quoted(text)
