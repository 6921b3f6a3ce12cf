"""The records of a file linked while edits are carried out: put in, taken out, walked from any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Protocol, Self, TypeVar


class Linked(Protocol):
    """Something that stands in one list. Its neighbours are the business of the list."""

    before: Self | None
    after: Self | None


W = TypeVar("W", bound=Linked)


class LinkedList(Generic[W]):
    """Putting in and taking out cost the same wherever it is."""

    def __init__(self) -> None:
        self._first: W | None = None
        self._last: W | None = None
        self._out: set[int] = set()

    def __iter__(self) -> Iterator[W]:
        found = self._first
        while found is not None:
            yield found
            found = found.after

    def extend(self, works: Iterable[W]) -> None:
        """Put in works that were in no list, behind all others."""
        last = self._last
        for work in works:
            work.before = last
            if last is None:
                self._first = work
            else:
                last.after = work
            last = work
        self._last = last

    def insert_after(self, anchor: W | None, work: W) -> None:
        """Put `work`, which is not in the list, behind `anchor`; in front of all when that is None."""
        self._out.discard(id(work))
        work.before = anchor
        work.after = self._first if anchor is None else anchor.after
        if anchor is None:
            self._first = work
        else:
            anchor.after = work
        if work.after is None:
            self._last = work
        else:
            work.after.before = work

    def is_in(self, work: W) -> bool:
        """Whether it stands in the list; False for one that was taken out, or never put in."""
        return id(work) not in self._out and (work.before is not None or work is self._first)

    def drop(self, work: W) -> None:
        """Take it out, if it is in. It still leads on to what stood behind it."""
        if not self.is_in(work):
            return
        self._out.add(id(work))
        if work.before is None:
            self._first = work.after
        else:
            work.before.after = work.after
        if work.after is None:
            self._last = work.before
        else:
            work.after.before = work.before

    def in_order(self, works: Sequence[W]) -> list[W]:
        """These works, which are in the list, in its order. The nearer they are to each other, the less it costs."""
        wanted = {id(work) for work in works}
        found = [works[0]] if works else []
        back: W | None = works[0] if works else None
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
