"""Mending a broken chain: the record that lost its parent is hung on the one that it most likely hung on."""

from __future__ import annotations

import uuid as uuids
from dataclasses import dataclass
from typing import Final

from toolpair.formats.claude_code.history import History, may_be_parent, nearest_before, walk_up
from toolpair.formats.claude_code.records import (
    Node,
    call_ids,
    is_compact_boundary,
    message_id,
    only_results,
    result_ids,
    text_or_none,
)

_NAMESPACE: Final = uuids.UUID("5c8f2f8e-3a0e-5a35-8f0b-6c1a52f0b1d4")


@dataclass(frozen=True, slots=True)
class Found:
    """What mends a broken link: a parent for the record, or for a nameless (or misnamed) record its name."""

    parent: Node | None = None
    nameless: Node | None = None
    """The record that the broken link means, though that does not bear the id."""
    cause: str | None = None


def mended(history: History, broken: Node) -> Found:
    """What the link of a broken record meant, by the best evidence there is."""
    nameless = _nameless(history, broken)
    if nameless is not None:
        absent = nameless.uuid is None
        what = "has no uuid" if absent else "bears the uuid of another record"
        return Found(nameless=nameless, cause=f"the record that it hangs on {what}")
    past = _past_unknown(history, broken)
    if past is not None:
        return Found(past, cause="it hangs on a record of a kind that the agent skips")
    return Found(parent_for(history, broken.uid))


def parent_for(history: History, record: int) -> Node | None:
    """The record that a broken one (by uid) most likely hung on.

    Its call for a result, the rest of its response for a part of one, else the nearest earlier chain record of the
    file. None when there is none that would not close a circle.
    """
    broken = next((node for node in history.nodes if node.uid == record), None)
    if broken is None:
        return None
    below = {node.uid for node in history.chain} if any(node is broken for node in history.chain) else {broken.uid}
    linked = _own_call(history, broken, below) or _own_response(history, broken, below)
    if linked is not None and not _leads_to(history, linked, broken):
        return linked
    seen = set(below)
    found = nearest_before(history, broken, seen)
    while found is not None:
        if is_compact_boundary(found) and not has_summary(history, found):
            # Without its summary the boundary would only hide what it replaced.
            logical = history.by_uuid.get(text_or_none(found.value.get("logicalParentUuid")) or "")
            if logical is not None and logical.uid not in seen and not _leads_to(history, logical, broken):
                return logical
        elif not _leads_to(history, found, broken):
            return found
        seen.add(found.uid)
        found = nearest_before(history, found, seen)
    return None


def _leads_to(history: History, start: Node, goal: Node) -> bool:
    bridged = dict(history.bridged)
    found = any(node is goal for node in walk_up(history, start).path)
    history.bridged = bridged
    return found


def has_summary(history: History, boundary: Node) -> bool:
    """Whether a compaction's summary is there: it hangs on the boundary, or stands behind it with its link lost."""
    if any(parent == boundary.uuid for parent in history.parents.values()):
        return True
    for node in history.nodes:
        if node.position > boundary.position:
            if is_compact_boundary(node):
                return False
            if node.value.get("isCompactSummary") is True:
                return True
    return False


def _own_call(history: History, broken: Node, seen: set[int], misnamed: set[str | None] | None = None) -> Node | None:
    """The record of the call that a lone result answers: by the agent's own link, else by its id just before it.

    With `misnamed`, uuids that several records bear, only a call that bears one of these, or none.
    """
    if broken.type != "user" or not only_results(broken.value):
        return None
    source = history.by_uuid.get(text_or_none(broken.value.get("sourceToolAssistantUUID")) or "")
    if misnamed is None and source is not None and source.type == "assistant" and may_be_parent(history, source, seen):
        return source
    ids = [id_ for id_ in result_ids(broken.value) if isinstance(id_, str)]
    for node in sorted((*history.nodes, *history.shadowed), key=lambda node: -node.position):
        if node.position >= broken.position or node.type != "assistant":
            continue
        if any(id_ in call_ids(node.value) for id_ in ids):
            if misnamed is not None:
                return node if node.uuid is None or node.uuid in misnamed else None
            return node if may_be_parent(history, node, seen) else None
    return None


def _own_response(history: History, broken: Node, seen: set[int]) -> Node | None:
    """The part in front of a part of one response."""
    own = message_id(broken.value)
    if broken.type != "assistant" or own is None:
        return None
    for node in reversed(history.nodes):
        if node.position >= broken.position or not may_be_parent(history, node, seen):
            continue
        if node.type == "assistant":
            return node if message_id(node.value) == own else None
        if node.type == "user" and not only_results(node.value):
            return None
    return None


def _past_unknown(history: History, broken: Node) -> Node | None:
    """Where the chain goes on above records of kinds that the agent does not know."""
    uuid = broken.parent
    seen: set[str] = set()
    while uuid is not None and uuid in history.skipped and uuid not in seen:
        seen.add(uuid)
        uuid = history.skipped[uuid]
    found = history.by_uuid.get(uuid) if uuid is not None and seen else None
    return found if found is not None and not _leads_to(history, found, broken) else None


def _nameless(history: History, broken: Node) -> Node | None:
    """The record in front of a broken one that lacks the id, or bears another's, that the broken one names."""
    name = broken.parent
    if name is None or name in history.by_uuid or name in history.skipped:
        return None
    doubled = {node.uuid for node in history.shadowed}
    call = _own_call(history, broken, set(), doubled)
    if call is not None:
        return call
    before: Node | None = None
    for node in (*history.nodes, *history.shadowed):
        if node.position >= broken.position or node.type == "progress" or node.parent == name:
            continue
        if history.main(node) and (before is None or node.position > before.position):
            before = node
    if before is None or not (before.uuid is None or before.uuid in doubled):
        return None
    return before


def fresh_uuid(history: History, node: Node) -> str:
    """A uuid that no record has, the same on every run."""
    number = node.position
    while True:
        found = str(uuids.uuid5(_NAMESPACE, f"{node.uuid}\0{number}"))
        if found not in history.by_uuid:
            return found
        number += 1
