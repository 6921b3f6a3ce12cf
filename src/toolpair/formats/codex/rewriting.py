"""Rewriting items that Codex cannot read, without losing any text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.besides import texts_besides
from toolpair.dialects.item_types import CALL_FAMILY, OUTPUT_OF, is_output_item, output_content, type_name
from toolpair.dialects.openai_responses import is_mislabelled
from toolpair.formats.codex.readable import is_loaded, unread_fields

_ABSENT: Final = object()
Rewrite = tuple[str, Any]
"""A title, and the field's new value; `_ABSENT` removes it."""


def readable(item: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The item in a form that Codex reads, with a title; None when its proper content is not known."""
    if is_mislabelled(item):
        made = {**item, "type": OUTPUT_OF[CALL_FAMILY.get(type_name(item) or "", "function")]}
        return ("write it as the output that it is", made) if is_loaded(made) else None
    made = {**item}
    titles: list[str] = []
    if type_name(item) is None and item.get("role") in _ROLES and "content" in item:
        made = {"type": "message", **made}
        titles.append("write that it is a message")
    if type_name(made) == "message" and not made.get("content") and any(texts_besides(made)):
        return None  # what it says stands elsewhere
    ways = _WAYS.get(type_name(made) or "", {})
    dropped: list[str] = []
    for key in unread_fields(made):
        way = ways.get(key)
        if way is not None:
            title, value = way(item)
            titles.append(title)
            made[key] = value
        elif key in item and (key not in _NEEDED or (key == "name" and is_output_item(item))):
            dropped.append(key)
            del made[key]
    if not is_loaded(made):
        return None
    if dropped:
        titles.append(f"leave out the {', '.join(dropped)} that Codex cannot read")
    return " and ".join(titles), made


_ROLES: Final = ("user", "assistant", "developer")
_NEEDED: Final = frozenset({"call_id", "name", "role", "action"})
"""Fields that must not be left out."""


def _arguments(item: Mapping[str, Any]) -> Rewrite:
    given = item.get("arguments")
    if given is None:
        return "write empty arguments", "{}"
    return "write the arguments as a JSON string", json.dumps(given, ensure_ascii=False)


def _searched(item: Mapping[str, Any]) -> Rewrite:
    return "write empty arguments", {}


def _input(item: Mapping[str, Any]) -> Rewrite:
    given = item.get("input")
    return "write the input as text", "" if given is None else json.dumps(given, ensure_ascii=False)


def _output(item: Mapping[str, Any]) -> Rewrite:
    content = output_content(dict(item))
    if isinstance(content, list):
        return "write the output as text", [_part(part, "input_text") for part in content]
    if isinstance(content, str):
        return "write the output as text", content
    return "write the output as text", "" if content is None else json.dumps(content, ensure_ascii=False)


def _tools(item: Mapping[str, Any]) -> Rewrite:
    return "write an empty list of tools", []


def _content(item: Mapping[str, Any]) -> Rewrite:
    content = item.get("content")
    kind = "output_text" if item.get("role") == "assistant" else "input_text"
    parts: Sequence[Any] = content if isinstance(content, list) else [] if content is None else [content]
    return "write what it says as a list of texts", [_part(part, kind) for part in parts]


def _part(part: Any, kind: str) -> Any:
    if isinstance(part, dict):
        if part.get("type") == "input_image":
            return part
        if isinstance(part.get("text"), str):
            known = part.get("type") == "output_text" and kind == "output_text"
            return part if known else {**part, "type": kind}
    return {"type": kind, "text": part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)}


def _word(word: str, what: str) -> Callable[[Mapping[str, Any]], Rewrite]:
    return lambda item: (f"write that it {what}", word)


_WAYS: Final[Mapping[str, Mapping[str, Callable[[Mapping[str, Any]], Rewrite]]]] = {
    "function_call": {"arguments": _arguments},
    "custom_tool_call": {"input": _input},
    "local_shell_call": {"status": _word("completed", "was completed")},
    "tool_search_call": {"arguments": _searched, "execution": _word("client", "ran here")},
    "function_call_output": {"output": _output},
    "custom_tool_call_output": {"output": _output},
    "tool_search_output": {
        "tools": _tools,
        "status": _word("completed", "was completed"),
        "execution": _word("client", "ran here"),
    },
    "message": {"content": _content},
}
"""Item type -> field -> how to rewrite it if Codex cannot read it."""
