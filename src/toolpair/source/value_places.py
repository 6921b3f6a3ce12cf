"""The spans of many values in one text: each object and array is scanned only once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property

from toolpair.source.json_spans import BadSpan, JsonNode, children, key_text, node_at


class ValuePlaces:
    """The spans of a text's values by path, and the line where each starts."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._below: dict[tuple[str | int, ...], Sequence[JsonNode] | Mapping[str, JsonNode]] = {}

    def span(self, path: Sequence[str | int]) -> tuple[int, int]:
        """The span of the value at `path`, half-open. Raises BadSpan when there is none."""
        node = self._whole
        for depth, step in enumerate(path):
            here = tuple(path[:depth])
            below = self._below.get(here)
            if below is None:
                below = self._below[here] = self._children(node)
            if isinstance(below, Mapping):
                if not isinstance(step, str) or step not in below:
                    raise BadSpan("there is no such key")
                node = below[step]
            else:
                if not isinstance(step, int) or not 0 <= step < len(below):
                    raise BadSpan("there is no such element")
                node = below[step]
        return node.start, node.end

    def lines_before(self, offset: int) -> int:
        """The number of line ends before this offset."""
        return bisect_left(self._line_ends, offset)

    @cached_property
    def _whole(self) -> JsonNode:
        return node_at(self._raw)

    @cached_property
    def _line_ends(self) -> list[int]:
        ends: list[int] = []
        at = self._raw.find(b"\n")
        while at >= 0:
            ends.append(at)
            at = self._raw.find(b"\n", at + 1)
        return ends

    def _children(self, node: JsonNode) -> Sequence[JsonNode] | Mapping[str, JsonNode]:
        """An object's members by key, the last one for each key; or the elements of an array."""
        below = children(self._raw, node)
        return {key_text(self._raw, child): child for child in below} if node.kind == "object" else below
