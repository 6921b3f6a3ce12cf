"""Which items Codex can read; it silently skips one with a field missing or of the wrong type.

Measured field by field on the real Codex; `tests/agents/test_codex_items.py` repeats the measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolpair.dialects.item_types import type_name

Check = Callable[[Any], bool]

_MISSING: Final = object()
_PARTS_OF_MESSAGE: Final = frozenset({"input_text", "output_text", "input_image", "input_audio"})
_PARTS_OF_OUTPUT: Final = frozenset({"input_text", "input_image", "input_audio", "encrypted_content"})
_PARTS_OF_AGENT: Final = frozenset({"input_text", "encrypted_content"})
_DETAILS: Final = frozenset({"auto", "low", "high", "original"})


def is_loaded(item: Any) -> bool:
    """Whether Codex can read the item."""
    checks = _FIELDS.get(item["type"]) if type_name(item) is not None else None
    return checks is not None and all(check(item.get(key, _MISSING)) for key, check in checks)


def unread_fields(item: Any) -> list[str]:
    """The fields that stop Codex from reading the item."""
    checks = _FIELDS.get(type_name(item) or "", ())
    return [key for key, check in checks if not check(item.get(key, _MISSING))]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _text_or_none(value: Any) -> bool:
    return value is None or value is _MISSING or isinstance(value, str)


def _there(value: Any) -> bool:
    return value is not _MISSING


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _one_of(*words: str) -> Check:
    return lambda value: value in words if isinstance(value, str) else False


def _phase(value: Any) -> bool:
    return value is None or value is _MISSING or (isinstance(value, str) and value in ("commentary", "final_answer"))


def passes_through(value: Any) -> bool:
    """Whether it is Codex's own metadata of an item."""
    if value is None or value is _MISSING:
        return True
    if not isinstance(value, dict):
        return False
    made = value.get("create_time")
    return _text_or_none(value.get("turn_id")) and (made is None or isinstance(made, (int, float)))


def _parts(kinds: frozenset[str]) -> Check:
    return lambda value: isinstance(value, list) and all(_is_part(part, kinds) for part in value)


def _is_part(part: Any, kinds: frozenset[str]) -> bool:
    """Whether the part has a known type and its content; if any part has not, the whole item is lost."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        return False
    match kind:
        case "input_image":
            detail = part.get("detail")
            known = detail is None or (isinstance(detail, str) and detail in _DETAILS)
            return known and (isinstance(part.get("image_url"), str) or isinstance(part.get("file_id"), str))
        case "input_audio":
            return isinstance(part.get("audio_url"), str)
        case "encrypted_content":
            return isinstance(part.get("encrypted_content"), str)
    return isinstance(part.get("text"), str)


def _output(value: Any) -> bool:
    return isinstance(value, str) or _OUTPUT_PARTS(value)


_OUTPUT_PARTS: Final = _parts(_PARTS_OF_OUTPUT)


def _summary(value: Any) -> bool:
    return isinstance(value, list) and all(_is_said(part, "summary_text") for part in value)


def _reasoned(value: Any) -> bool:
    if value is None or value is _MISSING:
        return True
    return isinstance(value, list) and all(_is_said(part, "reasoning_text") or _is_said(part, "text") for part in value)


def _is_said(part: Any, kind: str) -> bool:
    return isinstance(part, dict) and part.get("type") == kind and isinstance(part.get("text"), str)


def _command(value: Any) -> bool:
    """Whether it is a valid command of a local shell."""
    if not isinstance(value, dict) or value.get("type") != "exec" or not _texts(value.get("command")):
        return False
    limit, env = value.get("timeout_ms"), value.get("env")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        return False
    if env is not None and not (isinstance(env, dict) and all(isinstance(said, str) for said in env.values())):
        return False
    return _text_or_none(value.get("working_directory")) and _text_or_none(value.get("user"))


def _object_or_none(value: Any) -> bool:
    return value is None or value is _MISSING or isinstance(value, dict)


_STATUS: Final[Mapping[str, Check]] = {"status": _text_or_none}
_NAMED: Final[Mapping[str, Check]] = {"name": _text, "namespace": _text_or_none, "call_id": _text}
_OF_ALL: Final[Mapping[str, Check]] = {
    "id": _text_or_none,
    "internal_chat_message_metadata_passthrough": passes_through,
}
_OWN: Final[Mapping[str, Mapping[str, Check]]] = {
    "message": {"role": _text, "content": _parts(_PARTS_OF_MESSAGE), "phase": _phase, **_STATUS},
    "function_call": {**_NAMED, "arguments": _text, **_STATUS},
    "custom_tool_call": {**_NAMED, "input": _text, **_STATUS},
    "local_shell_call": {
        "call_id": _text_or_none,
        "status": _one_of("completed", "in_progress", "incomplete"),
        "action": _command,
    },
    "tool_search_call": {"call_id": _text_or_none, "execution": _text, "arguments": _there, **_STATUS},
    # Without an id it is loaded, and sent without one.
    "function_call_output": {"call_id": _text_or_none, "name": _text_or_none, "output": _output},
    "custom_tool_call_output": {"call_id": _text, "name": _text_or_none, "output": _output},
    "tool_search_output": {"call_id": _text_or_none, "status": _text, "execution": _text, "tools": _list},
    "reasoning": {"summary": _summary, "content": _reasoned, "encrypted_content": _text_or_none},
    "web_search_call": {"action": _object_or_none, **_STATUS},
    "image_generation_call": {"status": _text, "revised_prompt": _text_or_none, "result": _text},
    "compaction": {"encrypted_content": _text},
    "compaction_summary": {"encrypted_content": _text},
    "context_compaction": {"encrypted_content": _text_or_none},
    "agent_message": {"author": _text, "recipient": _text, "content": _parts(_PARTS_OF_AGENT)},
}
_FIELDS: Final = {type_: tuple({**_OF_ALL, **own}.items()) for type_, own in _OWN.items()}
"""Item type -> (field, check) for each field that is checked."""
