"""The records that a compaction replaced: none of them is sent, while the history goes on after them."""

from __future__ import annotations

from msgspec.structs import replace

from toolpair.history.checked_records import CheckedRecords
from toolpair.transcript.model import Scope


def replaced(judged: CheckedRecords) -> CheckedRecords:
    """The same records with none of them in the history; `judged` reads them as a history of their own."""
    read = judged.transcript
    scopes: dict[int, Scope] = {
        item.uid: "inactive"
        for item in judged.items
        if isinstance(item.value, dict) and isinstance(item.value.get("uuid"), str)
    }
    scopes |= {uid: scope for uid, scope in read.scopes.items() if scope == "malformed"}
    order = {item.uid: number for number, item in enumerate(judged.items)}
    blocks = [block for message in read.messages for block in message.blocks if block.kind in ("call", "result")]
    blocks += read.inactive_blocks
    blocks.sort(key=lambda block: order.get(block.record, 0))
    skipped = replace(
        read,
        messages=(),
        scopes=scopes,
        inactive_blocks=tuple(blocks),
        boundaries=(),
        tree=replace(read.tree, branches=(), broken=(), retries=None),
        copies={},
        unreached=(),
    )
    return replace(judged, given=skipped)
