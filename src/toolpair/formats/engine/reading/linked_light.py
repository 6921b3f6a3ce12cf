"""Quick reading of records that each name the one before: what is linked otherwise is left to the whole.

Such a history is read in windows for a report alone. A window is read behind the records that the file begins with,
as if nothing else stood between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from toolpair.formats.engine.reading.light import ANSWERED, Light, Whole
from toolpair.formats.engine.reading.view import Item, View


class PartFacts(Struct, frozen=True, eq=False):
    """What a file shows of the records that are a part of it."""

    begins: Sequence[Item] = ()
    """The records that say whose history it is."""
    model: Any = None
    """The one that continues."""


def part_facts(view: View) -> PartFacts | None:
    """What is known of the file; None where all of it is read."""
    found = None if view.surroundings is None else view.surroundings.agent_facts
    return found if isinstance(found, PartFacts) else None


def as_file(items: Sequence[Item], facts: PartFacts, parent: str) -> list[Item]:
    """Records that are a part of a file, as a file of their own: behind its beginning, the first links to nothing.

    `parent`: the key of a record's link.
    """
    own = {item.uid for item in items}
    made = [item for item in facts.begins if item.uid not in own]
    first = next((n for n, item in enumerate(items) if isinstance(item.value, dict) and parent in item.value), None)
    for number, item in enumerate(items):
        made.append(Item(item.uid, {**item.value, parent: None}) if number == first else item)
    return made


class LinkedLight(Light):
    """Results in a row are one message, and none of the words after them."""

    merged = True
    native = True
    results_apart = True
    words_after = Light.words_after | {ANSWERED}
    links: ClassVar[tuple[str, str]] = "id", "parentId"
    """The keys of a record's id, and of the id of the one before."""

    def __init__(self) -> None:
        self._begins: list[Item] = []
        self._last: str | None = None
        self._names: set[int] = set()
        """Hashes of the records' ids."""
        self._at = -1
        """The newest record that is linked to the one before."""

    def _link(self, record: dict[str, Any], number: int) -> None:
        """Raises Whole for a record that is not linked so."""
        own, parent = self.links
        id_ = record.get(own)
        if type(id_) is not str or not id_ or record.get(parent, "") != self._last:
            raise Whole
        known = len(self._names)
        self._names.add(hash(id_))
        if len(self._names) == known:
            raise Whole
        self._last, self._at = id_, number

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict or self._at != number:
            raise Whole
        return self.ids_of(value)

    def ids_of(self, value: dict[str, Any]) -> tuple[Iterable[Any], int]:
        """The ids in a record, of any type, and how many blocks of signed thinking it has. Raises Whole."""
        raise NotImplementedError
