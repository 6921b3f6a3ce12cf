"""Claude Code's session files: `~/.claude/projects/**.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.format import (
    Item,
    Usage,
)
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    pass


def inactive(items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
    from toolpair.formats.claude_code.inactive import inactive_histories

    return inactive_histories(items, transcript.tree.leaf)


def usage(value: Any) -> Usage | None:
    message = value.get("message") if isinstance(value, dict) and value.get("type") == "assistant" else None
    usage = message.get("usage") if isinstance(message, dict) else None
    written = count_in(usage, "output_tokens")
    read = count_in(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return usage_of(read, written)
