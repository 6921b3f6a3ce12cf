"""A content block as JSON, to be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.session.session import Block


def block_json(block: Block) -> str:
    """As the file has it, on lines of its own. Untrusted."""
    return json.dumps(block.value, ensure_ascii=False, indent=2)
