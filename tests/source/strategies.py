"""Strategies for odd but valid JSON: spacing, escapes, spellings of numbers, duplicate keys."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import strategies as st

texts = st.text(max_size=8) | st.sampled_from(["é", "a/b", 'q"\\', "\n\t", "😀", "type", "\ud83d", ""])
keys = st.sampled_from(["a", "b", "id", "type", "é", "a/b", "content", ""])
scalars = (
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | texts | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=25,
)
seeds = st.randoms(use_true_random=False)


def odd_json(value: Any, rng: random.Random, allow_newline: bool = True) -> bytes:
    """`value` as JSON in a style that nobody would choose."""
    spaces = ["", "", " ", "  "] + (["\n", "\n  ", "\r\n\t"] if allow_newline else ["\t"])

    def space() -> str:
        return rng.choice(spaces)

    def text(string: str) -> str:
        out = []
        for char in string:
            if rng.random() < 0.3 or "\ud800" <= char <= "\udfff":
                raw = char.encode("utf-16-be", "surrogatepass")
                out += [f"\\u{raw[i]:02x}{raw[i + 1]:02X}" for i in range(0, len(raw), 2)]
            elif char == "/" and rng.random() < 0.5:
                out.append("\\/")
            else:
                out.append(json.dumps(char, ensure_ascii=False)[1:-1])
        return '"' + "".join(out) + '"'

    def write(here: Any) -> str:
        if isinstance(here, str):
            return text(here)
        if isinstance(here, dict):
            members = [(key, member) for key, member in here.items()]
            if members and rng.random() < 0.2:
                members.insert(0, (members[-1][0], rng.choice([None, 7, "twice"])))
            inside = ",".join(
                f"{space()}{text(key)}{space()}:{space()}{write(member)}{space()}" for key, member in members
            )
            return "{" + (inside or space()) + "}"
        if isinstance(here, list):
            inside = ",".join(f"{space()}{write(element)}{space()}" for element in here)
            return "[" + (inside or space()) + "]"
        if isinstance(here, float) and here == int(here) and abs(here) < 1e6:
            return rng.choice([repr(here), f"{here!r}00", f"{int(here)}e0" if here else "0.000"])
        return json.dumps(here)

    return write(value).encode("utf-8")


def edited(value: Any, rng: random.Random, spare: list[Any]) -> Any:
    """`value` with random changes, keeping unchanged objects; `spare` are more objects to move in."""
    if rng.random() < 0.15:
        return rng.choice([None, 5, "new/é", "n\ud800", {"type": "text", "x": []}, [], *spare])
    if isinstance(value, dict):
        result: dict[str, Any] = {}
        if rng.random() < 0.15:
            result["first"] = rng.choice([1, "one", *spare])
        for key, member in value.items():
            roll = rng.random()
            if roll < 0.15:
                continue
            result[key] = edited(member, rng, spare) if roll < 0.5 else member
            if rng.random() < 0.15:
                result["more" + key] = rng.choice([1.5, {"k": [1]}, *spare])
        return result
    if isinstance(value, list):
        elements = [edited(e, rng, spare) if rng.random() < 0.4 else e for e in value if rng.random() > 0.15]
        if rng.random() < 0.2:
            elements.insert(rng.randint(0, len(elements)), rng.choice([{"type": "new"}, "s", *spare]))
        if rng.random() < 0.2:
            rng.shuffle(elements)
        return elements
    return value


def subobjects(value: Any) -> list[Any]:
    """All containers and strings in a value."""
    found, todo = [], [value]
    while todo:
        here = todo.pop()
        if isinstance(here, dict):
            todo += here.values()
        elif isinstance(here, list):
            todo += here
        if isinstance(here, (dict, list, str)):
            found.append(here)
    return found
