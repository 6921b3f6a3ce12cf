"""What a compaction replaced: records of which nothing is sent, beside the history that goes on behind them."""

from __future__ import annotations

from msgspec.structs import replace

from toolpair.history.checked_records import CheckedRecords
from toolpair.transcript.model import Scope


def replaced(judged: CheckedRecords) -> CheckedRecords:
    """The same records with nothing of them in the history; `judged` reads them as a history of their own."""
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
    passed_by = replace(
        read,
        messages=(),
        scopes=scopes,
        inactive_blocks=tuple(blocks),
        boundaries=(),
        branches=(),
        defects=(),
        retries=None,
        copies={},
        unreached=(),
    )
    return replace(judged, given=passed_by)
