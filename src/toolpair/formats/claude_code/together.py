"""Joining the parts of a response when another response lies between them in the chain.

The agent sends the parts as one message in the place of the first, and the results after the last: so after the other
response too, and a result inserted after its call is not directly after it until the parts are together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from toolpair.formats.claude_code.record_kinds import message_id
from toolpair.formats.claude_code.working_lines import DraftLine, Working, kind_of


def bring_together(work: Working, response: Sequence[DraftLine]) -> None:
    """Link each later part of a response directly after the earlier ones, before the other response."""
    parts = [line for line in response if line.uid in work.on_chain and not line.gone and line.type == "assistant"]
    parts.sort(key=lambda line: work.chain_index.get(line.uid, -1))
    own = {line.uid for line in parts}
    used = [part.value for line in response for part in line.content() if kind_of(part.value) == "tool_use"]
    calls = {repr(value.get("id")) for value in used}
    for earlier, later in pairwise(parts):
        between = _between(work, earlier, later)
        if between and any(line.type == "assistant" and message_id(line.value) is not None for line in between):
            _swap(work, earlier, between, _with_results(work, later, own, calls))


def _between(work: Working, above: DraftLine, below: DraftLine) -> list[DraftLine]:
    """The chain's lines between two, top down; empty when the chain does not lead there."""
    found: list[DraftLine] = []
    seen = {below.uid}
    line = work.by_uuid.get(work.parent_of(below) or "")
    while line is not None and line is not above:
        if line.uid in seen or line.gone:
            return []
        seen.add(line.uid)
        found.append(line)
        line = work.by_uuid.get(work.parent_of(line) or "")
    return found[::-1] if line is above else []


def _with_results(work: Working, part: DraftLine, own: set[int], calls: set[str]) -> list[DraftLine]:
    """A part of a response, with what directly follows it of the same response: more parts and results."""
    run = [part]
    inside = {part.uid}
    while True:
        follower = next((line for line in work.chain_children_of(run[-1]) if _belongs(line, own, calls)), None)
        if follower is None or follower.uid in inside:
            return run
        inside.add(follower.uid)
        run.append(follower)


def _belongs(line: DraftLine, own: set[int], calls: set[str]) -> bool:
    if line.uid in own:
        return True
    parts = line.content()
    return bool(parts) and all(
        kind_of(part.value) == "tool_result" and repr(part.value.get("tool_use_id")) in calls for part in parts
    )


def _swap(work: Working, above: DraftLine, between: Sequence[DraftLine], run: Sequence[DraftLine]) -> None:
    """above, between, run, the rest: becomes above, run, between, the rest. In the file too: its end is the leaf."""
    kept = set(work.history.preserved)
    if any(line.uuid is None or line.uuid in kept for line in (above, *between, *run)):
        return
    rest = [line for line in work.chain_children_of(run[-1]) if line not in run]
    if not rest and work.history.chosen:
        return
    work.set_parent(run[0], above.uuid)
    for line in rest:
        work.set_parent(line, between[-1].uuid)
    work.set_parent(between[0], run[-1].uuid)
    previous = above
    for line in run:
        work.put_behind(line, previous)
        previous = line
    order = sorted(work.chain_index[line.uid] for line in (*between, *run) if line.uid in work.chain_index)
    moved = [line for line in (*run, *between) if line.uid in work.chain_index]
    work.chain_index.update(zip((line.uid for line in moved), order, strict=True))
