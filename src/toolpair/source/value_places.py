"""Where the values of one text stand, when many of them are asked for: each object and array is gone through once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property

from toolpair.source.json_spans import BadSpan, JsonNode, children, key_text, node_at


class ValuePlaces:
    """The spans of a text's values by their paths, and the line that each starts in."""

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
        """How many lines end in front of this byte."""
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
        """Of an object its members by key, the last one of each; of anything else its elements."""
        below = children(self._raw, node)
        return {key_text(self._raw, child): child for child in below} if node.kind == "object" else below
