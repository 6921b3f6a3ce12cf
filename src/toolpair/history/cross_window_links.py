"""What ties parts of a conversation together, kept up while one after the other is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolpair.history.window import Window


class IdCounts:
    """How many parts have a name. A copy shares what was counted first."""

    __slots__ = ("_first", "_since")

    def __init__(self, first: Mapping[str, int], since: Mapping[str, int] | None = None) -> None:
        self._first = first
        self._since = dict(since or {})

    def __getitem__(self, name: str) -> int:
        return self._first.get(name, 0) + self._since.get(name, 0)

    def copy(self) -> IdCounts:
        return IdCounts(self._first, self._since)

    def change(self, names: Iterable[str], by: int) -> None:
        since = self._since
        for name in names:
            since[name] = since.get(name, 0) + by


class CrossWindowLinks:
    """Claims, and spellings of calls and results that found no other side, each with how many parts have it."""

    __slots__ = ("_claims", "_loose", "_open", "new_ids")

    def __init__(self, claims: IdCounts, open_: IdCounts, loose: IdCounts, new_ids: Iterable[str] = ()) -> None:
        self._claims = claims
        self._open = open_
        self._loose = loose
        self.new_ids: set[str] = set(new_ids)
        """Ids that are not in the file."""

    @classmethod
    def of(cls, parts: Iterable[Window]) -> CrossWindowLinks:
        """Of parts that were found to be untied."""
        judged = [part.checked for part in parts if not part.clean]
        return cls(
            _counted(found.claims for found in judged),
            _counted(found.open for found in judged),
            _counted(found.loose for found in judged),
        )

    def copy(self) -> CrossWindowLinks:
        return CrossWindowLinks(self._claims.copy(), self._open.copy(), self._loose.copy(), self.new_ids)

    def change(self, before: Window, after: Window) -> bool:
        """One part is another one now. False when that is tied to a further one: then these ties are of no use."""
        claims, opened, loose = self._claims, self._open, self._loose
        if not before.clean:
            old = before.checked
            claims.change(old.claims, -1)
            opened.change(old.open, -1)
            loose.change(old.loose, -1)
        came = after.ids - before.ids
        fresh = {id_ for id_ in came if id_ not in after.reading.ids}
        if len(fresh) < len(came) or any(claims[f"id {id_}"] or id_ in self.new_ids for id_ in fresh):
            return False
        if not after.clean:
            new = after.checked
            if new.tells_of_all or any(new.touches_edges) or any(claims[claim] for claim in new.claims):
                return False
            if any(loose[spelt] for spelt in new.open) or any(opened[spelt] for spelt in new.loose):
                return False
            claims.change(new.claims, 1)
            opened.change(new.open, 1)
            loose.change(new.loose, 1)
        self.new_ids |= fresh
        return True


def _counted(names: Iterable[Iterable[str]]) -> IdCounts:
    counts: dict[str, int] = {}
    for several in names:
        for name in several:
            counts[name] = counts.get(name, 0) + 1
    return IdCounts(counts)
