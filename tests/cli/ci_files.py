"""Sessions for testing CI output formats, with texts that must not appear in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SECRETS = ("SECRET-WORDS", "SECRET-ARGUMENT", "SECRET-KEY", "SECRET-OUTPUT", "SECRET-THOUGHT")


def broken(call: str = "toolu_1", result: str = "toolu_1x") -> list[dict[str, Any]]:
    """A conversation with errors, warnings and text in every possible place."""
    return [
        {"role": "user", "content": "SECRET-WORDS please"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "SECRET-THOUGHT", "signature": "c2ln"},
                {"type": "text", "text": "SECRET-WORDS"},
                {"type": "tool_use", "id": call, "name": "Bash", "input": {"SECRET-KEY": "SECRET-ARGUMENT"}},
                {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": "SECRET-ARGUMENT"},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "SECRET-WORDS"},
                {"type": "tool_result", "tool_use_id": result, "content": "SECRET-OUTPUT"},
                {"type": "tool_result", "tool_use_id": result, "content": [{"type": "text", "text": "SECRET-OUTPUT"}]},
            ],
        },
    ]


def chat_broken() -> list[dict[str, Any]]:
    function = {"name": "run", "arguments": '{"SECRET-KEY": "SECRET-ARG'}
    return [
        {"role": "user", "content": "SECRET-WORDS"},
        {"role": "assistant", "content": "SECRET-WORDS", "tool_calls": [{"id": "", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "lost", "content": "SECRET-OUTPUT"},
        {"role": "tool", "tool_call_id": "lost", "content": "SECRET-OUTPUT 2"},
    ]  # fmt: skip


def write(path: Path, messages: list[dict[str, Any]], indent: int | None = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(messages, indent=indent))
    return path
