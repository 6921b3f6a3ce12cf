"""Reading JSON that is nested deeper than a parser goes: what lies below a depth is held as its bytes.

Agents' parsers have other limits than ours, or none, so that such a record is a record like any other.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import orjson

from toolpair.source.json_spans import LEVELS, TOKEN, decode_string, scan, value_end, values_in, whole_number
from toolpair.transcript.model import DeepValue

_AS_THEY_ARE: Final = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS
_NESTED: Final = (dict, list, DeepValue)
_SPACE_OR_STRING: Final = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\r\n]++', re.DOTALL)


def read_deep(raw: bytes, start: int) -> Any:
    """The value that starts at `start` and is complete, as `scan` found."""
    whole: list[Any] = []
    open_: list[Any] = [whole]
    key: str | None = None
    pos = start
    while True:
        match = TOKEN.match(raw, pos)
        assert match is not None
        group = match.lastindex or 0
        at, pos = match.start(group), match.end()
        mark, here = raw[at], open_[-1]
        if mark in b":,":
            continue
        if mark in b"}]":
            open_.pop()
        elif group == 2 and key is None and isinstance(here, dict):
            key = decode_string(raw[at:pos])
            continue
        else:
            value: Any
            opens = group == 1 and len(open_) <= LEVELS
            if opens:
                value = {} if mark == 0x7B else []
            elif group == 1:
                pos = value_end(raw, at)
                value = DeepValue(raw[at:pos])
            elif group == 2:
                value = decode_string(raw[at:pos])
            else:
                value = json.loads(raw[at:pos], parse_int=whole_number)
            if isinstance(here, dict):
                here[key or ""] = value
                key = None
            else:
                here.append(value)
            if opens:
                open_.append(value)
        if len(open_) == 1:
            return whole[0]


def on_one_line(raw: bytes) -> bytes:
    """The JSON without the space between its values."""
    return _SPACE_OR_STRING.sub(lambda match: match[1] or b"", raw)


def is_deeper(value: Any, levels: int) -> bool:
    """Whether more objects and arrays than this are nested in each other in the value, itself included."""
    try:
        written = orjson.dumps(value, option=_AS_THEY_ARE)
    except (TypeError, ValueError, RecursionError):
        written = None
    # So few begin in it that they cannot be nested so deeply. What marks them in texts counts, too.
    if written is not None and written.count(b"{") + written.count(b"[") <= levels:
        return False
    here = [value]
    for level in range(levels):
        below: list[Any] = []
        for found in here:
            if isinstance(found, DeepValue):
                if scan(found.raw).depth > levels - level:
                    return True
            elif isinstance(found, (dict, list)):
                members = found.values() if isinstance(found, dict) else found
                below += [one for one in members if isinstance(one, _NESTED)]
        if not below:
            return False
        # In a program's memory, a value may be in several others: each is looked at once.
        here = below if len(below) == 1 else list({id(one): one for one in below}.values())
    return any(isinstance(found, _NESTED) for found in here)


def is_held_in(value: Any) -> bool:
    """Whether something in the value is held as its bytes."""
    return any(isinstance(one, DeepValue) for one in values_in(value))
