"""The active history of a Claude Code session: which records the agent sends on resume, and in which order.

As measured on version 2.1.332: later lines win; the history ends where the last chain record of the file leads, unless
a `last-prompt` record names another branch; a lost parent is bridged over at most five seconds; and parallel calls with
their results are gathered by message id although they form a tree. Progress reports only continue links: no history
ends at one, and the five seconds count to the first record below that is not one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence, Set
from operator import attrgetter
from typing import Any, Final, Literal

from msgspec import Struct, field

from toolpair.dialects.item_types import type_name
from toolpair.formats.claude_code.record_kinds import (
    ChainNode,
    is_compact_boundary,
    node_of,
    text_or_none,
    value_of,
)
from toolpair.formats.claude_code.versions import NEWEST, Behaviour
from toolpair.formats.format import Item
from toolpair.transcript.record_tree import record_named

BRIDGE_SECONDS: Final = 5.0
End = Literal["root", "boundary", "missing", "null", "cycle", "joined"]
"""How a walk up ends; "joined": at a record that counted as walked before."""


class Walk(Struct, eq=False):
    """A walk up the chain. `path` goes from the leaf to the oldest record."""

    path: list[ChainNode]
    end: End


class ChainHistory(Struct, eq=False):
    """The structure of a file's chain records."""

    nodes: list[ChainNode]
    by_uuid: dict[str, ChainNode]
    shadowed: list[ChainNode]
    """Earlier lines with the uuid of a later one, or with none if a later one has none either."""
    parents: dict[str, str | None]
    """uuid -> parent's uuid, after linking what a compaction kept to its summary."""
    bridged: dict[str, str] = field(default_factory=dict)
    """uuid of a record with a lost parent -> the record that the agent uses instead."""
    chain: list[ChainNode] = field(default_factory=list)
    """From the oldest record to the leaf."""
    end: End = "root"
    order: list[ChainNode] = field(default_factory=list)
    """The chain including the parallel calls and results gathered from beside it."""
    recovered: set[int] = field(default_factory=set)
    """uids of the records in `order` that are not on the chain."""
    last: Walk | None = None
    """The walk up from the last chain record, when the agent does not use that one as the leaf."""
    preserved: list[str] = field(default_factory=list)
    resumed_by: Behaviour = NEWEST
    """The behaviour of the agent version that resumes the file."""
    newest_boundary: ChainNode | None = None
    """The last compaction of the file, even if the history does not begin there."""
    sidechain: bool = False
    """A sub-agent's own file."""
    own_leaf: ChainNode | None = None
    """Where the agent itself would continue."""
    chosen: bool = False
    """The user chose the history by its leaf."""
    inside: bool = False
    """The user chose a sub-agent's history inside the main conversation's file."""
    prompt_leaf: str | None = None
    """What the newest `last-prompt` record names."""
    prompt_noted: bool = False
    """A `last-prompt` record determines where the history ends, even if it names nothing."""
    skipped: dict[str, str | None] = field(default_factory=dict)
    """uuid -> parent's uuid of the records of kinds that the agent does not know."""
    cut: bool = False
    """A lost link has been reported already."""
    further: list[tuple[ChainNode, End]] = field(default_factory=list)
    """Records further up whose link is lost too: they matter once the first break is fixed."""
    times: list[tuple[float, int]] | None = None
    prompted: list[tuple[int, str]] = field(default_factory=list)
    """The positions of `last-prompt` records, and what they name."""
    lineage: object | None = None
    """Indexes computed by lineage.py."""
    items: Sequence[Item] = ()
    """The records that it was walked from."""

    @property
    def boundary(self) -> ChainNode | None:
        return self.chain[0] if self.chain and self.end == "boundary" else None

    def parent_of(self, node: ChainNode) -> str | None:
        return self.parents.get(node.uuid) if node.uuid is not None else node.parent

    def main(self, node: ChainNode) -> bool:
        """Whether the record belongs to the conversation being read: the file's own, or the chosen sub-agent's."""
        return node.sidechain if self.inside else self.sidechain or not node.sidechain


def history_of(items: Sequence[Item], leaf: str | None = None, resumed_by: Behaviour = NEWEST) -> ChainHistory:
    """The history of the records. Linear in their number.

    `leaf` is the uuid, or its beginning, of the record where it ends; by default the agent's own.
    """
    history = _collect(items)
    history.items, history.resumed_by = items, resumed_by
    _keep_preserved(history)
    history.own_leaf = end = _leaf(history, history.prompt_leaf)
    if leaf is not None:
        asked = record_named(history.by_uuid, leaf)
        if asked is not None:
            end, history.chosen, history.last = asked, True, None
            history.inside = asked.sidechain and not history.sidechain
    if end is None:
        return history
    walk = walk_up(history, end)
    history.chain = walk.path[::-1]
    history.end = walk.end
    history.order = gather(history, [node for node in history.chain if node.type != "progress"])
    return history


def _collect(items: Sequence[Item]) -> ChainHistory:
    slots: list[ChainNode] = []
    place: dict[str, int] = {}
    shadowed: list[ChainNode] = []
    prompt_leaf: str | None = None
    prompt_noted = False
    skipped: dict[str, str | None] = {}
    prompted: list[tuple[int, str]] = []
    for position, item in enumerate(items):
        value = item.value
        if not isinstance(value, dict):
            value = value_of(item)
        node = node_of(position, item.uid, value)
        if node is None:
            if not isinstance(value, dict):
                continue
            if value.get("type") == "last-prompt" and "leafUuid" in value:
                prompt_noted = True
                named = text_or_none(value["leafUuid"])
                if named is not None:
                    prompt_leaf = named
                    prompted.append((position, named))
            if "parentUuid" in value and (uuid := text_or_none(value.get("uuid"))):
                skipped[uuid] = text_or_none(value.get("parentUuid"))
            continue
        name = node.uuid or nameless_key(value)
        at = node.rank = place.setdefault(name, len(slots))
        if at == len(slots):
            slots.append(node)
        elif node.type == "progress" and slots[at].type != "progress":
            shadowed.append(node)
        else:
            shadowed.append(slots[at])
            slots[at] = node
    by_uuid = {node.uuid: node for node in slots if node.uuid is not None}
    parents = {uuid: node.parent for uuid, node in by_uuid.items()}
    talk = (node.sidechain for node in slots if node.type in ("user", "assistant"))
    sidechain = next(talk, False) and all(talk)
    return ChainHistory(
        slots,
        by_uuid,
        shadowed,
        parents,
        sidechain=sidechain,
        prompt_leaf=prompt_leaf,
        prompt_noted=prompt_noted,
        skipped=skipped,
        prompted=prompted,
    )


def nameless_key(value: dict[str, Any]) -> str:
    """The key of a record without a uuid: to the agent, all that lack it in the same way are one."""
    return f"\0{value['uuid']!r}" if "uuid" in value else "\0"


def _keep_preserved(history: ChainHistory) -> None:
    """Link what the newest compaction kept to its summary, as the agent does when loading the file."""
    newest = next((node for node in reversed(history.nodes) if is_compact_boundary(node)), None)
    history.newest_boundary = newest
    metadata = newest.value.get("compactMetadata") if newest is not None else None
    if newest is None or newest.uuid is None or not isinstance(metadata, dict):
        return
    anchor, kept = _kept(history, metadata)
    if anchor is None or not kept or anchor not in history.by_uuid:
        return
    inside = set(kept)
    for uuid, parent in history.parents.items():
        if parent == anchor and uuid not in inside:
            history.parents[uuid] = kept[-1]
    before = anchor
    for uuid in kept:
        history.parents[uuid] = before
        before = uuid
    history.preserved = kept


def _kept(history: ChainHistory, metadata: dict[str, Any]) -> tuple[str | None, list[str]]:
    """The anchor's uuid and the uuids of the kept records, oldest first; empty when one of them does not exist."""
    listed = metadata.get("preservedMessages")
    if isinstance(listed, dict) and isinstance(listed.get("uuids"), list) and listed["uuids"]:
        uuids = listed["uuids"]
        if not all(isinstance(uuid, str) and uuid in history.by_uuid for uuid in uuids):
            return None, []
        return text_or_none(listed.get("anchorUuid")), list(dict.fromkeys(uuids))
    segment = metadata.get("preservedSegment")
    if not isinstance(segment, dict):
        return None, []
    head, uuid = text_or_none(segment.get("headUuid")), text_or_none(segment.get("tailUuid"))
    found: list[str] = []
    seen: set[str] = set()
    while uuid is not None and uuid in history.by_uuid and uuid not in seen:
        seen.add(uuid)
        found.append(uuid)
        if uuid == head:
            return text_or_none(segment.get("anchorUuid")), found[::-1]
        uuid = history.parents[uuid]
    return None, []


_ABSENT: Final = object()
_POSITION: Final = attrgetter("position")
_RANK: Final = attrgetter("rank")
_WRITTEN: Final = attrgetter("written")


def _leaf(history: ChainHistory, prompt_leaf: str | None) -> ChainNode | None:
    """The last chain record, if it descends from the one that the last prompt names; else the latter.

    The very last one may even lack a uuid, unless a record links to it by lacking a parent in the same way: then it is
    the last one that no other links to. Without a `last-prompt`, if others link to the last record, the newest of
    these.
    """
    linked = [node for node in history.nodes if node.type != "progress"]
    if history.resumed_by.ends_at_newest:
        return max((node for node in linked if history.main(node)), key=_WRITTEN, default=None)
    ends = [node for node in linked if node.uuid is not None]
    if history.shadowed:
        ends.sort(key=_POSITION)
    named = history.by_uuid.get(prompt_leaf) if prompt_leaf is not None else None
    named = named if named is not None and named.type != "progress" else None
    newest = max(linked, key=_POSITION, default=None)
    if newest is not None and newest.uuid is None and newest.type in ("user", "assistant") and named is None:
        followed = {_link(node.value, "parentUuid") for node in history.nodes} - {None}
        if _link(newest.value, "uuid") not in followed:
            ends.append(newest)
        else:
            history.last = walk_up(history, newest, bridging=False)
            ends = [node for node in linked if _link(node.value, "uuid") not in followed] or [*ends, newest]
    last = next((node for node in reversed(ends) if history.main(node)), ends[-1] if ends else None)
    if named is None and last is not None and last.type not in ("user", "assistant"):
        last = _last_said(history, [node for node in ends if history.main(node)]) or last
    if last is not None and not history.prompt_noted:
        return _newest_below(history, last)
    if last is None or named is None or named is last:
        return last
    walk = walk_up(history, last, bridging=False)
    if any(node is named for node in walk.path) or _is_beside(history, named, walk.path):
        return last
    history.last = walk
    return named


def _link(value: dict[str, Any], key: str) -> object:
    """A uuid as the agent looks for it among the parents: none at all is one, too; null, like a number, is not."""
    found = value.get(key, _ABSENT)
    return found if isinstance(found, str) or found is _ABSENT else None


def _is_beside(history: ChainHistory, node: ChainNode, path: Sequence[ChainNode]) -> bool:
    """Whether a record is a parallel call, its result or a report on that, beside a walk up that passes its turn."""
    place = {found.uid: index for index, found in enumerate(path)}
    side: list[ChainNode] = []
    above: ChainNode | None = node
    while above is not None and above.uid not in place and len(side) <= len(history.nodes):
        if above.type != "progress":
            side.append(above)
        above = history.by_uuid.get(history.parent_of(above) or "")
    if above is None or above.uid not in place:
        return False
    below = next((found for found in path[: place[above.uid]][::-1] if found.type != "progress"), None)
    while len(side) > 1 and side[0].type in ("attachment", "system"):
        del side[0]
        if not side[0].has_result:
            return False
    same = [found for found in (side[-1], below) if found is not None and _of_one_response(found, above)]
    return bool(same) and all(found.has_result or _of_one_response(found, above) for found in side)


def _of_one_response(node: ChainNode, other: ChainNode) -> bool:
    """Whether both hold calls of the same response."""
    return bool(node.calls and other.calls) and node.message_id is not None and node.message_id == other.message_id


def _newest_below(history: ChainHistory, last: ChainNode) -> ChainNode:
    """Of a record and its descendants, the one with the newest timestamp; of equal ones the last in the file."""
    if last.uuid is None or last.uuid not in set(history.parents.values()):
        return last
    children: dict[str, list[ChainNode]] = {}
    for node in history.nodes:
        parent = history.parent_of(node)
        above = history.by_uuid.get(parent or "")
        if parent is None or above is None or node.uuid is None or not history.main(node):
            continue
        if not leads_nowhere(above, node, True):
            children.setdefault(parent, []).append(node)
    below = {last.uid}
    todo = [last]
    while todo:
        for child in children.get(todo.pop().uuid or "", ()):
            if child.uid not in below:
                below.add(child.uid)
                todo.append(child)
    newest = last
    for node in history.nodes:
        if node.uid in below and node is not last and node.type != "progress" and node.written >= newest.written:
            newest = node
    return newest


def _last_said(history: ChainHistory, ends: Sequence[ChainNode]) -> ChainNode | None:
    """The last of these records; one not linked to any message is skipped if another is."""
    seen: set[int] = set()
    bridged = dict(history.bridged)
    for node in reversed(ends):
        if node.type in ("user", "assistant"):
            return node
        if node.uid in seen:
            continue
        path = walk_up(history, node, seen).path
        if any(above.type in ("user", "assistant") or is_compact_boundary(above) for above in path):
            return node
    history.bridged = bridged
    return ends[-1] if ends else None


def walk_up(
    history: ChainHistory,
    start: ChainNode,
    seen: set[int] | None = None,
    through: Set[int] = frozenset(),
    *,
    bridging: bool = True,
) -> Walk:
    """Walk from a record to its oldest ancestor. `seen` holds records (by uid) that count as walked already.

    If it passes through a record in `through` (uids), it ends at the first one above that is not in it. With `bridging`
    it continues past a lost link as the agent does.
    """
    seen = set() if seen is None else seen
    own: set[int] = set()
    path: list[ChainNode] = []
    parents, by_uuid = history.parents, history.by_uuid
    node = below = start
    while True:
        seen.add(node.uid)
        own.add(node.uid)
        path.append(node)
        if node.type != "progress":
            below = node
        if through and node.uid not in through and len(path) > 1 and path[-2].uid in through:
            return Walk(path, "null")
        if node.type == "system" and is_compact_boundary(node):
            return Walk(path, "boundary")
        parent = parents.get(node.uuid) if node.uuid is not None else node.parent
        if parent is None:
            return Walk(path, "null")
        above = by_uuid.get(parent)
        if above is not None and leads_nowhere(above, node, history.resumed_by.follows_reports):
            above = None
        end: End = "missing" if above is None else "cycle"
        if above is not None and above.uid in seen and above.uid not in own:
            return Walk(path, "joined")
        if above is None or above.uid in seen:
            above = bridge(history, below, seen) if bridging else None
            if above is None:
                return Walk(path, end)
            if node.uuid is not None and above.uuid is not None:
                history.bridged[node.uuid] = above.uuid
        node = above


def leads_nowhere(above: ChainNode, node: ChainNode, follows_reports: bool) -> bool:
    """Whether a link is lost although the file has its record: a report that comes later.

    The agent notes where reports lead while reading the lines.
    """
    return above.type == "progress" and (above.position > node.position or not follows_reports)


def bridge(history: ChainHistory, node: ChainNode, seen: set[int]) -> ChainNode | None:
    """The record that the agent uses for a lost one: the newest that is not younger and at most five seconds older."""
    moment = node.seconds
    if moment is None or not history.resumed_by.bridges:
        return None
    if history.times is None:
        history.times = sorted(
            (other.seconds, index)
            for index, other in enumerate(history.nodes)
            if other.type != "progress" and history.main(other) and other.seconds is not None
        )
    times = history.times
    at = bisect_right(times, (moment, len(history.nodes))) - 1
    while at >= 0 and moment - times[at][0] <= BRIDGE_SECONDS + 1e-6:
        found = history.nodes[times[at][1]]
        if found.uid not in seen:
            return found
        at -= 1
    return None


def may_be_parent(history: ChainHistory, node: ChainNode) -> bool:
    """Whether the agent would follow a child's link to this record."""
    return node.uuid is not None and node.type != "progress" and history.main(node)


def gather(history: ChainHistory, chain: list[ChainNode]) -> list[ChainNode]:
    """The chain with the parallel calls beside it, and each result next to its call.

    Nothing is gathered for a response without a message id; whether a record is a sub-agent's is not checked.
    """
    whole = chain
    chain = _without_early_results(whole)
    early = {node.uid for node in whole} - {node.uid for node in chain} if len(chain) < len(whole) else set()
    on_chain = {node.uid for node in chain}
    boundary = chain[0].position if chain and is_compact_boundary(chain[0]) else -1
    kept = set(history.preserved)
    beside = [
        node
        for node in history.nodes
        if node.uid not in on_chain
        and node.type in ("user", "assistant")
        and (node.position > boundary or (node.uuid is not None and node.uuid in kept))
    ]
    if not beside:
        return list(chain)
    anchors: dict[str, ChainNode] = {}
    group_of_record: dict[str, str] = {}
    for node in chain:
        if node.type == "assistant" and node.message_id is not None:
            key = _group(node)
            anchors[key] = node
            if node.uuid is not None:
                group_of_record[node.uuid] = key
    answered: set[Any] = {id_ for node in chain if node.type == "user" for id_ in node.answers}
    siblings: dict[str, list[ChainNode]] = {}
    for node in beside:
        if node.type == "assistant" and (key := _group(node)) in anchors:
            siblings.setdefault(key, []).append(node)
            if node.uuid is not None:
                group_of_record[node.uuid] = key
    group_of_call: dict[Any, str] = {}
    calls_of_group: set[tuple[str, Any]] = set()
    for node in (*chain, *(node for found in siblings.values() for node in found)):
        if node.type == "assistant" and node.message_id is not None and node.uuid is not None:
            for id_ in node.calls:
                group_of_call.setdefault(id_, _group(node))
                calls_of_group.add((_group(node), id_))
    # A result on another branch, next to its own call, stays there.
    away = {
        (node.uuid, id_)
        for node in beside
        if node.type == "assistant" and node.uuid is not None and node.uuid not in group_of_record
        for id_ in node.calls
    }
    near = [
        node
        for node in beside
        if node.type == "user"
        and not any(
            (place, id_) in away
            for id_ in node.answers
            for place in (node.parent, text_or_none(node.value.get("sourceToolAssistantUUID")))
        )
    ]
    results = _results_beside(near, group_of_record, group_of_call, calls_of_group, answered, early)
    return _insert(history, chain, anchors, siblings, results)


def _group(node: ChainNode) -> str:
    return node.message_id or f"\0{node.uuid or node.uid}"


def _without_early_results(chain: list[ChainNode]) -> list[ChainNode]:
    """Remove results that come before their call: the agent moves them after it, like those beside the chain.

    Only if the user says nothing between the two.
    """
    first_call: dict[str, int] = {}
    words: list[int] = []
    for index, node in enumerate(chain):
        if node.type == "assistant" and node.message_id is not None:
            for id_ in node.calls:
                first_call.setdefault(id_, index)
        elif node.type == "user" and not node.has_result:
            words.append(index)

    def moved(id_: Any, index: int) -> bool:
        call = first_call.get(id_, -1) if isinstance(id_, str) else -1
        return call > index and bisect_right(words, index) == bisect_right(words, call)

    early = {
        index
        for index, node in enumerate(chain)
        if node.only_results
        and node.type == "user"
        # Nearly all come after their call, as the first id of them shows.
        and moved(node.results[0], index)
        and index != len(chain) - 1
        and all(moved(id_, index) for id_ in node.results)
    }
    return [node for index, node in enumerate(chain) if index not in early] if early else chain


def _results_beside(
    beside: list[ChainNode],
    group_of_record: dict[str, str],
    group_of_call: dict[Any, str],
    calls_of_group: set[tuple[str, Any]],
    answered: set[Any],
    early: set[int],
) -> dict[str, list[ChainNode]]:
    """Results off the chain, by the group of the call they belong to: by their links, else by their ids.

    `early` are those before their calls in the chain: only their ids show where they go.
    """
    found: dict[str, list[ChainNode]] = {}
    unlinked: list[ChainNode] = []
    place = {key: number for number, key in enumerate(dict.fromkeys(group_of_record.values()))}
    for node in beside:
        if node.type != "user" or not node.has_result:
            continue
        ids = node.answers
        by_id = next((group_of_call[id_] for id_ in ids if id_ in group_of_call), None)
        if node.uid in early and by_id is not None:
            found.setdefault(by_id, []).append(node)
            answered.update(ids)
            continue
        source = text_or_none(node.value.get("sourceToolAssistantUUID"))
        link = group_of_record.get(node.parent or "") or group_of_record.get(source or "")
        # Ids are reused in later turns, so the link decides, unless only an earlier turn has a call with that id.
        mine = any((link, id_) in calls_of_group for id_ in ids)
        if link is None or (by_id is not None and not mine and place.get(by_id, -1) < place[link]):
            unlinked.append(node)
            continue
        found.setdefault(link, []).append(node)
        answered.update(ids)
    for node in unlinked:
        ids = node.answers
        group = next((group_of_call[id_] for id_ in ids if id_ in group_of_call and id_ not in answered), None)
        if group is not None:
            found.setdefault(group, []).append(node)
            answered.update(ids)
    return found


def _insert(
    history: ChainHistory,
    chain: list[ChainNode],
    anchors: dict[str, ChainNode],
    siblings: dict[str, list[ChainNode]],
    results: dict[str, list[ChainNode]],
) -> list[ChainNode]:
    """Records beside the chain go before the first later line of their turn, but never before all of it.

    The rest goes after the turn, which ends with the last line of its response and the results that follow.
    """
    waiting = {
        key: deque(sorted((*siblings.get(key, ()), *results.get(key, ())), key=_RANK))
        for key in {**siblings, **results}
    }
    last_of = {anchors[key].uid: key for key in waiting}
    order: list[ChainNode] = []
    turn: str | None = None
    ending: str | None = None
    begun: dict[str, deque[ChainNode]] = {}
    for node in chain:
        if node.type == "assistant":
            turn = _group(node)
        if ending is not None and (turn != ending or (node.type == "user" and not node.has_result)):
            order.extend(begun.pop(ending))
            ending = None
        for beside in begun.values():
            while beside and beside[0].rank < node.rank:
                order.append(beside.popleft())
        order.append(node)
        if turn in waiting:
            begun[turn] = waiting.pop(turn)
        ending = last_of.get(node.uid, ending)
    if ending is not None:
        order.extend(begun.pop(ending))
    for found in (*siblings.values(), *results.values()):
        history.recovered.update(node.uid for node in found)
    return order


def starts_afresh(chain: Sequence[ChainNode]) -> bool:
    """Whether a history whose oldest record has no parent began that way, as opposed to being cut off.

    A session begins with a user message, after start hooks or before its attachments.
    """
    opening = next((index for index, node in enumerate(chain) if node.type in ("user", "assistant")), None)
    if opening is None or chain[opening].type != "user" or chain[opening].has_result:
        return False
    root = chain[0]
    if root.type == "progress":
        return True
    if root.type == "attachment":
        attachment = root.value.get("attachment")
        if isinstance(attachment, dict) and attachment.get("hookEvent") == "SessionStart":
            return True
    if root.type == "system":
        return False
    for node in chain[opening:]:
        if node.type == "assistant":
            return False
        attachment = node.value.get("attachment")
        if type_name(attachment) in OPENING_ATTACHMENTS:
            return True
    return False


OPENING_ATTACHMENTS: Final = frozenset({"environment", "skill_listing", "agent_listing_delta", "deferred_tools_delta"})
