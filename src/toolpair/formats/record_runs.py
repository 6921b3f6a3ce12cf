"""Runs of consecutive records, and where they end: cached from one edit to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from toolpair.formats.linked_records import Linked

W = TypeVar("W", bound=Linked)


class _Run(Generic[W]):
    """Records whose run ends at the same record."""

    __slots__ = ("closed", "end", "joined")

    def __init__(self, end: W) -> None:
        self.end = end
        self.closed = False
        """What follows the end has been looked at."""
        self.joined: _Run[W] | None = None
        """The run that this one was merged into."""


class Ends(Generic[W]):
    """The last of the records that follow one and belong to it, skipping those that do not count.

    Call `put_in` and `taken_out` on every change to such a run. What is inserted must belong to it.
    """

    def __init__(self, counts: Callable[[W], bool], belongs: Callable[[W], bool]) -> None:
        self._counts = counts
        self._belongs = belongs
        self._runs: dict[int, _Run[W]] = {}

    def of(self, work: W) -> W:
        """The end of the run that `work` begins; itself when nothing that follows belongs to it."""
        run = self._run_of(work)
        if run is None:
            run = self._runs[id(work)] = _Run(work)
        while not run.closed:
            following = self._next(run.end)
            if following is None or not self._belongs(following):
                run.closed = True
                break
            known = self._run_of(following)
            if known is None:
                run.end = following
                self._runs[id(following)] = run
            else:
                run.joined = run = known
        return run.end

    def put_in(self, anchor: W | None) -> None:
        """A record was inserted after `anchor`, or one there was removed."""
        while anchor is not None and not self._counts(anchor):
            anchor = anchor.before
        run = self._run_of(anchor) if anchor is not None else None
        if run is not None:
            run.closed = False

    def taken_out(self, work: W) -> None:
        """This one no longer belongs to any run. It is still in its old place."""
        run = self._run_of(work)
        self._runs.pop(id(work), None)
        if run is None or run.end is not work:
            return
        before = work.before
        while before is not None and not self._counts(before):
            before = before.before
        if before is not None and self._run_of(before) is run:
            run.end = before

    def forget(self) -> None:
        self._runs.clear()

    def _next(self, work: W) -> W | None:
        following = work.after
        while following is not None and not self._counts(following):
            following = following.after
        return following

    def _run_of(self, work: W) -> _Run[W] | None:
        run = self._runs.get(id(work))
        while run is not None and run.joined is not None:
            run = self._runs[id(work)] = run.joined
        return run


class _Passed(Generic[W]):
    """The results after a record of calls that are known to answer calls up to `mine`."""

    __slots__ = ("home", "last", "mine", "ranks")

    def __init__(self, home: W, ranks: object, mine: int) -> None:
        self.home = home
        self.last = home
        self.ranks = ranks
        self.mine = mine


class CallOrder(Generic[W]):
    """Where a result goes after its call's record, among other results in call order."""

    def __init__(self, counts: Callable[[W], bool], id_of: Callable[[W], str | None]) -> None:
        self._counts = counts
        self._id_of = id_of
        """The id of a result, as text; None for a record that is not one."""
        self._known: dict[int, _Passed[W]] = {}
        self._passed: dict[int, _Passed[W]] = {}

    def behind(self, home: W, ranks: dict[str, int], mine: int) -> W:
        """The record after which a result of the call with rank `mine` is inserted."""
        known = self._known.get(id(home))
        if known is None or known.ranks is not ranks or mine < known.mine:
            known = self._known[id(home)] = _Passed(home, ranks, mine)
        known.mine = mine
        following = known.last.after
        while following is not None:
            if self._counts(following):
                id_ = self._id_of(following)
                if id_ is None or ranks.get(id_, -1) > mine:
                    break
                known.last = following
                self._passed[id(following)] = known
            following = following.after
        return known.last

    def renamed(self, work: W) -> None:
        """A result has another id now."""
        known = self._passed.pop(id(work), None)
        if known is not None and self._known.get(id(known.home)) is known:
            del self._known[id(known.home)]

    def taken_out(self, work: W) -> None:
        """A result is no longer there, or will not be."""
        known = self._passed.pop(id(work), None)
        if known is None or known.last is not work:
            return
        before = work.before
        while before is not None and before is not known.home and self._passed.get(id(before)) is not known:
            before = before.before
        known.last = known.home if before is None else before

    def forget(self) -> None:
        self._known.clear()
        self._passed.clear()
