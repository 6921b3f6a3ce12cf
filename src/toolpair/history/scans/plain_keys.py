"""The keys that blocks in order have, no others."""

from __future__ import annotations

from typing import Final

TEXT_KEYS: Final = frozenset({"type", "text", "citations", "cache_control"})
CALL_KEYS: Final = frozenset({"type", "id", "name", "input", "caller", "cache_control"})
RESULT_KEYS: Final = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})
