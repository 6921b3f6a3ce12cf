"""Outputs outside the history because the record of their call was lost: the agent never finds them."""

from __future__ import annotations

from collections.abc import Iterable

from toolpair.dialects.block_texts import is_real_output
from toolpair.formats.claude_code.assembling import blocks_of_node
from toolpair.formats.claude_code.history import History
from toolpair.formats.claude_code.record_kinds import text_or_none
from toolpair.transcript.model import Block


def unreached_of(history: History) -> Iterable[Block]:
    """Real results after the last compaction whose call is nowhere in the file, as with parallel calls.

    Excluded are those that a conversation continues from, and those linked to calls: they belong to another branch.
    """
    active = {node.uid for node in history.chain} | {node.uid for node in history.order}
    newest = history.newest_boundary.position if history.newest_boundary is not None else -1
    beside = [
        node
        for node in history.nodes
        if node.type == "user"
        and node.uid not in active
        and node.position > newest
        and history.main(node)
        and node.has_result
    ]
    if not beside:
        return
    gone_on = {node.parent for node in history.nodes if node.type in ("user", "assistant")}
    calls = {id_ for node in (*history.nodes, *history.shadowed) if node.type == "assistant" for id_ in node.calls}
    calling = {node.uuid for node in history.nodes if node.type == "assistant" and node.uuid is not None and node.calls}
    for node in beside:
        if node.uuid in gone_on:
            continue
        blocks, _ = blocks_of_node(node)
        if len(blocks) != 1 or not isinstance(blocks[0].id, str):
            continue
        if any(name in calling for name in (node.parent, text_or_none(node.value.get("sourceToolAssistantUUID")))):
            # Its id may be spelled differently; the agent takes it there, or leaves it on that branch.
            continue
        if blocks[0].id not in calls and is_real_output(blocks[0]):
            yield blocks[0]
