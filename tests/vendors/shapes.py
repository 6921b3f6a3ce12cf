"""Judging shapes by an SDK's own types, and damaging shapes at random."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

JSON = Any
Path = tuple[str | int, ...]


def refused(adapter: Any, messages: list[JSON]) -> dict[int, str]:
    """Index of each message that the types refuse -> why, in short. `adapter` is pydantic's for one message."""
    from pydantic import ValidationError

    found: dict[int, str] = {}
    for number, message in enumerate(messages):
        try:
            _used_up(adapter.validate_python(message, strict=True))
        except ValidationError as error:
            found[number] = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['type']}" for one in error.errors()[:4])
    return found


def _used_up(value: Any) -> None:
    """Pydantic looks into an Iterable only while it is iterated."""
    if isinstance(value, dict):
        for item in value.values():
            _used_up(item)
    elif isinstance(value, (list, tuple)) or hasattr(value, "__next__"):
        for item in value:
            _used_up(item)


def places(value: JSON, path: Path = ()) -> Iterator[Path]:
    """Where each value below `value` stands."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield (*path, key)
        yield from places(item, (*path, key))


def damaged(rng: random.Random, messages: list[JSON], count: int = 1) -> tuple[list[JSON], list[str]]:
    """A copy in which values at random places are gone or of another type; and what was done."""
    made = copy.deepcopy(messages)
    done: list[str] = []
    for _ in range(count):
        free = [path for path in places(made) if "input" not in path[:-1]]
        if not free:
            break
        path = rng.choice(free)
        holder = made
        for step in path[:-1]:
            holder = holder[step]
        how = rng.choice(["gone", "null", "number", "words", "object", "list", "true"])
        if how == "gone":
            if isinstance(holder, dict):
                holder.pop(path[-1])
            else:
                continue
        else:
            holder[path[-1]] = {"null": None, "number": 7, "words": "other", "object": {}, "list": [], "true": True}[
                how
            ]
        done.append(f"{how} at {'.'.join(map(str, path))}")
    return made, done
