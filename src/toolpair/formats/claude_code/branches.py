"""The branches of a file that forks: where each ends, how they differ, and the histories that are not sent.

A response with its parallel calls and their results is one step, however its records are linked; so neither the results
of one turn nor the hook reports next to them end a branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from toolpair.formats.claude_code.history import ChainHistory, history_of, walk_up
from toolpair.formats.claude_code.record_kinds import (
    ChainNode,
    is_compact_boundary,
    parts_of_type,
    text_or_none,
)
from toolpair.formats.format import Item
from toolpair.transcript.model import Message, Transcript
from toolpair.transcript.record_tree import Branch

_WORDS: Final = 400
_NO_WORDS: Final = ("[Request interrupted", "<local-command-", "<task-notification>")
"""Prefixes of user records that the agent wrote itself."""


class BranchStep(Struct, eq=False):
    """A user message, or a response with its results."""

    nodes: list[ChainNode]
    above: BranchStep | None = None
    carried_on: bool = False
    answered: bool = False
    messages: int = 0
    words: str = ""


class Ways(Struct, eq=False):
    """The steps of all histories of a file."""

    ends: list[ChainNode] = field(default_factory=list)
    """The last record of each branch, in file order; including what a compaction replaced, and what precedes a lost
    link.
    """
    carried: set[int] = field(default_factory=set)
    """uids of branch ends that the conversation continues from although no record names them as parent."""
    step_of: dict[int, BranchStep] = field(default_factory=dict)

    def up(self, end: ChainNode) -> Iterator[BranchStep]:
        """The step of a record, and all steps above it."""
        seen: set[int] = set()
        step = self.step_of.get(end.uid)
        while step is not None and id(step) not in seen:
            seen.add(id(step))
            yield step
            step = step.above


def ways_of(history: ChainHistory) -> Ways:
    """All branches of the file. Linear in the number of records."""
    ways = Ways()
    by_key: dict[tuple[bool, str], BranchStep] = {}
    steps: list[BranchStep] = []
    talk = [node for node in history.nodes if _talks(node)]
    waiting: list[ChainNode] = []
    for node in talk:
        if node.type == "assistant":
            key = (node.sidechain, node.message_id or f"\0{node.uid}")
            step = by_key.get(key)
            if step is None:
                by_key[key] = step = BranchStep([])
                steps.append(step)
            step.nodes.append(node)
            ways.step_of[node.uid] = step
        elif node.only_results:
            waiting.append(node)
        else:
            steps.append(BranchStep([node]))
            ways.step_of[node.uid] = steps[-1]
    known: dict[int, BranchStep | None] = {}
    for node in waiting:
        step = _answered_step(history, ways, known, node)
        if step is None:
            steps.append(step := BranchStep([]))
        step.nodes.append(node)
        step.answered = True
        ways.step_of[node.uid] = step
    lasting = _links(history, ways, talk)
    for step in steps:
        step.nodes.sort(key=lambda node: node.position)
        step.words = _words(step.nodes)
    _count(steps)
    for step in steps:
        if not step.carried_on:
            end = next((node for node in reversed(step.nodes) if node.uuid is not None), None)
            if end is not None:
                ways.ends.append(end)
                if id(step) in lasting:
                    ways.carried.add(end.uid)
    ways.ends.sort(key=lambda node: node.position)
    return ways


def _talks(node: ChainNode) -> bool:
    return node.sent and node.value.get("isMeta") is not True and not node.api_error


def _answered_step(
    history: ChainHistory, ways: Ways, known: dict[int, BranchStep | None], node: ChainNode
) -> BranchStep | None:
    """The response that a result belongs to, by its links."""
    for link in (text_or_none(node.value.get("sourceToolAssistantUUID")), node.parent):
        above = history.by_uuid.get(link) if link is not None else None
        if above is not None and above.type == "assistant" and above.uid in ways.step_of:
            return ways.step_of[above.uid]
    step = _step_above(history, ways, known, node, False)
    return step if step is not None and step.nodes[0].type == "assistant" else None


def _links(history: ChainHistory, ways: Ways, talk: Sequence[ChainNode]) -> set[int]:
    """Link every step to the one above it. Returns the steps continued only after a compaction or a lost link."""
    above_of: dict[int, BranchStep | None] = {}
    lasting: set[int] = set()
    latest: BranchStep | None = None
    for node in history.nodes:
        own = ways.step_of.get(node.uid)
        if is_compact_boundary(node):
            logical = history.by_uuid.get(text_or_none(node.value.get("logicalParentUuid")) or "")
            before = _step_above(history, ways, above_of, logical, True) if logical is not None else latest
            if before is not None:
                lasting.add(id(before))
        if own is not None and history.main(node):
            latest = own
    for node in talk:
        step = ways.step_of[node.uid]
        above = _step_above(history, ways, above_of, node, False)
        if node.only_results and above is not None and above.nodes[0].position > step.nodes[0].position:
            # A late result is linked to what followed its own call.
            continue
        if above is not None and above is not step:
            # A sub-agent's record that names its call does not continue the conversation.
            if above.nodes[0].sidechain or not node.sidechain:
                above.carried_on = True
            step.above = step.above or above
    for uuid in history.preserved:
        # What it kept is now linked to its summary; what came before continues in the summary.
        before_kept = history.by_uuid.get(history.by_uuid[uuid].parent or "")
        replaced = _step_above(history, ways, above_of, before_kept, True) if before_kept is not None else None
        if replaced is not None:
            lasting.add(id(replaced))
    if history.chain:
        # What precedes the place where the agent loses the chain is not a branch, but lost.
        root = history.chain[0]
        if history.end in ("missing", "cycle"):
            before_root = [node for node in talk if node.position < root.position and history.main(node)]
            lasting.update(id(ways.step_of[node.uid]) for node in before_root[-1:])
    return lasting


def _step_above(
    history: ChainHistory, ways: Ways, known: dict[int, BranchStep | None], start: ChainNode, itself: bool
) -> BranchStep | None:
    """The step of the nearest message record above `start` (or of `start` itself)."""
    path: list[int] = []
    seen: set[int] = set()
    node: ChainNode | None = start
    found: BranchStep | None = None
    first = not itself
    while node is not None and node.uid not in seen:
        if not first and node.uid in ways.step_of:
            found = ways.step_of[node.uid]
            break
        if not first and node.uid in known:
            found = known[node.uid]
            break
        seen.add(node.uid)
        if not first:
            path.append(node.uid)
        first = False
        parent = history.parent_of(node)
        if parent is not None and node.uuid is not None and parent not in history.by_uuid:
            parent = history.bridged.get(node.uuid)
        node = history.by_uuid.get(parent) if parent is not None else None
    for uid in path:
        known[uid] = found
    return found


def _count(steps: Sequence[BranchStep]) -> None:
    """Compute for each step how many messages lead to it and the last user text, top down, each step once."""
    done: set[int] = set()
    for start in steps:
        path: list[BranchStep] = []
        on_path: set[int] = set()
        step: BranchStep | None = start
        while step is not None and id(step) not in done and id(step) not in on_path:
            on_path.add(id(step))
            path.append(step)
            step = step.above
        if step is not None and id(step) not in done:
            step = None
        for found in reversed(path):
            above = found.above if found.above is not None and id(found.above) in done else None
            found.messages = (above.messages if above is not None else 0) + 1 + found.answered
            found.words = found.words or (above.words if above is not None else "")
            done.add(id(found))


def _words(nodes: Sequence[ChainNode]) -> str:
    for node in reversed(nodes):
        if node.type == "user" and not node.value.get("isCompactSummary"):
            content = node.content
            texts = (
                [content] if isinstance(content, str) else [p.get("text") for p in parts_of_type(node.value, "text")]
            )
            said = "\n".join(text for text in texts if isinstance(text, str)).strip()
            if said and not said.startswith(_NO_WORDS):
                return said[:_WORDS]
    return ""


def branches_of(history: ChainHistory, ways: Ways, messages: Sequence[Message]) -> tuple[Branch, ...]:
    """The ends of the main conversation and of sub-agents in the file, newest first; empty if there is only one."""
    own = history.own_leaf
    own_step = step_above(history, ways, own)
    active = {node.uid for node in history.order} if not history.chosen else set()
    found: list[tuple[int, Branch]] = []
    for end in ways.ends:
        step = ways.step_of[end.uid]
        side = end.sidechain and not history.sidechain
        if end.uid in ways.carried or (end.uid in active and step is not own_step) or (side and step is own_step):
            continue
        is_own = step is own_step
        leaf = own if is_own and own is not None and own.uuid is not None else end
        count = len(messages) if is_own and not history.chosen else step.messages
        found.append((leaf.position, _branch(leaf, side, step.words, count, is_own)))
    if own is not None and own.uuid is not None and not any(branch.active for _, branch in found):
        words = own_step.words if own_step is not None else ""
        count = len(messages) if not history.chosen else own_step.messages if own_step is not None else 0
        found.append((own.position, _branch(own, False, words, count, True)))
    if len(found) < 2:
        return ()
    return tuple(branch for _, branch in sorted(found, key=lambda pair: -pair[0]))


def step_above(history: ChainHistory, ways: Ways, node: ChainNode | None) -> BranchStep | None:
    """The step of a record, or of the nearest message record above it."""
    return _step_above(history, ways, {}, node, True) if node is not None else None


def _branch(leaf: ChainNode, side: bool, words: str, messages: int, active: bool) -> Branch:
    time = leaf.value.get("timestamp")
    return Branch(
        leaf=leaf.uuid or "",
        record=leaf.uid,
        kind="sub-agent" if side else "branch",
        words=words,
        time=time if isinstance(time, str) else None,
        messages=messages,
        active=active,
    )


def inactive(items: Sequence[Item], transcript: Transcript) -> Iterator[tuple[str, list[Item]]]:
    """The leaf of each history other than the one of the transcript, and its records from the fork on.

    The records begin with the last response or user message that both share. Linear in the number of records: each is
    in one history, those of a shared response in a few.
    """
    history = history_of(items, transcript.tree.leaf)
    ways = ways_of(history)
    own = step_above(history, ways, history.chain[-1]) if history.chain else None
    read = {node.uid for node in (*history.chain, *history.order)}
    for end in reversed(ways.ends):
        if end.uuid is None or end.uid in read or ways.step_of[end.uid] is own:
            continue
        steps = list(_until_read(ways.up(end), read))
        kept = {node.uid: node for step in steps for node in step.nodes}
        kept.update(_links_between(history, end, steps))
        read.update(kept)
        nodes = sorted(kept.values(), key=lambda node: node.position)
        yield end.uuid, [items[node.position] for node in nodes]


def _until_read(steps: Iterator[BranchStep], read: set[int]) -> Iterator[BranchStep]:
    """The steps up to and including the first one that another history has already."""
    for step in steps:
        yield step
        if any(node.uid in read for node in step.nodes):
            return


def _links_between(history: ChainHistory, end: ChainNode, steps: Sequence[BranchStep]) -> dict[int, ChainNode]:
    """The records that link one step to the next: attachments, reports, progress."""
    last = {node.uid for node in steps[-1].nodes} if steps else set()
    found: dict[int, ChainNode] = {}
    bridged, history.bridged = history.bridged, {}
    inside = False
    for node in walk_up(history, end, through=last).path:
        if inside and node.uid not in last:
            break
        inside = node.uid in last
        found[node.uid] = node
    history.bridged = bridged
    return found
