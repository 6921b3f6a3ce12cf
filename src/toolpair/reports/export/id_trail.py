"""Which id of the session became which id of the body: through fixes, through the map, through fixes of the body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolpair.dialects.openai_chat_content import calls_in
from toolpair.transcript.model import Message


class IdTrail:
    """Pairs of ids, each step after the one before."""

    def __init__(self) -> None:
        self._fixed: dict[str, dict[str, None]] = {}
        """The session's id -> what fixes made of it."""
        self._pairs: dict[tuple[str, str], None] = {}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(self._pairs)

    def follow_fixes(self, before: Iterable[Message], after: Iterable[Message]) -> None:
        """Note what the ids in each record have become; fixes leave the calls of a record in their order, and results.

        A record that has more or fewer of them than before is passed.
        """
        old, new = _ids_by_record(before), _ids_by_record(after)
        for place, ids in old.items():
            now = new.get(place, [])
            for was, id_ in zip(ids, now, strict=True) if len(ids) == len(now) else ():
                if was != id_:
                    self._fixed.setdefault(id_, {})[was] = None

    def follow_map(self, ids: Mapping[str, str]) -> None:
        """Note the ids of the session, with those that they are mapped to."""
        for old, new in ids.items():
            for was in self._fixed.get(old, {old: None}):
                self._pairs[was, new] = None

    def follow_repair(self, before: Sequence[Any], after: Sequence[Any]) -> None:
        """Note what the ids of calls have become; fixes leave calls in their order."""
        old, new = calls_in(before), calls_in(after)
        if len(old) != len(new) or old == new:
            return
        became: dict[str, dict[str, None]] = {}
        for one, other in zip(old, new, strict=True):
            became.setdefault(one, {})[other] = None
        self._pairs = {(was, now): None for was, id_ in self._pairs for now in became.get(id_, {id_: None})}


def _ids_by_record(messages: Iterable[Message]) -> dict[tuple[int, str], list[str]]:
    found: dict[tuple[int, str], list[str]] = {}
    for block in (block for message in messages for block in (*message.calls, *message.results)):
        if isinstance(block.id, str):
            found.setdefault((block.record, block.kind), []).append(block.id)
    return found
