"""The active history of a Claude Code session: which records the agent sends when it resumes, and in which order.

As measured on version 2.1.329: later lines win, the leaf is the last chain record unless a `last-prompt` record
names another branch, a lost parent is bridged over five seconds at most, and parallel calls with their results are
gathered by message id although they form a tree.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from operator import attrgetter
from typing import Any, Final, Literal

from toolpair.dataclass import dataclass, field
from toolpair.formats.base import Item
from toolpair.formats.claude_code.records import (
    Node,
    is_compact_boundary,
    node_of,
    text_or_none,
    value_of,
)
from toolpair.transcript.items import type_name

BRIDGE_SECONDS: Final = 5.0
End = Literal["root", "boundary", "missing", "null", "cycle"]


@dataclass(slots=True, eq=False)
class Walk:
    """A way up the chain. `path` runs from the leaf to the oldest record."""

    path: list[Node]
    end: End


@dataclass(slots=True, eq=False)
class History:
    """What a file's chain records make."""

    nodes: list[Node]
    by_uuid: dict[str, Node]
    shadowed: list[Node]
    """Earlier lines with the uuid of a later one."""
    parents: dict[str, str | None]
    """uuid -> parent's uuid, after what a compaction kept was linked behind its summary."""
    bridged: dict[str, str] = field(default_factory=dict)
    """uuid of a record with a lost parent -> the record that the agent takes for it."""
    chain: list[Node] = field(default_factory=list)
    """From the oldest to the leaf."""
    end: End = "root"
    order: list[Node] = field(default_factory=list)
    """The chain with the parallel calls and results beside it gathered in."""
    recovered: set[int] = field(default_factory=set)
    """uids of the records in `order` that do not stand there by the chain."""
    last: Walk | None = None
    """The way up from the last chain record, when the agent does not take that one for the leaf."""
    preserved: list[str] = field(default_factory=list)
    newest_boundary: Node | None = None
    """The last compaction of the file, whether or not the history begins there."""
    sidechain: bool = False
    """A sub-agent's own file."""
    own_leaf: Node | None = None
    """Where the agent itself goes on."""
    chosen: bool = False
    """The history was asked for by its leaf."""
    inside: bool = False
    """A sub-agent's history that stands in the file of the main conversation was asked for."""
    prompt_leaf: str | None = None
    """What the newest `last-prompt` record names."""
    skipped: dict[str, str | None] = field(default_factory=dict)
    """uuid -> parent's uuid of the records of kinds that the agent does not know."""
    cut: bool = False
    """A lost link has been told already."""
    further: list[tuple[Node, End]] = field(default_factory=list)
    """Records further up whose link is lost, too: they show when the first break is mended."""
    times: list[tuple[float, int]] | None = None
    prompted: list[tuple[int, str]] = field(default_factory=list)
    """Where `last-prompt` records stand, and what they name."""
    lineage: object | None = None
    """What lineage.py has found out."""

    @property
    def boundary(self) -> Node | None:
        return self.chain[0] if self.chain and self.end == "boundary" else None

    def parent_of(self, node: Node) -> str | None:
        return self.parents.get(node.uuid) if node.uuid is not None else node.parent

    def main(self, node: Node) -> bool:
        """Whether the record belongs to the conversation that is read: a file's own, or the sub-agent's asked for."""
        return node.sidechain if self.inside else self.sidechain or not node.sidechain


def history_of(items: Sequence[Item], leaf: str | None = None) -> History:
    """The history that the records make. Linear in their number.

    `leaf` is the uuid, or its beginning, of the record that it is to end at; by default the agent's own.
    """
    history = _collect(items)
    _keep_preserved(history)
    history.own_leaf = end = _leaf(history, history.prompt_leaf)
    if leaf is not None:
        asked = record_named(history, leaf)
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


def record_named(history: History, name: str) -> Node | None:
    """The chain record with this uuid, or the only one whose uuid begins so."""
    exact = history.by_uuid.get(name)
    if exact is not None or not name:
        return exact
    found = [node for uuid, node in history.by_uuid.items() if uuid.startswith(name)]
    return found[0] if len(found) == 1 else None


def _collect(items: Sequence[Item]) -> History:
    slots: list[Node] = []
    place: dict[str, int] = {}
    shadowed: list[Node] = []
    prompt_leaf: str | None = None
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
            if value.get("type") == "last-prompt":
                named = text_or_none(value.get("leafUuid"))
                if named is not None:
                    prompt_leaf = named
                    prompted.append((position, named))
            if "parentUuid" in value and (uuid := text_or_none(value.get("uuid"))):
                skipped[uuid] = text_or_none(value.get("parentUuid"))
            continue
        uuid = node.uuid
        if uuid is None:
            slots.append(node)
        elif uuid in place:
            shadowed.append(slots[place[uuid]])
            slots[place[uuid]] = node
        else:
            place[uuid] = len(slots)
            slots.append(node)
    by_uuid = {node.uuid: node for node in slots if node.uuid is not None}
    parents = {uuid: node.parent for uuid, node in by_uuid.items()}
    talk = (node.sidechain for node in slots if node.type in ("user", "assistant"))
    sidechain = next(talk, False) and all(talk)
    return History(
        slots,
        by_uuid,
        shadowed,
        parents,
        sidechain=sidechain,
        prompt_leaf=prompt_leaf,
        skipped=skipped,
        prompted=prompted,
    )


def _keep_preserved(history: History) -> None:
    """Link what the newest compaction kept behind its summary, as the agent does when it loads the file."""
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


def _kept(history: History, metadata: dict[str, Any]) -> tuple[str | None, list[str]]:
    """The anchor's uuid and the uuids of the kept records, oldest first; none when one of them is not there."""
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


_POSITION: Final = attrgetter("position")


def _leaf(history: History, prompt_leaf: str | None) -> Node | None:
    """The last chain record, if it descends from what the last prompt names; else what that names.

    The very last one may even lack its uuid.
    """
    linked = [node for node in history.nodes if node.type != "progress"]
    ends = [node for node in linked if node.uuid is not None]
    newest = max(linked, key=_POSITION, default=None)
    if (
        newest is not None
        and newest.uuid is None
        and newest.type in ("user", "assistant")
        and newest.parent is not None
    ):
        ends.append(newest)
    last = next((node for node in reversed(ends) if history.main(node)), ends[-1] if ends else None)
    named = history.by_uuid.get(prompt_leaf) if prompt_leaf is not None else None
    if named is None and last is not None and last.type not in ("user", "assistant"):
        last = _last_said(history, [node for node in ends if history.main(node)]) or last
    if last is None or named is None or named is last:
        return last
    walk = walk_up(history, last)
    if any(node is named for node in walk.path):
        return last
    history.last = walk
    return named


def _last_said(history: History, ends: Sequence[Node]) -> Node | None:
    """The last of these records; one that hangs on nothing that was said is passed by, if another does."""
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


def walk_up(history: History, start: Node, seen: set[int] | None = None, through: Set[int] = frozenset()) -> Walk:
    """From a record to the oldest one that it hangs on. `seen` holds records (by uid) that count as walked already.

    Where it comes through a record of `through` (uids) it ends at the first one above that is none of them.
    """
    seen = set() if seen is None else seen
    path: list[Node] = []
    parents, by_uuid = history.parents, history.by_uuid
    node = start
    while True:
        seen.add(node.uid)
        path.append(node)
        if through and node.uid not in through and len(path) > 1 and path[-2].uid in through:
            return Walk(path, "null")
        if node.type == "system" and is_compact_boundary(node):
            return Walk(path, "boundary")
        parent = parents.get(node.uuid) if node.uuid is not None else node.parent
        if parent is None:
            return Walk(path, "null")
        above = by_uuid.get(parent)
        end: End = "missing" if above is None else "cycle"
        if above is None or above.uid in seen:
            above = bridge(history, node, seen)
            if above is None:
                return Walk(path, end)
            if node.uuid is not None and above.uuid is not None:
                history.bridged[node.uuid] = above.uuid
        node = above


def bridge(history: History, node: Node, seen: set[int]) -> Node | None:
    """The record that the agent takes for a lost one: the newest not younger, at most five seconds older."""
    moment = node.seconds
    if moment is None:
        return None
    if history.times is None:
        history.times = sorted(
            (other.seconds, index)
            for index, other in enumerate(history.nodes)
            if other.type != "progress" and other.uuid is not None and history.main(other) and other.seconds is not None
        )
    times = history.times
    at = bisect_right(times, (moment, len(history.nodes))) - 1
    while at >= 0 and moment - times[at][0] <= BRIDGE_SECONDS + 1e-6:
        found = history.nodes[times[at][1]]
        if found.uid not in seen:
            return found
        at -= 1
    return None


def may_be_parent(history: History, node: Node) -> bool:
    """Whether the agent would go on from this record to one that hangs on it."""
    return node.uuid is not None and node.type != "progress" and history.main(node)


def gather(history: History, chain: list[Node]) -> list[Node]:
    """The chain with the parallel calls that lie beside it, and each result where its call is.

    Nothing is gathered for a response without a message id.
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
        and history.main(node)
        and (node.position > boundary or (node.uuid is not None and node.uuid in kept))
    ]
    if not beside:
        return list(chain)
    anchors: dict[str, Node] = {}
    group_of_record: dict[str, str] = {}
    for node in chain:
        if node.type == "assistant" and node.message_id is not None:
            key = _group(node)
            anchors[key] = node
            if node.uuid is not None:
                group_of_record[node.uuid] = key
    answered: set[Any] = {id_ for node in chain if node.type == "user" for id_ in node.answers}
    siblings: dict[str, list[Node]] = {}
    for node in beside:
        if node.type == "assistant" and (key := _group(node)) in anchors and node.uuid is not None:
            siblings.setdefault(key, []).append(node)
            group_of_record[node.uuid] = key
    group_of_call: dict[Any, str] = {}
    calls_of_group: set[tuple[str, Any]] = set()
    for node in (*chain, *(node for found in siblings.values() for node in found)):
        if node.type == "assistant" and node.message_id is not None:
            for id_ in node.calls:
                group_of_call.setdefault(id_, _group(node))
                calls_of_group.add((_group(node), id_))
    # A result on another branch, beside a call of its own, stays there.
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


def _group(node: Node) -> str:
    return node.message_id or f"\0{node.uuid or node.uid}"


def _without_early_results(chain: list[Node]) -> list[Node]:
    """Take out results that stand before their call: the agent moves them behind it, as those beside the chain.

    Only where the user says nothing between the two.
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
        # Nearly all stand behind their call: the first id of them says so.
        and moved(node.results[0], index)
        and index != len(chain) - 1
        and all(moved(id_, index) for id_ in node.results)
    }
    return [node for index, node in enumerate(chain) if index not in early] if early else chain


def _results_beside(
    beside: list[Node],
    group_of_record: dict[str, str],
    group_of_call: dict[Any, str],
    calls_of_group: set[tuple[str, Any]],
    answered: set[Any],
    early: set[int],
) -> dict[str, list[Node]]:
    """Results off the chain by the group of the call that they belong to: by their links, else by their ids.

    `early` are those that the chain has in front of their calls: the ids alone tell where they go.
    """
    found: dict[str, list[Node]] = {}
    unlinked: list[Node] = []
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
        # Ids are reused from turn to turn, so the link decides, unless only an earlier turn has a call of that id.
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
    history: History,
    chain: list[Node],
    anchors: dict[str, Node],
    siblings: dict[str, list[Node]],
    results: dict[str, list[Node]],
) -> list[Node]:
    group_of_anchor = {anchor.uid: key for key, anchor in anchors.items()}
    order: list[Node] = []
    for node in chain:
        order.append(node)
        key = group_of_anchor.get(node.uid)
        if key is not None:
            for extra in (
                *sorted(siblings.get(key, ()), key=lambda found: found.position),
                *sorted(results.get(key, ()), key=lambda found: found.position),
            ):
                history.recovered.add(extra.uid)
                order.append(extra)
    return order


def starts_afresh(chain: Sequence[Node]) -> bool:
    """Whether a history whose oldest record has no parent was begun so by the agent, not cut off.

    A session begins with a user's words, behind the hooks of the start or in front of the attachments of one.
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
