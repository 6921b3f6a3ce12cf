"""Quick reading of records that each name the one before: what is linked otherwise is left to the whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from toolpair.formats.engine.reading.light import ANSWERED, Light, Whole


class LinkedLight(Light):
    """Results in a row are one message, and none of the words after them."""

    merged = True
    native = True
    results_apart = True
    words_after = Light.words_after | {ANSWERED}
    links: ClassVar[tuple[str, str]] = "id", "parentId"
    """The keys of a record's id, and of the id of the one before."""

    def __init__(self) -> None:
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
