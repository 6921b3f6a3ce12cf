"""Which of a file's records name an id, in two integers per mention, for hundreds of thousands of them."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.formats.format import Item, Read


class IdIndex:
    """Maps hashes of ids to record numbers, so a hash collision can add records that do not name the id."""

    def __init__(self) -> None:
        self._of = array("q")
        self._at = array("q")
        self._in_order = True

    def note(self, id_: str, number: int) -> None:
        """Note that the record with this number names the id."""
        self._of.append(hash(id_))
        self._at.append(number)
        self._in_order = False

    def of(self, ids: Iterable[str]) -> set[int]:
        """Numbers of the records that may name one of the ids. A call after a later `note` sorts the index again."""
        if not self._in_order:
            order = sorted(range(len(self._of)), key=self._of.__getitem__)
            self._of = array("q", map(self._of.__getitem__, order))
            self._at = array("q", map(self._at.__getitem__, order))
            self._in_order = True
        numbers: set[int] = set()
        for wanted in {hash(id_) for id_ in ids}:
            numbers.update(self._at[bisect_left(self._of, wanted) : bisect_right(self._of, wanted)])
        return numbers

    def items(self, ids: Iterable[str], read: Read, first: int, end: int) -> list[Item]:
        """The records themselves, except those from `first` to before `end`."""
        numbers = sorted(number for number in self.of(ids) if not first <= number < end)
        return [item for number in numbers for item in read(number, number + 1)]
