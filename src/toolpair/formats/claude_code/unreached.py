"""Outputs outside the history that the agent never finds: their call's record was lost, or it has another result."""

from __future__ import annotations

from collections.abc import Iterable

from toolpair.dialects.block_texts import is_real_output, output_key
from toolpair.formats.claude_code.assembling import blocks_of_node
from toolpair.formats.claude_code.history import History
from toolpair.formats.claude_code.record_kinds import ChainNode, text_or_none
from toolpair.transcript.model import Block


def unreached_of(history: History) -> Iterable[Block]:
    """Real results after the last compaction whose call is nowhere in the file, as with parallel calls, or is answered.

    Excluded are those that a conversation continues from, and those linked to calls: they belong to another branch,
    unless they hang on the history itself and say something else than its result of the same call.
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
    known = _Known(history)
    for node in beside:
        if node.uuid in gone_on:
            continue
        blocks, _ = blocks_of_node(node)
        if len(blocks) != 1 or not isinstance(blocks[0].id, str):
            continue
        if known.is_second(node, blocks[0]):
            yield blocks[0]
        if any(name in calling for name in (node.parent, text_or_none(node.value.get("sourceToolAssistantUUID")))):
            # Its id may be spelled differently; the agent takes it there, or leaves it on that branch.
            continue
        if blocks[0].id not in calls and is_real_output(blocks[0]):
            yield blocks[0]


class _Known:
    """What the history says of each call, worked out when it is asked for."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._uuids: set[str | None] = set()
        self._said: dict[str, set[tuple[str, ...]]] | None = None
        """Id of a call of the history -> what its results say, and others that were found to be like them."""

    def is_second(self, node: ChainNode, result: Block) -> bool:
        """Whether a result hangs on the history, and is another real output of a call that is answered there."""
        said = self._results().get(result.id)
        if said is None or not is_real_output(result) or output_key(result) in said:
            return False
        if (
            node.parent not in self._uuids
            and text_or_none(node.value.get("sourceToolAssistantUUID")) not in self._uuids
        ):
            return False
        said.add(output_key(result))
        return True

    def _results(self) -> dict[str, set[tuple[str, ...]]]:
        if self._said is None:
            self._said = {}
            self._uuids = {node.uuid for node in self._history.order if node.uuid is not None}
            for node in self._history.order:
                for block in blocks_of_node(node)[0] if node.type == "user" and node.has_result else ():
                    if block.kind == "result" and isinstance(block.id, str) and is_real_output(block):
                        self._said.setdefault(block.id, set()).add(output_key(block))
        return self._said
