"""Changing the order of the chain: the parts of a response together, results in the order of their calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from toolpair.formats.claude_code.working import Working, kind_of
from toolpair.transcript.draft import DraftMessage


def bring_together(work: Working, response: Sequence[DraftMessage]) -> None:
    """Link each later part of a response directly after the earlier ones if another response lies between them.

    The agent sends the parts as one message in the place of the first, and results after the last part, thus after
    the other response: a new result would not follow its call.
    """
    parts = [
        line
        for line in response
        if line.uid in work.on_chain and work.is_there(line) and work.get(line, "type") == "assistant"
    ]
    parts.sort(key=lambda line: work.chain_index.get(line.uid, -1))
    own = {line.uid for line in parts}
    used = [value for line in response for value in work.values(line) if kind_of(value) == "tool_use"]
    calls = {repr(value.get("id")) for value in used}
    for earlier, later in pairwise(parts):
        between = _between(work, earlier, later)
        if any(work.get(line, "type") == "assistant" for line in between):
            _swap(work, earlier, between, _with_results(work, later, own, calls))


def _between(work: Working, above: DraftMessage, below: DraftMessage) -> list[DraftMessage]:
    """The chain's lines between two, top down; empty when the chain does not lead there."""
    found: list[DraftMessage] = []
    seen = {below.uid}
    line = work.named(work.parent_of(below))
    while line is not None and line is not above:
        if line.uid in seen or not work.is_there(line):
            return []
        seen.add(line.uid)
        found.append(line)
        line = work.named(work.parent_of(line))
    return found[::-1] if line is above else []


def _with_results(work: Working, part: DraftMessage, own: set[int], calls: set[str]) -> list[DraftMessage]:
    """A part of a response, with what directly follows it of the same response: more parts and results."""
    run = [part]
    inside = {part.uid}
    while True:
        follower = next((line for line in work.chain_children_of(run[-1]) if _belongs(work, line, own, calls)), None)
        if follower is None or follower.uid in inside:
            return run
        inside.add(follower.uid)
        run.append(follower)


def _belongs(work: Working, line: DraftMessage, own: set[int], calls: set[str]) -> bool:
    if line.uid in own:
        return True
    values = work.values(line)
    return bool(values) and all(
        kind_of(value) == "tool_result" and repr(value.get("tool_use_id")) in calls for value in values
    )


def _swap(work: Working, above: DraftMessage, between: Sequence[DraftMessage], run: Sequence[DraftMessage]) -> None:
    """above, between, run, the rest: becomes above, run, between, the rest. In the file too: its end is the leaf."""
    kept = {None, *work.history.preserved}
    if any(work.id_of(line) in kept for line in (above, *between, *run)):
        return
    rest = [line for line in work.chain_children_of(run[-1]) if line not in run]
    if not rest and work.history.chosen:
        return
    work.link(run[0], work.id_of(above))
    for line in rest:
        work.link(line, work.id_of(between[-1]))
    work.link(between[0], work.id_of(run[-1]))
    previous = above
    for line in run:
        work.put_after(line, previous)
        previous = line
    order = sorted(work.chain_index[line.uid] for line in (*between, *run) if line.uid in work.chain_index)
    moved = [line for line in (*run, *between) if line.uid in work.chain_index]
    work.chain_index.update(zip((line.uid for line in moved), order, strict=True))


def permute(work: Working, lines: Sequence[DraftMessage]) -> None:
    """Put records of the chain into this order, each in the place of another, on the chain and in the file."""
    slots = sorted(lines, key=lambda line: work.chain_index.get(line.uid, -1))
    kept = {None, *work.history.preserved}
    if any(line.uid not in work.on_chain or work.id_of(line) in kept for line in lines):
        return
    above = [work.parent_of(slot) for slot in slots]
    below = [work.chain_children_of(slot) for slot in slots]
    indexes = [work.chain_index[slot.uid] for slot in slots]
    own = {line.uid for line in lines}
    now = {work.id_of(slot): work.id_of(line) for slot, line in zip(slots, lines, strict=True)}
    for line, parent, children, index in zip(lines, above, below, indexes, strict=True):
        work.link(line, now.get(parent, parent))
        for child in children:
            if child.uid not in own:
                work.link(child, work.id_of(line))
        work.chain_index[line.uid] = index
    work.put_in_places(lines, slots)
