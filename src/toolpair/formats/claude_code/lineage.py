"""Indexes of a file's chain, for repeated lookups while lost links are fixed: positions, children, ancestors."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from toolpair.dialects.item_types import type_name
from toolpair.formats.claude_code.history import OPENING_ATTACHMENTS, ChainHistory, bridge
from toolpair.formats.claude_code.record_kinds import ChainNode, is_compact_boundary


class Lineage:
    """Indexes of a history's records. Each is built in linear time on first use."""

    def __init__(self, history: ChainHistory) -> None:
        self._history = history

    @cached_property
    def order(self) -> list[ChainNode]:
        """All chain records in file order, including those that a later one replaces."""
        return sorted((*self._history.nodes, *self._history.shadowed), key=lambda node: node.position)

    @cached_property
    def _positions(self) -> list[int]:
        return [node.position for node in self.order]

    def before(self, node: ChainNode) -> Iterator[ChainNode]:
        """The records before one, nearest first."""
        order = self.order
        for at in range(bisect_left(self._positions, node.position) - 1, -1, -1):
            yield order[at]

    @cached_property
    def doubled(self) -> frozenset[str]:
        """The uuids that several records have."""
        return frozenset(node.uuid for node in self._history.shadowed if node.uuid is not None)

    def call_before(self, ids: list[str], node: ChainNode) -> ChainNode | None:
        """The nearest record before `node` that holds a call with one of these ids."""
        found: ChainNode | None = None
        for id_ in ids:
            for call in reversed(self._calls.get(id_, ())):
                if call.position < node.position:
                    found = call if found is None or call.position > found.position else found
                    break
        return found

    @cached_property
    def _calls(self) -> dict[str, list[ChainNode]]:
        found: dict[str, list[ChainNode]] = {}
        for node in self.order:
            if node.type == "assistant":
                for id_ in node.calls:
                    found.setdefault(id_, []).append(node)
        return found

    @cached_property
    def linked(self) -> dict[str, list[ChainNode]]:
        """The records by the uuid of their parent, in file order."""
        found: dict[str, list[ChainNode]] = {}
        for node in self.order:
            if node.parent is not None:
                found.setdefault(node.parent, []).append(node)
        return found

    def has_summary(self, boundary: ChainNode) -> bool:
        """Whether a compaction's summary exists: it is linked to it, or follows it with its link lost."""
        return boundary.uuid in self._named or self._summarised.get(boundary.uid, False)

    @cached_property
    def _named(self) -> set[str | None]:
        return set(self._history.parents.values())

    @cached_property
    def _summarised(self) -> dict[int, bool]:
        """uid of a compaction -> whether a summary lies between it and the next."""
        found: dict[int, bool] = {}
        newest: ChainNode | None = None
        for node in self.order:
            if is_compact_boundary(node):
                newest = node
            elif newest is not None and node.value.get("isCompactSummary") is True:
                found[newest.uid] = True
        return found

    @cached_property
    def prompts(self) -> dict[str, list[ChainNode]]:
        """The records by the id of their prompt, in file order."""
        found: dict[str, list[ChainNode]] = {}
        for node in self.order:
            prompt = node.value.get("promptId")
            if isinstance(prompt, str):
                found.setdefault(prompt, []).append(node)
        return found

    @cached_property
    def surroundings(self) -> ChainNode | None:
        """The first record that describes the context to the model, as the agent does at the start of a session."""
        for node in self.order:
            attachment = node.value.get("attachment")
            if node.type != "attachment" or not isinstance(attachment, dict):
                continue
            if type_name(attachment) in OPENING_ATTACHMENTS:
                return node
        return None

    def prompt_below(self, node: ChainNode) -> Any:
        """The prompt that a record belongs to, by its own field or that of its first descendant with one."""
        todo = [node]
        for _ in range(_FAR):
            if not todo:
                return None
            here = todo.pop()
            if isinstance(here.value.get("promptId"), str):
                return here.value["promptId"]
            if here is not node and here.type == "user":
                return None
            todo.extend(reversed(self._children.get(here.uid, ())))
        return None

    def descends_from(self, node: ChainNode, other: ChainNode) -> bool:
        """Whether the other record is an ancestor, or the same record.

        A link to a later record of the file counts as lost.
        """
        spans, _ = self._trees
        above, below = spans.get(other.uid), spans.get(node.uid)
        if above is None or below is None:
            return node is other
        return above[0] <= below[0] < above[1]

    def top(self, node: ChainNode) -> ChainNode:
        """The root of a record's links."""
        return self._trees[1].get(node.uid, node)

    @cached_property
    def _above(self) -> dict[int, ChainNode]:
        """uid -> its parent, with a lost one replaced as the agent does."""
        history = self._history
        kept = set(history.preserved)
        found: dict[int, ChainNode] = {}
        lost: list[ChainNode] = []
        for node in history.nodes:
            parent = history.parent_of(node)
            if parent is None or is_compact_boundary(node):
                continue
            above = history.by_uuid.get(parent)
            if above is None:
                lost.append(node)
            elif above.position < node.position or node.uuid in kept:
                found[node.uid] = above
        tops = _Tops(found)
        for node in lost:
            above = history.by_uuid.get(history.bridged.get(node.uuid or "") or "") or bridge(history, node, {node.uid})
            if above is not None and tops.of(above) != node.uid:
                found[node.uid] = above
        return found

    @cached_property
    def _children(self) -> dict[int, list[ChainNode]]:
        found: dict[int, list[ChainNode]] = {}
        for node in self._history.nodes:
            above = self._above.get(node.uid)
            if above is not None:
                found.setdefault(above.uid, []).append(node)
        return found

    @cached_property
    def _trees(self) -> tuple[dict[int, tuple[int, int]], dict[int, ChainNode]]:
        """uid -> the range of numbers of its descendants; uid -> the root of its tree."""
        spans: dict[int, tuple[int, int]] = {}
        tops: dict[int, ChainNode] = {}
        count = 0
        for top in self._history.nodes:
            if top.uid in self._above:
                continue
            todo: list[tuple[ChainNode, bool]] = [(top, False)]
            while todo:
                node, done = todo.pop()
                if done:
                    spans[node.uid] = (spans[node.uid][0], count)
                    continue
                spans[node.uid] = (count, count)
                tops[node.uid] = top
                count += 1
                todo.append((node, True))
                todo.extend((child, False) for child in self._children.get(node.uid, ()))
        return spans, tops


class _Tops:
    """The roots of records, while links are added to them."""

    def __init__(self, above: Mapping[int, ChainNode]) -> None:
        self._above = above
        self._short: dict[int, int] = {}

    def of(self, node: ChainNode) -> int:
        """The uid of a record's root; its own uid if it has no parent."""
        uid: int | None = node.uid
        seen: dict[int, None] = {}
        last = node.uid
        while uid is not None and uid not in seen:
            seen[uid] = None
            last = uid
            above = self._above.get(uid)
            uid = self._short.get(uid, above.uid if above is not None else None)
        for passed in seen:
            if passed != last:
                self._short[passed] = last
        return last


_FAR = 200
"""Maximum descendants of a record that are checked for their prompt."""


def lineage_of(history: ChainHistory) -> Lineage:
    """The history's indexes, cached."""
    if history.lineage is None:
        history.lineage = Lineage(history)
    assert isinstance(history.lineage, Lineage)
    return history.lineage
