"""Whether the text shown for a window is contained in its bytes."""

from __future__ import annotations

import orjson

from toolpair.dialects.block_texts import arguments
from toolpair.history.checked_records import CheckedRecords


def speaks_otherwise(judged: CheckedRecords) -> bool:
    """Whether rows show more than the JSON they are read from.

    They do for damage, for lost history, and for arguments that are not an object.
    """
    transcript, document = judged.transcript, judged.document
    if transcript.boundaries or document is None or "malformed" in transcript.scopes.values():
        return True
    blocks = (block for message in transcript.messages for block in message.blocks)
    if not all(isinstance(arguments(block), dict) for block in blocks if block.kind == "call"):
        return True
    try:
        for record in document.records:
            if record.lines == 1:
                orjson.loads(record.body)
    except ValueError:
        return True
    return False
