"""A content block as indented JSON for reading."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.session.session import Block


def block_json(block: Block) -> str:
    """The block's value as in the file, on several lines. Untrusted."""
    return json.dumps(block.value, ensure_ascii=False, indent=2)
