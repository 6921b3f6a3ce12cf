"""A doubly linked list of objects that hold their own links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Generic, Protocol, Self, TypeVar

_ROOM: Final = 256
"""How many bits lie between the places of two neighbours: as much as can be put in before all are counted again."""


class Linked(Protocol):
    """An item of one list. Only the list may change its neighbours."""

    before: Self | None
    after: Self | None


W = TypeVar("W", bound=Linked)


class LinkedList(Generic[W]):
    """Inserting and removing take constant time anywhere."""

    def __init__(self) -> None:
        self._first: W | None = None
        self._last: W | None = None
        self._out: set[int] = set()
        self._places: dict[int, int] | None = None
        """By id(), those that were asked for and hold still."""

    @property
    def first(self) -> W | None:
        return self._first

    @property
    def last(self) -> W | None:
        return self._last

    def __iter__(self) -> Iterator[W]:
        found = self._first
        while found is not None:
            yield found
            found = found.after

    def clear(self) -> None:
        """Take out all; they no longer refer to each other."""
        found = self._first
        while found is not None:
            one, found = found, found.after
            one.before = one.after = None
        self._first = self._last = self._places = None

    def extend(self, new: Iterable[W]) -> None:
        """Put in what was in no list, after all else."""
        self._places = None
        last = self._last
        for one in new:
            one.before = last
            if last is None:
                self._first = one
            else:
                last.after = one
            last = one
        self._last = last

    def insert_after(self, anchor: W | None, one: W) -> None:
        """Insert `one`, which is not in the list, after `anchor`, or at the front when it is None."""
        self._out.discard(id(one))
        one.before = anchor
        one.after = self._first if anchor is None else anchor.after
        if anchor is None:
            self._first = one
        else:
            anchor.after = one
        if one.after is None:
            self._last = one
        else:
            one.after.before = one

        if self._places is not None:
            self._find_place(self._places, one)

    def _find_place(self, places: dict[int, int], one: W) -> None:
        low = 0 if one.before is None else places[id(one.before)]
        room = (places[id(one.after)] - low) >> 6 if one.after is not None else 1 << _ROOM
        if room:
            places[id(one)] = low + room
        else:
            self._places = None

    def place(self, one: W) -> int:
        """A number that grows along the list, for comparing what is in it; it may change when something is put in."""
        if self._places is None:
            self._places = {id(found): number << _ROOM for number, found in enumerate(self, 1)}
        return self._places[id(one)]

    def is_in(self, one: W) -> bool:
        """Whether it is in the list now; False if it was removed or never inserted."""
        return id(one) not in self._out and (one.before is not None or one is self._first)

    def drop(self, one: W) -> None:
        """Remove it if it is in the list. Its own `after` still points to what followed."""
        if not self.is_in(one):
            return
        self._out.add(id(one))
        if one.before is None:
            self._first = one.after
        else:
            one.before.after = one.after
        if one.after is None:
            self._last = one.before
        else:
            one.after.before = one.before

    def in_order(self, ones: Iterable[W]) -> list[W]:
        """These, which are in the list, in its order; each once."""
        return sorted({id(one): one for one in ones}.values(), key=self.place)
