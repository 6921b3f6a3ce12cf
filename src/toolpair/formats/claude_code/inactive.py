"""Histories that are not sent: other branches, what a compaction replaced, sub-agents' records in an old file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolpair.formats.claude_code.branches import BranchStep, step_above, ways_of
from toolpair.formats.claude_code.history import History, history_of, walk_up
from toolpair.formats.claude_code.record_kinds import ChainNode
from toolpair.formats.format import Item
from toolpair.transcript.model import Transcript


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


def _links_between(history: History, end: ChainNode, steps: Sequence[BranchStep]) -> dict[int, ChainNode]:
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
