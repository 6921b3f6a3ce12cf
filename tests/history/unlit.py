"""A plain format that says nothing of its records but how they are read and changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats import get_format
from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.formats.lists.plain import PlainFormat
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript


class Unlit(PlainFormat):
    """Another plain format without its light."""

    containers = frozenset({"array", "lines"})
    where = ""

    def __init__(self, like: str) -> None:
        self._like = get_format(like)
        self.id, self.title, self.profile = like, like, self._like.profile

    def sniff(self, values: Sequence[Any]) -> int:
        return self._like.sniff(values)

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        return self._like.read(items, view)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        return self._like.apply(items, transcript, edits)
