"""What shows that a file is a session of Continue's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import continue_dev as dialect

ROLES: Final = ("system", "user", "assistant", "tool", "thinking")
CONTEXT: Final = "contextItems"


def sniff(values: Sequence[Any]) -> int:
    records = [value for value in values if isinstance(value, dict)]
    own = sum(is_own(record) for record in records)
    return 96 if own and own * 2 >= len(records) else 0


def is_own(record: dict[str, Any]) -> bool:
    message = dialect.message_of(record)
    beside = isinstance(record.get(CONTEXT), list) or isinstance(record.get(dialect.STATES), list)
    return message is not None and message.get("role") in ROLES and beside and "type" not in record
