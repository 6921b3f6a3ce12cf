"""Messages as observability tools and evaluation logs spell them, in the form of Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any


def from_open_telemetry(messages: Iterable[Any]) -> list[Any]:
    """Messages of `gen_ai.input.messages`: a role and `parts`. Each tool response becomes a tool message.

    Telemetry may leave out ids. A call without one gets one, and a response without one answers the next call that has
    no response.
    """
    ids = _Ids()
    return [made for message in messages for made in _of_parts(message, ids)]


class _Ids:
    """The ids of the calls that wait for a response."""

    def __init__(self) -> None:
        self._made = 0
        self._waiting: list[Any] = []

    def of_call(self, id_: Any) -> Any:
        if id_ is None:
            self._made += 1
            id_ = f"call_{self._made}"
        self._waiting.append(id_)
        return id_

    def of_response(self, id_: Any) -> Any:
        if id_ is None:
            return self._waiting.pop(0) if self._waiting else None
        if id_ in self._waiting:
            self._waiting.remove(id_)
        return id_


def _of_parts(message: Any, ids: _Ids) -> Iterator[Any]:
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list):
        yield message
        return
    texts: list[Any] = []
    calls: list[Any] = []
    results: list[Any] = []
    for part in parts:
        if not isinstance(part, dict):
            texts.append(part)
        elif part.get("type") == "tool_call":
            calls.append(_call(ids.of_call(part.get("id")), part.get("name"), part.get("arguments")))
        elif part.get("type") == "tool_call_response":
            said = part["response"] if "response" in part else part.get("result")
            results.append({"role": "tool", "tool_call_id": ids.of_response(part.get("id")), "content": _text(said)})
        elif part.get("type") == "text":
            texts.append({"type": "text", "text": part.get("content")})
    yield from results
    if message.get("role") == "tool" and not results:
        yield {"role": "tool", "tool_call_id": ids.of_response(None), "content": texts}
    elif texts or calls or not results:
        yield _chat(message.get("role"), texts or None, calls)


def from_inspect(messages: Iterable[Any]) -> list[Any]:
    """Inspect's messages: chat messages whose calls name a function and hold an object."""
    return [_of_inspect(message) for message in messages]


def _of_inspect(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    if isinstance(content, list):
        content = [part for part in content if not (isinstance(part, dict) and part.get("type") == "reasoning")]
    if message.get("role") == "tool":
        return {"role": "tool", "tool_call_id": message.get("tool_call_id"), "content": _text(content)}
    asked = message.get("tool_calls")
    calls = [
        _call(call.get("id"), call.get("function"), call.get("arguments"))
        for call in (asked if isinstance(asked, list) else ())
        if isinstance(call, dict)
    ]
    return _chat(message.get("role"), content, calls)


def _call(id_: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": _text(arguments or {})}}


def _chat(role: Any, content: Any, calls: list[Any]) -> dict[str, Any]:
    return {"role": role, "content": content if content or not calls else None} | (
        {"tool_calls": calls} if calls else {}
    )


def _text(said: Any) -> str:
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
