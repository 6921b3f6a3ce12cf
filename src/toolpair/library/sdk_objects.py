"""Converting what people have in their message lists to plain JSON values: dicts, SDK objects, dataclasses."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections import UserString
from collections.abc import Callable, Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from typing import Any, Final

from toolpair.dialects.besides import content_elsewhere, named_keys
from toolpair.transcript.model import DeepValue

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_STAINLESS: Final = "._models"
"""Modules with the base class of the objects of Anthropic's, OpenAI's and similarly generated SDKs."""
_EXACTLY: Final[tuple[tuple[type, Callable[[Any], Any]], ...]] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)
"""Types of which JSON writes the value itself, whatever a subclass says of it."""
_LANGCHAIN: Final = frozenset({"human", "ai", "AIMessageChunk", "system", "tool", "function", "chat"})


def plain(value: Any) -> Any:
    """The value as it would be sent; a plain value stays the same object. What is made of a subclass of a plain type
    is of that type: whatever its methods do, they do it here.

    Raises RecursionError for a value nested too deeply or in itself, TypeError for an iterator in it or a key that JSON
    does not allow, and whatever an object raises when its fields are read.
    """
    if type(value) in _SCALARS:
        return value
    if type(value) is dict:
        made: dict[Any, Any] | None = None
        for key, item in value.items():
            if type(key) is not str:
                return plain({_key(key): item for key, item in value.items()})
            if type(item) not in _SCALARS and (new := plain(item)) is not item:
                made = dict(value) if made is None else made
                made[key] = new
        return value if made is None else made
    if type(value) is list:
        listed: list[Any] | None = None
        for number, item in enumerate(value):
            if type(item) not in _SCALARS and (new := plain(item)) is not item:
                listed = list(value) if listed is None else listed
                listed[number] = new
        return value if listed is None else listed
    return _object(value)


def _key(key: Any) -> str:
    """A key as JSON writes it."""
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, (bool, int, float)):
        return json.dumps(key)
    raise TypeError(f"JSON knows no {type(key).__name__} as a key")


def _object(value: Any) -> Any:
    if isinstance(value, DeepValue):
        return value  # it is handed back as it is
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, UserString):
        return str.__str__(str(value))
    for kind, exactly in _EXACTLY:
        if isinstance(value, kind):
            return exactly(value)
    if isinstance(value, (type, bytes, bytearray, memoryview)):
        return value
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, (Sequence, Set, KeysView, ValuesView)):
        return [plain(item) for item in value]
    if isinstance(value, Iterator):
        raise TypeError("an iterator can be read only once; make it a list")
    if callable(getattr(value, "model_dump", None)):
        return _dumped(value)
    if dataclasses.is_dataclass(value):
        return _fields(value, [entry.name for entry in dataclasses.fields(value)])
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if isinstance(attributes, tuple):
        return _fields(value, [entry.name for entry in attributes])
    dump = getattr(value, "dict", None)
    made = dump() if callable(dump) else value
    return {key: plain(item) for key, item in made.items() if item is not None} if isinstance(made, dict) else value


def _fields(value: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: plain(item) for name in names if (item := getattr(value, name)) is not None}


def _dumped(value: Any) -> Any:
    """A pydantic object, without None values. Of an SDK's own object, only what its client sends: the fields that were
    set.
    """
    settings: dict[str, Any] = {"mode": "json", "exclude_none": True, "by_alias": True, "warnings": False}
    if any(base.__module__.endswith(_STAINLESS) for base in type(value).__mro__):
        settings |= {"exclude_unset": True, "exclude": getattr(value, "__api_exclude__", None)}
    try:
        made = value.model_dump(**settings)
    except TypeError:
        made = value.model_dump()
    if not isinstance(made, dict):
        return value
    if "role" in made and "content" not in made and getattr(value, "content", ...) is None:
        # A chat message without text says so explicitly; some servers require the key.
        made = {"role": made["role"], "content": None, **made}
    return made


def why_not_understood(values: Sequence[Any]) -> str:
    """A sentence on a list that is not a list of messages of a known API: what it looks like, and what to do."""
    first = next((value for value in values if isinstance(value, dict)), None)
    if first is None:
        return "there is no message in this list, but " + (type(values[0]).__name__ if values else "nothing")
    if "role" not in first and "content" in first and first.get("type") in _LANGCHAIN:
        return (
            "these are LangChain messages; give what it sends: "
            "langchain_core.messages.convert_to_openai_messages(messages)"
        )
    if isinstance(first.get("choices"), list):
        return "this list contains a whole response of the Chat Completions API; append response.choices[0].message"
    if first.get("object") == "response" and isinstance(first.get("output"), list):
        return "this list contains a whole response of the Responses API; extend the list with response.output"
    elsewhere = next((keys for value in values if isinstance(value, dict) and (keys := content_elsewhere(value))), ())
    if elsewhere:
        return f"these messages have their content under keys that no API knows ({named_keys(elsewhere)})"
    return "these are neither Anthropic messages nor OpenAI chat messages nor Responses API items"
