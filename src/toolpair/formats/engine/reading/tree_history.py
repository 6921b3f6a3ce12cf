"""Histories that are trees: each record names its parent, and the agent walks up from the last record.

What such a walk leads to, what a lost or doubled id or a loop hides from it, and how the links are repaired, for any
agent: a format gives the nodes and says what of them is talk.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.formats.engine.damage.lost import can_be_closed, effect_on_readers, held_in, held_in_part, ids_in
from toolpair.formats.format import Damage, ResumeEffect
from toolpair.transcript.counting import plural
from toolpair.transcript.id_shapes import first_free
from toolpair.transcript.model import Boundary, Transcript
from toolpair.transcript.record_tree import Branch, BrokenLink, Cut, RecordTree, Repair, record_named

End = Literal["root", "missing", "cycle"]
"""How a walk up ends: at a record without a parent, with a missing parent, or with one further down."""


class Node(Struct, eq=False):
    """A record of the tree. Ids are as the file writes them, None where it has none that can be looked up."""

    uid: int
    place: int
    """Its number among the nodes."""
    id: Any
    parent: Any
    value: Any
    messages: int = 0
    """How many messages it holds, and real outputs."""
    outputs: int = 0
    begins: bool = True
    """A history may begin with it, as with a user's words."""


def id_from(seed: str, attempt: int) -> str:
    """An id in eight hexadecimal digits."""
    return hashlib.sha256(f"{seed}:{attempt}".encode("utf-8", "replace")).hexdigest()[:8]


def uuid_from(seed: str, attempt: int) -> str:
    """An id that is a UUID."""
    name = f"{seed}:{attempt}".encode("utf-8", "replace").decode()  # half a character can be in an id
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


class NodeTree(Struct, eq=False):
    """All nodes in file order. Of nodes with one id the last is the one that counts."""

    nodes: Sequence[Node]
    merges: bool = False
    """Nodes with one id are read as one, in the place of the first."""
    new_id: Callable[[str, int], str] = id_from
    comes_back: bool = False
    """Links in a loop are followed until they come back to a node."""
    by_id: dict[Any, Node] = field(default_factory=dict)
    children: dict[Any, list[Node]] = field(default_factory=dict)
    """id -> its children."""

    def __post_init__(self) -> None:
        for node in self.nodes:
            if node.id is not None and not (self.merges and node.id in self.by_id):
                self.by_id[node.id] = node
            if node.parent is not None:
                self.children.setdefault(node.parent, []).append(node)

    def named(self, name: str) -> Node | None:
        """The node with this id, or the only one whose id begins so."""
        return record_named(self.by_id, name)

    def walk(self, leaf: Node | None) -> tuple[list[Node], End]:
        """The way from the root, or from where it is lost, to the leaf.

        A loop is cut above the one of its records that is first in the file: its parent cannot be a later one. Where
        nodes are merged, or the agent itself does so, it is cut where the walk comes back to.
        """
        path: list[Node] = []
        places: dict[int, int] = {}
        node = leaf
        while node is not None and id(node) not in places:
            places[id(node)] = len(path)
            path.append(node)
            above = self.by_id.get(node.parent) if node.parent is not None else None
            if above is None:
                return path[::-1], "root" if node.parent is None else "missing"
            node = above
        if node is None:
            return [], "root"
        if self.merges or self.comes_back:
            return path[::-1], "cycle"
        start = places[id(node)]
        first = min(range(start, len(path)), key=lambda number: path[number].place)
        return path[: first + 1][::-1], "cycle"

    def walk_from(self, leaf: Node) -> tuple[list[Node], End]:
        """The walk to the node that has the place of `leaf`, which is of another tree of these records."""
        return self.walk(self.nodes[leaf.place])

    @property
    def together(self) -> set[int]:
        """uids of the records that hold several nodes."""
        return {uid for uid, count in Counter(node.uid for node in self.nodes).items() if count > 1}

    def tips(self) -> Iterator[Node]:
        """The nodes without children."""
        return (node for node in self.nodes if self.by_id.get(node.id) is node and node.id not in self.children)


class Links(Struct, frozen=True, eq=False):
    """What is wrong with the links of a history."""

    boundaries: tuple[Boundary, ...] = ()
    broken: tuple[BrokenLink, ...] = ()


_LINK: Final = "link it to the line before it"


def links_of(
    tree: NodeTree, path: Sequence[Node], end: End, messages: int, agent: str, summarised: bool = False
) -> Links:
    """What is lost above the history `path`, and after its leaf. `messages`: how many it has.

    `summarised`: a summary is sent in place of what is above, so that no link up there loses anything.
    """
    boundaries: list[Boundary] = []
    broken = _doubles(tree, agent)
    if path and end == "missing" and (summarised or _before(tree, path[0]) is None):
        broken.append(_summarised(path[0]) if summarised else _beginning(path[0]))
    elif path and end != "root":
        boundary, repair = _cut(tree, path, end, [link.repair for link in broken if link.repair is not None])
        boundaries.append(boundary)
        broken = [link for link in broken if link.repair is None or not _does(repair, link.repair)]
    elif path and not summarised and path[0].place and any(node.messages for node in tree.nodes[: path[0].place]):
        boundaries.append(_begun_again(tree, path))
    last = tree.nodes[-1] if tree.nodes else None
    if path and last is not None and tree.by_id.get(last.id, last) is path[-1]:
        boundaries += _after_leaf(tree, last, messages)
    return Links(tuple(boundaries), tuple(broken))


def _does(repair: Repair, part: Repair) -> bool:
    """Whether the one does what the other does."""
    return set(part.identify) <= set(repair.identify)


def _cut(tree: NodeTree, path: Sequence[Node], end: End, doubled: Sequence[Repair]) -> tuple[Boundary, Repair]:
    node = path[0]
    before = _before(tree, node)
    by_uid = {one.uid: one for one in tree.nodes} if doubled else {}
    concerned = [node.id, node.parent, before.id if before is not None else None]
    repair = next(
        (one for id_ in concerned for one in doubled if id_ is not None and by_uid[one.identify[0][0]].id == id_), None
    )
    if repair is not None:
        repair = _enough(tree, path[-1], repair, doubled)
    elif before is not None:
        repair = Repair(_LINK, relink=tuple(_relinks(tree, node, before)), several=_LINK)
    else:
        repair = Repair("let the history begin with it", relink=((node.uid, None),))
    hidden = tree.walk(before)[0]
    return _lost_above(node, hidden, f"chain.{'cycle' if end == 'cycle' else 'missing_parent'}", repair), repair


def _enough(tree: NodeTree, leaf: Node, repair: Repair, doubled: Sequence[Repair]) -> Repair:
    """Ids of their own for two records; for all that are doubled, and links, where that leaves the history cut."""
    if _repaired(tree, repair).walk_from(leaf)[1] == "root":
        return repair
    every = replace(repair, identify=tuple(dict.fromkeys(one for found in doubled for one in found.identify)))
    now = _repaired(tree, every)
    path, end = now.walk_from(leaf)
    before = _before(now, path[0]) if end != "root" else None
    return every if before is None else replace(every, relink=tuple(_relinks(now, path[0], before)))


def _beginning(node: Node) -> BrokenLink:
    """What the file begins with links to something that is not in it: nothing that it holds is lost."""
    text = "The first line of the history links to one that is not in this file."
    return BrokenLink("chain.missing_parent", node.uid, text, "info", "the file is a part of a longer history")


def _summarised(node: Node) -> BrokenLink:
    text = "This line links to one that is not in this file, above what a summary has replaced."
    return BrokenLink("chain.missing_parent", node.uid, text, "info", "a summary is sent in place of what is above")


def _begun_again(tree: NodeTree, path: Sequence[Node]) -> Boundary:
    """A history that links to nothing although others stand in front of it: only the user can have begun again."""
    first = next((node for node in path if node.messages), path[0])
    before = _before(tree, path[0])
    hidden = tree.walk(before)[0]
    if first.begins or before is None:
        return _lost_above(path[0], hidden, "chain.second_root", None, certain=False)
    return _lost_above(path[0], hidden, "chain.null_parent", Repair(_LINK, relink=((path[0].uid, before.id),)))


def _relinks(tree: NodeTree, node: Node, before: Node) -> Iterator[tuple[int, Any]]:
    """(record, its new parent), and the same for each further break above."""
    above: Node | None = before
    below = {id(node)}
    while above is not None:
        yield node.uid, above.id
        walked, end = tree.walk(above)
        if end == "root":
            return
        node = walked[0]
        below.update(map(id, walked))
        above = _before(tree, node, below)


def _before(tree: NodeTree, node: Node, below: Collection[int] = ()) -> Node | None:
    """The last record in front of this one that has an id, and links neither to it nor to one of those `below`.

    An id that is 0 or empty is none to an agent that follows a link to it.
    """
    for place in range(node.place - 1, -1, -1):
        before = tree.nodes[place]
        if not before.id or before.id == node.id or tree.by_id[before.id] is not before:
            continue
        if all(above is not node and id(above) not in below for above in tree.walk(before)[0]):
            return before
    return None


def _lost_above(node: Node, hidden: Iterable[Node], rule: str, repair: Repair | None, certain: bool = True) -> Boundary:
    nodes = list(hidden)
    messages, outputs = sum(one.messages for one in nodes), sum(one.outputs for one in nodes)
    text = f"everything before is lost: {plural(messages, 'message')}, {plural(outputs, 'output')}"
    return Boundary(0, text, node.uid, Cut(rule, messages, outputs, repair, certain))


def _after_leaf(tree: NodeTree, last: Node, messages: int) -> Iterator[Boundary]:
    """A last record that others link to: something else than the agent put it there, and it hides them."""
    hidden: list[Node] = []
    seen = {id(last)}
    todo = [node for node in tree.children.get(last.id, ()) if node is not last][-1:]
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            hidden.append(node)
            todo += tree.children.get(node.id, ())
    first = next((node for node in tree.nodes if node.id == last.id), last) if last.id else last
    if first is not last:
        # Written again: what stands between is hidden, also where it hangs on a record that is lost.
        above = set(map(id, tree.walk(first)[0]))
        hidden = [node for node in tree.nodes[first.place + 1 : last.place] if id(node) not in above]
    if not any(node.messages for node in hidden):
        return
    tips = [node for node in hidden if node.id is not None and node.id not in tree.children]
    repair = None
    if tips:
        tip = max(tips, key=lambda node: node.place)
        repair = Repair("put the last line of the history at the end", move=((tip.uid, last.uid),))
    counts = sum(node.messages for node in hidden), sum(node.outputs for node in hidden)
    text = f"{plural(counts[0], 'message')}, {plural(counts[1], 'output')} after it are lost"
    cause = "it was moved or written again, and other lines link to it"
    yield Boundary(messages, text, last.uid, Cut("chain.wrong_leaf", *counts, repair, cause=cause))


def _doubles(tree: NodeTree, agent: str) -> list[BrokenLink]:
    """Records with the id of an earlier one: each that says something else gets an id of its own."""
    of_id: dict[Any, list[Node]] = {}
    for node in tree.nodes if len(tree.by_id) < len(tree.nodes) else ():
        if node.id is not None:
            of_id.setdefault(node.id, []).append(node)
    others = {id(one) for found in of_id.values() for one in found[1:] if one.value != found[0].value}
    weighed = len(others) <= _MOST_WEIGHED
    broken: list[BrokenLink] = []
    taken, now = set(tree.by_id), tree
    together = tree.together
    """Records on one line have no edits of their own until the line is split."""
    for node in reversed(tree.nodes):
        same = of_id.get(node.id, ())
        if len(same) < 2 or node is same[0]:
            continue
        if id(node) not in others:
            text = f"The record {node.id} stands twice in the file."
            broken.append(BrokenLink("chain.duplicate_uuid", node.uid, text, "info", "a line was written twice"))
            continue
        repair = None
        if not {node.uid, same[0].uid} & together:
            repair = Repair("give it an id of its own", identify=(_id_for(now, node, same[0], weighed, taken),))
            if weighed:
                now = _repaired(now, repair)
        which = f"which {agent} reads as one" if tree.merges else f"of which {agent} reads the later one"
        text = f"Two records have the id {node.id}, {which}."
        cause = "a record was written again with other content, or an id was given out twice"
        lost = same[0].outputs + node.outputs
        broken.append(BrokenLink("chain.duplicate_uuid", node.uid, text, "error", cause, lost, repair))
    return broken[::-1]


_Identify = tuple[int, str, tuple[int, ...]]


def _id_for(tree: NodeTree, node: Node, first: Node, weighed: bool, taken: set[Any]) -> _Identify:
    """Which of two records gets which id, and the records that mean it."""
    new = fresh_id(f"{node.id}:{node.place}", taken, tree.new_id)
    # What follows the later record means that one.
    means = (child.uid for child in tree.children.get(node.id, ()) if child.place > node.place)
    identify = (node.uid, new, tuple(means))
    if not weighed or tree.nodes[first.place].id != node.id:
        return identify
    repaired = _repaired(tree, Repair("", identify=(identify,)))
    return identify if _said(repaired) >= _said(tree) else (first.uid, new, ())


def _repaired(tree: NodeTree, repair: Repair) -> NodeTree:
    """The tree in which records have these ids, and those that mean them link to them."""
    nodes = list(tree.nodes)
    at = {node.uid: node.place for node in nodes}
    for uid, new, means in repair.identify:
        old = nodes[at[uid]].id
        nodes[at[uid]] = replace(nodes[at[uid]], id=new)
        for child in means:
            if nodes[at[child]].parent == old:
                nodes[at[child]] = replace(nodes[at[child]], parent=new)
    return NodeTree(nodes, tree.merges, tree.new_id, tree.comes_back)


def _said(tree: NodeTree) -> int:
    """How many messages the agent sends; none where the links form a loop."""
    path, end = tree.walk(tree.nodes[-1])
    return 0 if end == "cycle" else sum(node.messages for node in path)


def fresh_id(seed: str, taken: set[Any], new_id: Callable[[str, int], str] = id_from) -> str:
    """An id that none has; the same on every run."""
    made = first_free(partial(new_id, seed), taken)
    taken.add(made)
    return made


Words = Callable[[Node], tuple[str, str | None]]
"""What the user says in a node, and when."""


def branches_and_links(
    tree: NodeTree, path: Sequence[Node], own: Node | None, links: Links, words: Words, chosen: bool
) -> RecordTree:
    """What a transcript says of the tree. `own`: where the agent continues; `chosen`: the path was asked for."""
    leaf = path[-1] if chosen and path else None
    return RecordTree(
        leaf=leaf.id if leaf is not None and isinstance(leaf.id, str) else None,
        branches=branches_of(tree, path, own, words),
        elsewhere=leaf is not None and leaf is not own,
        broken=links.broken,
    )


def branches_of(tree: NodeTree, path: Sequence[Node], own: Node | None, words: Words) -> tuple[Branch, ...]:
    """All ways through a tree that forks, the newest first; none where there is one, or where there are too many."""
    shown = {id(node) for node in path}
    tips = [node for node in tree.tips() if isinstance(node.id, str)]
    if not 1 < len(tips) <= _MOST_BRANCHES:
        return ()
    ways = [(tip, tree.walk(tip)[0]) for tip in tips]
    ways = [(tip, way) for tip, way in ways if tip is own or any(id(n) not in shown and n.messages for n in way)]
    if len(ways) < 2:
        return ()
    return tuple(_branch(tip, way, tip is own, words) for tip, way in sorted(ways, key=lambda one: -one[0].place))


_MOST_WEIGHED: Final = 20
"""Doubled ids of which it is tried which of the records should keep it."""
_TURN: Final = 100
"""Records that a turn has at most."""
_MOST_BRANCHES: Final = 500


def _branch(tip: Node, way: Sequence[Node], active: bool, words: Words) -> Branch:
    said = next((found for node in reversed(way) if (found := words(node))[0]), ("", None))
    return Branch(tip.id, tip.uid, "branch", said[0], said[1], sum(node.messages for node in way), active)


def inactive_ways(tree: NodeTree, path: Sequence[Node]) -> Iterator[tuple[str, list[Node]]]:
    """Of each history beside the one that is sent its leaf, and its records that stand in none before.

    They begin with the last message that it shares with another, which what follows is read together with.
    """
    seen = {id(node) for node in path}
    for tip in tree.tips():
        own: list[Node] = []
        node: Node | None = tip
        while node is not None and id(node) not in seen:
            seen.add(id(node))
            own.append(node)
            node = tree.by_id.get(node.parent) if node.parent is not None else None
        if isinstance(tip.id, str) and any(one.messages for one in own):
            yield tip.id, [*_turn_above(tree, node), *reversed(own)]


def _turn_above(tree: NodeTree, node: Node | None) -> Sequence[Node]:
    """The record and those above it, up to one that is a message and no output."""
    found: list[Node] = []
    while node is not None and len(found) < _TURN:
        found.append(node)
        if node.messages and not node.outputs:
            break
        node = tree.by_id.get(node.parent) if node.parent is not None else None
    return found[::-1]


# --- records that cannot be read ---------------------------------------------------------------------------


def _has_message(value: dict[str, Any]) -> bool:
    return "message" in value


class SkippedLines:
    """What an agent loses that skips each line which is not JSON."""

    def __init__(
        self,
        agent: str,
        tree: NodeTree,
        transcript: Transcript,
        place: Mapping[int, int],
        keys: tuple[str, str] = ("id", "parentId"),
        talks: Callable[[dict[str, Any]], bool] = _has_message,
    ) -> None:
        """`place`: uid of a record -> its place in the file. `keys`: those of a record's id and of its parent's.

        `talks`: whether a record has a message.
        """
        self._agent = agent
        self._keys = keys
        self._talks = talks
        self._id = re.compile(rb'"%s"\s*:\s*"([^"\\]{1,100})"' % keys[0].encode())
        blocks = [block for message in transcript.messages for block in message.blocks]
        self._answered = {block.id for block in blocks if block.kind == "result" and isinstance(block.id, str)}
        self._called = {block.id for block in blocks if block.kind == "call" and isinstance(block.id, str)}
        lost = (node for node in tree.nodes if node.parent is not None and node.parent not in tree.by_id)
        self._lost = sorted(((place[node.uid], node.parent) for node in lost), key=itemgetter(0))
        """Places of the records whose parent is not in the file, and its id."""

    def effect(self, damage: Damage) -> ResumeEffect | None:
        if damage.readable and damage.rule != "record.bom":
            return effect_on_readers(damage, self._agent)
        parts = [part for part in (*damage.values, damage.partial) if isinstance(part, dict)]
        held = [*held_in(damage.values), *held_in_part(damage.partial)]
        outputs = len({one.id for one in held if one.real and one.id not in self._answered})
        if not held and not parts:
            outputs = len((ids_in(damage.raw)[0] & self._called) - self._answered)
        talk = any(self._talks(value) for value in damage.values if isinstance(value, dict))
        loses = "its output" if outputs == 1 else plural(outputs, "output") if outputs else None
        if self._holds_history(damage, parts):
            loses = "the record, and the history before it"
        elif loses is None and talk:
            loses = "the record"
        whole = damage.values[0] if damage.values else damage.partial
        complete = damage.rule != "record.torn" or _is_complete(whole, bool(damage.values), self._keys)
        says = f"{self._agent} skips it"
        return ResumeEffect("loses" if loses else "harmless", says, "dropped", loses, outputs, complete)

    def _holds_history(self, damage: Damage, parts: Sequence[dict[str, Any]]) -> bool:
        """Whether the next record whose parent is lost hangs on this line."""
        following = bisect_right(self._lost, damage.at, key=itemgetter(0))
        if following == len(self._lost):
            return False
        place, parent = self._lost[following]
        ids = {part[self._keys[0]] for part in parts if isinstance(part.get(self._keys[0]), str)}
        ids = ids or {found.decode("utf-8", "replace") for found in self._id.findall(damage.raw)}
        return parent in ids if ids else bool(place == damage.at + 1 + len(damage.after))


def _is_complete(value: Any, whole: bool, keys: tuple[str, str]) -> bool:
    """Whether the agent can go on from a record once its end is written; its last field may be cut off itself."""
    needed = ("type", *keys)
    if not isinstance(value, dict) or not all(key in value for key in needed):
        return False
    last = next(reversed(value))
    if not whole and last in needed:
        return False
    speaks = value["type"] == "message" or "message" in value
    return not speaks or can_be_closed(value.get("message"), whole or last != "message")
