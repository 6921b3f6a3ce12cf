"""Messages of a caller's own types: subclasses of dict, list, str whose methods raise or lie."""

from __future__ import annotations

import json
import warnings
from collections import UserDict, UserString
from collections.abc import Callable
from typing import Any

import pytest

import toolpair
from tests.rounds import ROUNDS


class Broken(Exception):
    """What no caller of the library expects from it."""

    def __str__(self) -> str:
        raise RuntimeError("not even this")


def fails(*_: Any, **__: Any) -> Any:
    raise Broken


METHODS = (
    "__getitem__", "__iter__", "__len__", "__eq__", "__ne__", "__hash__", "__str__", "__repr__", "__bool__",
    "__contains__", "get", "items", "keys", "values", "copy", "startswith", "strip", "encode", "lower", "__add__",
    "__class_getitem__", "__getattribute__", "__reversed__", "__length_hint__", "__lt__", "__format__", "__reduce_ex__",
)  # fmt: skip
BASES: tuple[type, ...] = (dict, list, str, UserDict, UserString, object, int)


def raising(base: type, method: str) -> type:
    return type("Own", (base,), {"__hash__": base.__hash__, method: fails})


def lists(make: Callable[[Any], Any], base: type) -> list[list[Any]]:
    """A list with one broken pair in which one value after another is of the caller's own type."""
    found = []
    for messages in (ANTHROPIC, CHAT):
        for path in paths(messages):
            value = at(messages, path)
            if base in (object, int) or isinstance(value, base if base in (dict, list, str) else (dict, str)):
                try:
                    own = make(value)
                except Exception:
                    own = make(())
                found.append(put(messages, path, own))
    return found


ANTHROPIC = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "."}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu-1", "content": "a.py"}]},
]
CHAT = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    },
]


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, one in inner for found in paths(one, (*path, key)))]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    made = value.copy()
    made[path[0]] = put(value[path[0]], path[1:], new)
    return made


@pytest.mark.parametrize("base", BASES)
def test_only_documented_errors_are_raised(base: type) -> None:
    for method in METHODS:
        raises_documented_errors(base, method)


def raises_documented_errors(base: type, method: str) -> None:
    own = raising(base, method)

    def make(value: Any) -> Any:
        try:
            return own(value)
        except Exception:
            return own.__new__(own)

    every = lists(make, base)
    for messages in every if ROUNDS else every[METHODS.index(method) % 17 :: 17]:
        for profile in (None, "anthropic", "openai-chat"):
            for call in (toolpair.check, toolpair.repair):
                try:
                    call(messages, profile)
                except (ValueError, TypeError) as error:
                    assert not isinstance(error, UnicodeError) and str(error)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert toolpair.guard(messages, mode="report") is not None
            toolpair.guard(messages, mode="repair")


def test_a_key_that_cannot_be_compared() -> None:
    class Key(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            raise Broken

    message = {Key("role"): "user", Key("content"): "go"}
    assert toolpair.check([message, *ANTHROPIC[1:]]).errors
    made = toolpair.repair([message, *ANTHROPIC[1:]])
    assert made.messages[0] is message and made.ok


def test_what_lies_is_read_as_json_writes_it() -> None:
    """A text is its characters, whatever its methods say."""

    class Text(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return True

        def __str__(self) -> str:
            return "toolu_9"

    messages = put(ANTHROPIC, (2, "content", 0, "tool_use_id"), Text("toolu-1"))
    plain = json.loads(json.dumps(messages))
    assert [p.rule for p in toolpair.check(messages).problems] == [p.rule for p in toolpair.check(plain).problems]
    repaired = toolpair.repair(messages)
    assert repaired.taken and repaired.messages[0] is messages[0]
    assert repaired.messages == toolpair.repair(plain).messages


def test_a_list_whose_length_lies() -> None:
    class Many(list[Any]):
        def __len__(self) -> int:
            return 1 << 62

        def __bool__(self) -> bool:
            return False

    own = Many(ANTHROPIC)
    assert [p.rule for p in toolpair.check(own).problems] == [p.rule for p in toolpair.check(ANTHROPIC).problems]
    assert len(toolpair.repair(own).messages) == 3
    sound = Many(toolpair.repair(ANTHROPIC).messages)
    assert toolpair.repair(sound).messages is sound
