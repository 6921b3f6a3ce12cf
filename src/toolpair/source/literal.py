"""Lists and dicts as Python prints them: single quotes, None, True, False. Nothing is run."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any, Final

from toolpair.source.errors import Unreadable

_LIMIT: Final = 32 << 20
_DEPTH: Final = 90
_FIRST_WRONG = re.compile(rb"'|None\b|True\b|False\b|\(|[rubRUB]{1,2}['\"]")
_BRACKETS = re.compile(
    rb"[^'\"\[\](){}]*+(?:(?:'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\")[^'\"\[\](){}]*+)*+([\[\](){}])",
    re.DOTALL,
)


def read_literal(data: bytes, start: int, end: int, wrong: int, shown: str) -> Any:
    """The value of a Python literal, or None when it is not one. `wrong` is where it stopped being JSON."""
    if not _FIRST_WRONG.match(data, wrong):
        return None
    depth = deepest = 0
    pos = start
    while (match := _BRACKETS.match(data, pos, end)) is not None:
        pos = match.end()
        depth += 1 if data[pos - 1] in b"[({" else -1
        deepest = max(deepest, depth)
        if depth <= 0 or deepest > _DEPTH:
            break
    if depth != 0 or data[pos:end].strip():
        if deepest > _DEPTH:
            raise Unreadable(f"{shown} is nested too deeply to be read; give a file with messages.")
        return None
    if end - start > _LIMIT:
        raise Unreadable(f"{shown} is printed Python of more than 32 MB; write it as JSON and open that.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(data[start:end].decode("utf-8"))
        return _plain(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _plain(value: Any) -> Any:
    """The value with JSON's types only. Raises ValueError for others."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key is no string")
        return {key: _plain(member) for key, member in value.items()}
    raise ValueError(f"{type(value).__name__} is no JSON value")
