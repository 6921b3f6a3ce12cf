"""A doubly linked list of objects that hold their own links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Protocol, Self, TypeVar


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

    def extend(self, new: Iterable[W]) -> None:
        """Append items that have never been in a list."""
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

    def in_order(self, ones: Sequence[W]) -> list[W]:
        """These items, all in the list, in list order. Faster the closer together they are."""
        wanted = {id(one) for one in ones}
        found = [ones[0]] if ones else []
        back: W | None = ones[0] if ones else None
        on = back
        earlier: list[W] = []
        while len(earlier) + len(found) < len(wanted) and (back is not None or on is not None):
            back = back.before if back is not None else None
            on = on.after if on is not None else None
            if back is not None and id(back) in wanted:
                earlier.append(back)
            if on is not None and id(on) in wanted:
                found.append(on)
        return [*reversed(earlier), *found]
