"""Gemini's `contents` with Anthropic's blocks. A call without an id gets one of its function and its number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

_ROLES: Final = {"model": "assistant", "function": "user", None: "user"}
_MEDIA: Final = ("inlineData", "inline_data", "fileData", "file_data")


def is_content(value: Any) -> bool:
    """Whether it is an element of `contents`."""
    return isinstance(value, dict) and isinstance(value.get("parts"), list) and "content" not in value


def as_anthropic(contents: Iterable[Any]) -> list[Any]:
    """The contents as messages, each at its own place; what is no content stays as it is."""
    ids = _Ids()
    return [_message(content, ids) if is_content(content) else content for content in contents]


def _message(content: dict[str, Any], ids: _Ids) -> dict[str, Any]:
    role = content.get("role")
    known = role is None or isinstance(role, str)
    if role == "model":
        ids.next_exchange()
    blocks = [block for part in content["parts"] for block in _blocks(part, ids)]
    return {"role": _ROLES.get(role, role) if known else role, "content": blocks}


def _blocks(part: Any, ids: _Ids) -> Iterator[Any]:
    if not isinstance(part, dict):
        yield part
    elif isinstance(call := part.get("functionCall", part.get("function_call")), dict):
        id_ = ids.of_call(call)
        yield {"type": "tool_use", "id": id_, "name": call.get("name"), "input": call.get("args") or {}}
    elif isinstance(result := part.get("functionResponse", part.get("function_response")), dict):
        said = result.get("response")
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
        yield {"type": "tool_result", "tool_use_id": ids.of_result(result), "content": text}
    elif "text" in part and not part.get("thought"):
        yield {"type": "text", "text": part["text"]}
    elif media := next(
        (part[key] for key in ("inlineData", "inline_data", "fileData", "file_data") if key in part), None
    ):
        yield {"type": "image", "source": media}


class _Ids:
    """Gives an id to calls and results that have none: a result without one answers a call by its function's name."""

    def __init__(self) -> None:
        self._count = 0
        self._waiting: list[tuple[Any, str]] = []
        """Name and made id of each call of this exchange that has no result yet."""

    def next_exchange(self) -> None:
        self._waiting.clear()

    def of_call(self, call: dict[str, Any]) -> Any:
        if call.get("id") is not None:
            return call["id"]
        made = self._made(call.get("name"))
        self._waiting.append((call.get("name"), made))
        return made

    def of_result(self, result: dict[str, Any]) -> Any:
        if result.get("id") is not None:
            return result["id"]
        for place, (name, made) in enumerate(self._waiting):
            if name == result.get("name"):
                del self._waiting[place]
                return made
        return self._made(result.get("name"))

    def _made(self, name: Any) -> str:
        self._count += 1
        return f"{name if isinstance(name, str) else 'function'}_{self._count}"
