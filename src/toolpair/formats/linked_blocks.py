"""The blocks of one record while edits are carried out: linked, so that one of very many is put in or out at no cost.

What edits ask of them again and again (up to where results stand in call order, behind which result a text goes,
where the calls begin) is remembered from one edit to the next, and forgotten when something else changes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolpair.formats.linked_records import LinkedList
from toolpair.transcript.model import BlockKind

if TYPE_CHECKING:
    from toolpair.formats.working_copy import DraftRecord


class DraftBlock:
    """One block while edits are carried out: its value, kind and id as they are now."""

    __slots__ = ("after", "before", "home", "id", "kept", "kind", "slot", "value")

    def __init__(self, kind: BlockKind, value: Any, id_: Any = None, slot: tuple[str | int, ...] = ()) -> None:
        self.kind: BlockKind = kind
        self.value = value
        self.id = id_
        self.slot = slot
        self.kept = False
        """It is what was kept of a result; the next one that is kept goes behind it."""
        self.home: Entries | None = None
        """The list that it stands in, or stood in last."""
        self.before: DraftBlock | None = None
        self.after: DraftBlock | None = None


class _Ordered:
    """The results in front of all else that are known to be of calls up to `mine`."""

    __slots__ = ("last", "mine", "passed", "ranks")

    def __init__(self, ranks: object) -> None:
        self.ranks = ranks
        self.mine = -1
        self.last: DraftBlock | None = None
        self.passed: set[int] = set()


class _Behind:
    """The last result, and the last of the kept texts that stand right behind it (itself when none does)."""

    __slots__ = ("end", "result")

    def __init__(self, result: DraftBlock | None) -> None:
        self.result = result
        self.end = result


class Entries(LinkedList[DraftBlock]):
    """The blocks of one work in order. None as an anchor is the place in front of all."""

    def __init__(self, work: DraftRecord, entries: Iterable[DraftBlock] = ()) -> None:
        super().__init__()
        self.work = work
        self._count: dict[str, int] = {}
        self._ordered: _Ordered | None = None
        self._behind: _Behind | None = None
        self._first_call: DraftBlock | None = None
        self._calls_are_last = False
        self.extend(entries)

    def __len__(self) -> int:
        return sum(self._count.values())

    @property
    def first(self) -> DraftBlock | None:
        return self._first

    @property
    def last(self) -> DraftBlock | None:
        return self._last

    def all_are(self, kind: BlockKind) -> bool:
        return self._count.get(kind, 0) == len(self)

    def extend(self, works: Iterable[DraftBlock]) -> None:
        entries = list(works)
        for entry in entries:
            entry.home = self
            entry.after = None
            self._count[entry.kind] = self._count.get(entry.kind, 0) + 1
        super().extend(entries)
        self._forget()

    def insert_after(self, anchor: DraftBlock | None, work: DraftBlock) -> None:
        self._note_new(anchor, work)
        super().insert_after(anchor, work)
        work.home = self
        self._count[work.kind] = self._count.get(work.kind, 0) + 1

    def drop(self, work: DraftBlock) -> None:
        if not self.is_in(work):
            return
        self._note_gone(work)
        self._count[work.kind] -= 1
        super().drop(work)

    def arrange(self, entries: Iterable[DraftBlock]) -> None:
        """Put the entries, which are those that stand here, into this order."""
        entries = list(entries)
        self._first = self._last = None
        self._count.clear()
        self.extend(entries)

    def change(self, entry: DraftBlock, kind: BlockKind, value: Any, id_: Any) -> None:
        """Make the entry, which stands here or did, something else."""
        if self.is_in(entry):
            self._count[entry.kind] -= 1
            self._count[kind] = self._count.get(kind, 0) + 1
            self._forget()
        entry.kind, entry.value, entry.id = kind, value, id_

    def renamed(self, entry: DraftBlock) -> None:
        """Note that the entry has another id now."""
        if self._ordered is not None and id(entry) in self._ordered.passed:
            self._ordered = None

    def cut(self, first: DraftBlock, work: DraftRecord) -> None:
        """Give `work` all from `first` on. It costs as much as the smaller part of the two."""
        self._forget()
        front, rest = self._first, first.after
        while front is not None and front is not first and rest is not None:
            front, rest = front.after, rest.after
        if rest is None:
            taken = list(_from(first))
            self._last = first.before
            if first.before is not None:
                first.before.after = None
        else:
            taken = list(_until(self._first, first))
            self._first, first.before = first, None
        for entry in taken:
            self._count[entry.kind] -= 1
        if rest is None:
            work.entries = Entries(work, taken)
        else:
            mine, self.work = self.work, work
            mine.entries, work.entries = Entries(mine, taken), self

    def in_call_order(self, ranks: dict[str, int], mine: int) -> DraftBlock | None:
        """Behind which entry a result of the call with rank `mine` goes: among the results in front, in call order."""
        known = self._ordered
        if known is None or known.ranks is not ranks or mine < known.mine:
            known = self._ordered = _Ordered(ranks)
        known.mine = mine
        following = known.last.after if known.last is not None else self._first
        while following is not None and following.kind == "result" and ranks.get(str(following.id), -1) <= mine:
            known.passed.add(id(following))
            known.last = following
            following = following.after
        return known.last

    def behind_results(self) -> DraftBlock | None:
        """Behind which entry a text goes that is kept of a result: the last result and what was kept before."""
        if self._behind is None:
            self._behind = _Behind(_back_to_result(self._last))
        self._go_on()
        return self._behind.end

    def put_calls_last(self) -> None:
        """The calls behind all else; otherwise the order stays."""
        self.arrange(sorted(self, key=lambda entry: entry.kind == "call"))
        self._first_call = next((entry for entry in self if entry.kind == "call"), None)
        self._calls_are_last = True

    def call_to_text(self, call: DraftBlock, value: Any) -> None:
        """Make a call a text, and put the calls behind all else."""
        first, known = self._first_call, self._calls_are_last
        following = call.after
        self.change(call, "text", value, None)
        if not known:
            self.put_calls_last()
            return
        if call is first:
            first = following
        else:
            anchor = first.before if first is not None else None
            self.drop(call)
            self.insert_after(anchor, call)
        self._first_call, self._calls_are_last = first, True

    def _forget(self) -> None:
        self._ordered = self._behind = self._first_call = None
        self._calls_are_last = False

    def _note_new(self, anchor: DraftBlock | None, entry: DraftBlock) -> None:
        self._calls_are_last = False
        inside = anchor is None or (self._ordered is not None and id(anchor) in self._ordered.passed)
        behind = self._behind
        if behind is not None:
            if entry.kind == "result":
                if anchor is behind.result:
                    behind.end = entry if behind.end is anchor else behind.end
                    behind.result = entry
                elif not inside:
                    self._behind = None
            elif anchor is behind.end:
                behind.end = entry if entry.kept else anchor
            elif anchor is behind.result or (anchor is not None and anchor.kept):
                self._behind = None
        ordered = self._ordered
        if ordered is not None and anchor is not ordered.last and inside:
            self._ordered = None

    def _note_gone(self, entry: DraftBlock) -> None:
        if self._calls_are_last and entry is self._first_call:
            self._first_call = entry.after
        ordered = self._ordered
        if ordered is not None and id(entry) in ordered.passed:
            ordered.passed.discard(id(entry))
            if entry is ordered.last:
                ordered.last = entry.before
        behind = self._behind
        if behind is None:
            return
        if entry is behind.result:
            behind.result = _back_to_result(entry.before)
            follows = behind.result.after if behind.result is not None else self._first
            end = behind.result
            while follows is not None and follows is not entry and follows.kept:
                end, follows = follows, follows.after
            if follows is not entry or behind.end is entry:
                behind.end = end
        elif entry is behind.end:
            behind.end = entry.before

    def _go_on(self) -> None:
        """Over what is kept behind the end, now that it stands there."""
        behind = self._behind
        assert behind is not None
        follows = behind.end.after if behind.end is not None else self._first
        while follows is not None and follows.kept:
            behind.end, follows = follows, follows.after


def _back_to_result(entry: DraftBlock | None) -> DraftBlock | None:
    while entry is not None and entry.kind != "result":
        entry = entry.before
    return entry


def _from(entry: DraftBlock | None) -> Iterable[DraftBlock]:
    while entry is not None:
        yield entry
        entry = entry.after


def _until(entry: DraftBlock | None, end: DraftBlock) -> Iterable[DraftBlock]:
    while entry is not None and entry is not end:
        yield entry
        entry = entry.after
