"""What goose can read of a row: it crashes at what it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from toolpair.dialects import goose as dialect
from toolpair.dialects.item_types import type_name
from toolpair.formats.goose.detection import ROLES, VISIBLE, content_key, fields_of, row_slot
from toolpair.source.deep_values import is_deeper

_FIELDS: Final[Mapping[str, Mapping[str, type | tuple[type, ...]]]] = {
    "text": {"text": str},
    "image": {"data": str, "mimeType": str},
    "document": {"data": str, "mimeType": str},
    dialect.CALL: {"id": str, "toolCall": dict},
    dialect.RESULT: {"id": str, "toolResult": dict},
    "toolConfirmationRequest": {"id": str, "toolName": str, "arguments": dict},
    "actionRequired": {"data": dict},
    "thinking": {"thinking": str, "signature": str},
    "redactedThinking": {"data": str},
    "systemNotification": {"notificationType": str, "msg": str},
    "error": {"kind": (str, dict)},
}
"""Types of parts that goose reads, and the fields without which it does not."""
IN_RESULT: Final[Mapping[str, Mapping[str, type]]] = {
    "text": {"text": str},
    "image": {"data": str, "mimeType": str},
    "audio": {"data": str, "mimeType": str},
    "resource": {"resource": dict},
    "resource_link": {"uri": str, "name": str},
}
LEVELS: Final = 127
"""How deeply values of a row's content may be nested for goose's parser, as measured."""


def cannot_be_read(value: Any) -> bool:
    """Whether goose fails to read a message. It leaves a row with an unknown role out before it reads more of it."""
    fields = fields_of(value)
    if row_slot(value) and fields.get("role") not in ROLES:
        return False
    content = fields.get(content_key(value))
    return not isinstance(content, list) or not all(map(is_part, content)) or bool(odd_columns(value))


def is_part(part: Any) -> bool:
    if not has_fields(part, _FIELDS):
        return False
    if part["type"] == dialect.CALL:
        said = part["toolCall"]
        called = said.get("value")
        return _failed(said) or (_worked(said) and isinstance(called, dict) and isinstance(called.get("name"), str))
    if part["type"] == dialect.RESULT:
        said = part["toolResult"]
        return _failed(said) or (_worked(said) and _is_output(said.get("value")))
    return True


def has_fields(part: Any, known: Mapping[str, Mapping[str, type | tuple[type, ...]]]) -> bool:
    fields = known.get(type_name(part) or "")
    return fields is not None and all(isinstance(part.get(name), kind) for name, kind in fields.items())


def _worked(said: dict[str, Any]) -> bool:
    return said.get("status") == "success"


def _failed(said: dict[str, Any]) -> bool:
    return said.get("status") == "error" and isinstance(said.get("error"), str)


def _is_output(value: Any) -> bool:
    content = value
    if isinstance(value, dict):
        if not value.keys() & {"content", "structuredContent"} or not isinstance(value.get("isError", False), bool):
            return False
        content = value.get("content", [])
    return isinstance(content, list) and all(has_fields(part, IN_RESULT) for part in content)


def odd_columns(value: Any) -> dict[str, Any]:
    """The columns of a row, beside its content, that goose cannot read, and what they should be."""
    made: dict[str, Any] = {}
    fields = fields_of(value)
    if row_slot(value) and isinstance(fields.get("metadata_json"), str):
        made["metadata_json"] = VISIBLE
    time = fields.get("created_timestamp", 0)
    if row_slot(value) and (not isinstance(time, int) or isinstance(time, bool)):
        made["created_timestamp"] = int(time) if isinstance(time, float) and isfinite(time) else 0
    return made


def levels_refused(value: Any) -> int | None:
    return LEVELS if row_slot(value) and is_deeper(fields_of(value).get(content_key(value)), LEVELS) else None
