"""Whether records are the messages of a session of Mistral Vibe's newer store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import row_of

SESSION: Final = "vibe_session"
MESSAGE: Final = "vibe_message"


def knows(value: dict[str, Any]) -> bool:
    return "data" in row_of(value, MESSAGE) or "data" in row_of(value, SESSION)


def sniff(values: Sequence[Any]) -> int:
    records = [value for value in values if isinstance(value, dict)]
    own = sum(map(knows, records))
    return 97 if own and own * 2 >= len(records) else 0
