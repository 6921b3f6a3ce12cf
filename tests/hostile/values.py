"""Values that no agent writes, inserted anywhere in a session."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

NUL = "a\0b"
HALF = "\ud83d"
TEXTS = (
    "", " ", NUL, "\0", "/a\0b", "/home/\ud800", "/-rf", "/a\nb", HALF, f"x{HALF}y", "\udc00\ud800", "\x1b[2J", "\x07\r\x7f\x9b", "a\nb", "\u202eevil\u2066", "\u200b",
    "-rf", "--help", "'; touch /tmp/x; '", "$(id)", "`id`", "/", "..", "/dev/null", "~", "C:\\x", "e\u0301" * 20, "漢" * 3000,
    "x" * 40_000, "\ufeff", "1e999", "2026-11-21", "9999-99-99T99:99:99Z", "-1", "null",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    *TEXTS, None, True, False, 0, -1, 1, 2**31, 2**63, -(2**70), 10**400, 0.5, 1e308, float("inf"), float("nan"),
    [], {}, [[]], [None], {"a": None}, {"": ""}, {"type": ["text"]}, [{"type": "text", "text": HALF}],
    {"uuids": [{}]}, [[[[[[[["deep"]]]]]]]], {HALF: 1, "\0": 2}, list(range(300)), {"type": "tool_use", "id": [], "name": {}},
)  # fmt: skip
GONE = object()
"""Stands for a missing value."""


def odd(rng: random.Random, depth: int = 3) -> Any:
    """One such value, sometimes a composed one."""
    if rng.random() < 0.7:
        return rng.choice((*ODD, GONE)) if depth == 3 else rng.choice(ODD)
    if depth and rng.random() < 0.4:
        return [odd(rng, depth - 1) for _ in range(rng.randrange(3))]
    if depth and rng.random() < 0.5:
        return {_text(rng): odd(rng, depth - 1) for _ in range(rng.randrange(3))}
    return rng.choice((_text(rng), rng.randrange(-9, 99), rng.random(), 10 ** rng.randrange(30)))


def _text(rng: random.Random) -> str:
    return "".join(
        chr(rng.choice((rng.randrange(0x80), rng.randrange(0x3000), rng.randrange(0xD7F0, 0xE010))))
        for _ in range(rng.randrange(9))
    )


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside a value."""
    found: list[tuple[Any, ...]] = []
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        found.append((*at, key))
        found += paths(part, (*at, key))
    return found


def put(value: Any, path: tuple[Any, ...], new: Any) -> bool:
    """Set `new` at `path`; False if an earlier change has removed that place."""
    for key in path[:-1]:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return False
    try:
        if new is GONE:
            del value[path[-1]]
        else:
            value[path[-1]] = deepcopy(new)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def spoilt(rng: random.Random, value: Any) -> Any:
    """The value, modified in place to contain some odd values; sometimes records are swapped or duplicated."""
    for _ in range(rng.randrange(1, 5)):
        if places := paths(value):
            put(value, rng.choice(places), odd(rng))
    if isinstance(value, list) and len(value) > 1:
        at, to = rng.randrange(len(value)), rng.randrange(len(value))
        match rng.randrange(6):
            case 0:
                value.insert(to, deepcopy(value[at]))
            case 1:
                value[at], value[to] = value[to], value[at]
    return value
