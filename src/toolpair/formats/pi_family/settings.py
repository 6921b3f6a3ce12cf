"""What a session of pi says of a request besides its history: the sections of the system prompt, tools, the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.format import Item, KeptRequest


def request_kept(items: Sequence[Item]) -> KeptRequest:
    """The settings that the file ends with: a later section or tool of one name replaces the earlier one."""
    sections: dict[str, str] = {}
    tools: dict[str, Any] = {}
    model: str | None = None
    for value in (item.value for item in items if isinstance(item.value, dict)):
        message = value.get("message")
        if isinstance(message, dict) and message.get("role") == "system":
            given, added = message.get("sections"), message.get("toolsAdded")
            if isinstance(given, dict):
                sections |= {name: text for name, text in given.items() if isinstance(text, str)}
            for tool in added if isinstance(added, list) else ():
                if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                    tools[tool["name"]] = tool
        elif value.get("type") == "model_change" and isinstance(value.get("modelId"), str):
            model = value["modelId"]
    said = "\n\n".join(text for text in sections.values() if text)
    return KeptRequest(said or None, list(tools.values()), model)
