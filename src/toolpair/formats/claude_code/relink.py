"""Fixing a broken chain: a record that lost its parent is linked to its most likely one."""

from __future__ import annotations

import uuid as uuids
from bisect import bisect_left
from typing import Final

from msgspec import Struct

from toolpair.formats.claude_code.history import ChainHistory, may_be_parent
from toolpair.formats.claude_code.lineage import lineage_of
from toolpair.formats.claude_code.record_kinds import (
    ChainNode,
    is_compact_boundary,
    text_or_none,
)
from toolpair.transcript.id_shapes import first_free, uuid_of

_NAMESPACE: Final = uuids.UUID("5c8f2f8e-3a0e-5a35-8f0b-6c1a52f0b1d4")


class FoundParent(Struct, frozen=True):
    """The fix for a broken link: a parent for the record, or a uuid for a parent without one (or with a wrong one)."""

    parent: ChainNode | None = None
    nameless: ChainNode | None = None
    """The record that the broken link means, although it does not have that uuid."""
    cause: str | None = None


def line_words(node: ChainNode | None) -> str:
    """The line of a record, as named in a title: a native file has one record per line."""
    return f"line {node.uid + 1:,}" if node is not None and node.uid >= 0 else "the line before it"


def found_parent(history: ChainHistory, broken: ChainNode) -> FoundParent:
    """The meaning of a broken record's link, by the best available evidence."""
    nameless = meant(history, broken)
    if nameless is not None:
        absent = nameless.uuid is None
        what = "has no uuid" if absent else "has another record's uuid"
        return FoundParent(nameless=nameless, cause=f"the record that it links to {what}")
    past = _past_unknown(history, broken)
    if past is not None:
        return FoundParent(past, cause="it links to a record of a kind that the agent skips")
    return FoundParent(_parent_for(history, broken))


def _parent_for(history: ChainHistory, broken: ChainNode) -> ChainNode | None:
    """The most likely parent of a broken record.

    For a result its call, for a part of a response the rest of it, else the nearest earlier chain record of its branch.
    None when every candidate would close a cycle.
    """
    lineage = lineage_of(history)
    looped = {node.uuid for node in history.chain} if history.end == "cycle" else set[str | None]()
    """Records that all lead into the loop, some by a link to a later record: linked to one of them, it would go on."""

    def is_below(node: ChainNode) -> bool:
        return lineage.descends_from(node, broken) or (node.uuid in looped and broken.uuid in looped)

    linked = _own_call(history, broken) or _own_response(history, broken)
    if linked is not None and not is_below(linked):
        return linked
    branch = _of_its_branch(history, broken)
    nearest: ChainNode | None = None
    for found in lineage.before(broken):
        if branch is not None and found.position < branch.position:
            break
        if not may_be_parent(history, found) or history.by_uuid.get(found.uuid or "") is not found:
            continue
        if (
            branch is not None
            and not lineage.descends_from(found, branch)
            and lineage.top(found) is lineage.top(branch)
        ):
            # It is on another branch. A record not linked to anything known may belong to this one.
            continue
        if is_compact_boundary(found) and not lineage.has_summary(found):
            # Without its summary the boundary would only hide what it replaced.
            logical = history.by_uuid.get(text_or_none(found.value.get("logicalParentUuid")) or "")
            if logical is not None and not is_below(logical):
                return logical
        elif not is_below(found):
            nearest = found
            break
    return nearest


def _of_its_branch(history: ChainHistory, broken: ChainNode) -> ChainNode | None:
    """An earlier record that is certainly an ancestor of the broken one.

    It has the same prompt, or a note just before the broken record says that the conversation ended at it.
    """
    lineage = lineage_of(history)
    prompt = lineage.prompt_below(broken)
    same = [node for node in lineage.prompts.get(prompt, ()) if node.position < broken.position]
    for node in reversed(same):
        if node.uuid != broken.uuid and may_be_parent(history, node) and not lineage.descends_from(node, broken):
            return node
    at = bisect_left(history.prompted, (broken.position, ""))
    if not at:
        return None
    noted, name = history.prompted[at - 1]
    named = history.by_uuid.get(name)
    nearest = next((node for node in lineage.before(broken) if may_be_parent(history, node)), None)
    if nearest is None or nearest.position > noted:
        # The conversation continued after the note, possibly elsewhere.
        return None
    if named is None or named.uuid == broken.uuid or not may_be_parent(history, named):
        return None
    if named.position > broken.position:
        return None
    return None if lineage.descends_from(named, broken) else named


def _own_call(history: ChainHistory, broken: ChainNode) -> ChainNode | None:
    """The record of the call that a single result answers: by the agent's own link, else by its id just before it."""
    if broken.type != "user" or not broken.only_results:
        return None
    source = history.by_uuid.get(text_or_none(broken.value.get("sourceToolAssistantUUID")) or "")
    if source is not None and source.type == "assistant" and may_be_parent(history, source):
        return source
    node = _call_before(history, broken)
    return node if node is not None and may_be_parent(history, node) else None


def _call_before(history: ChainHistory, broken: ChainNode) -> ChainNode | None:
    ids = broken.answers
    return lineage_of(history).call_before(ids, broken)


def _own_response(history: ChainHistory, broken: ChainNode) -> ChainNode | None:
    """The preceding part of the same response."""
    own = broken.message_id
    if broken.type != "assistant" or own is None:
        return None
    for node in lineage_of(history).before(broken):
        if not may_be_parent(history, node) or node.uuid == broken.uuid:
            continue
        if node.type == "assistant":
            return node if node.message_id == own else None
        if node.type == "user" and not node.only_results:
            return None
    return None


def _past_unknown(history: ChainHistory, broken: ChainNode) -> ChainNode | None:
    """Where the chain continues above records of types that the agent does not know."""
    uuid = broken.parent
    seen: set[str] = set()
    while uuid is not None and uuid in history.skipped and uuid not in seen:
        seen.add(uuid)
        uuid = history.skipped[uuid]
    found = history.by_uuid.get(uuid) if uuid is not None and seen else None
    return found if found is not None and not lineage_of(history).descends_from(found, broken) else None


def meant(history: ChainHistory, broken: ChainNode) -> ChainNode | None:
    """The record before a broken one that lacks the uuid, or has another's, to which the broken one links."""
    name = broken.parent
    if name is None or name in history.by_uuid or name in history.skipped:
        return None
    lineage = lineage_of(history)
    doubled = lineage.doubled
    if broken.type == "user" and broken.only_results:
        call = _call_before(history, broken)
        if call is not None and (call.uuid is None or call.uuid in doubled):
            return call
    before = next(
        (
            node
            for node in lineage.before(broken)
            if node.type != "progress" and node.parent != name and history.main(node)
        ),
        None,
    )
    return before if before is not None and (before.uuid is None or before.uuid in doubled) else None


def fresh_uuid(history: ChainHistory, node: ChainNode) -> str:
    """A uuid that no record has, the same on every run."""
    return first_free(lambda attempt: uuid_of(_NAMESPACE, f"{node.uuid}\0{node.position + attempt}"), history.by_uuid)
