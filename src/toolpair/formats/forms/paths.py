"""The two small languages of a table: paths to values, and conditions on them.

path       ""  a.b  a[].b  a[type=tool_use].id  a|b (the first that is there)  a.* (each value of a map)  a.~ (its keys)
           id[-1]  [type=x].a (only of an element for which that is so)  "a.b".c (a key with a dot in it)
condition  a (is there)  !a (is not, or is empty)  a=v|w  a!=v  a^=v (begins with)  a~ (is an object); joined by ","
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct


class BadPath(ValueError):
    """A path or condition that cannot be read. Its text is a clause."""


class Key(Struct, frozen=True):
    """The value of the first of these keys that has one."""

    names: tuple[str, ...]


class Each(Struct, frozen=True):
    """Each element of a list: of those that are objects, if there are conditions, the ones that meet them."""

    conditions: tuple[Condition, ...] = ()


class Only(Struct, frozen=True):
    """The object itself, if it meets the conditions."""

    conditions: tuple[Condition, ...]


class At(Struct, frozen=True):
    """One element of a list, counted from 0, or from the end."""

    index: int


class InMap(Struct, frozen=True):
    """Each value of a map, or each of its keys."""

    keys: bool


Step = Key | Each | Only | At | InMap
Path = tuple[Step, ...]
Operator = Literal["has", "lacks", "is", "is not", "begins", "object"]


class Condition(Struct, frozen=True):
    path: Path
    operator: Operator
    values: tuple[str, ...] = ()


_MOST: Final = 400
"""Characters of a path: more is not written by hand."""
_STEPS: Final = 12


def path_of(text: str) -> Path:
    """Raises BadPath."""
    if len(text) > _MOST:
        raise BadPath(f"is longer than {_MOST} characters")
    steps: list[Step] = []
    if not text:
        return ()
    for number, part in enumerate(_split(text, ".")):
        head, filters = _head_of(part)
        if head in ("*", "~"):
            steps.append(InMap(head == "~"))
        elif head:
            names = tuple(name.strip('"') for name in _split(head, "|"))
            if not all(names):
                raise BadPath(f"{text!r} has an empty name beside |")
            steps.append(Key(names))
        elif number or not filters:
            raise BadPath(f"{text!r} has an empty name between dots")
        for inside in filters:
            if inside.lstrip("-").isdigit():
                steps.append(At(int(inside)))
            elif head:
                steps.append(Each(conditions_of(inside) if inside else ()))
            elif inside:
                steps.append(Only(conditions_of(inside)))
            else:
                steps.append(Each())
    if len(steps) > _STEPS:
        raise BadPath(f"{text!r} has more than {_STEPS} steps")
    return tuple(steps)


def conditions_of(text: str) -> tuple[Condition, ...]:
    """All of these must be met. Raises BadPath."""
    return tuple(_condition(part.strip()) for part in _split(text, ","))


def _condition(text: str) -> Condition:
    at = next((n for n, char in _outside(text) if char == "="), None)
    if at is not None:
        operator: Operator = "is"
        end = at
        if text[at - 1 : at] in ("!", "^"):
            operator, end = ("is not" if text[at - 1] == "!" else "begins"), at - 1
        values = tuple(text[at + 1 :].split("|"))
        if not text[:end] or not all(values):
            raise BadPath(f"{text!r} lacks a path or a value beside =")
        return Condition(path_of(text[:end]), operator, values)
    if text.endswith("~") and not text.endswith(".~"):
        return Condition(path_of(text[:-1]), "object")
    if not text.strip("!"):
        raise BadPath(f"{text!r} is not a condition")
    return Condition(path_of(text[1:]), "lacks") if text.startswith("!") else Condition(path_of(text), "has")


def _head_of(part: str) -> tuple[str, list[str]]:
    """What stands in front of the brackets of a step, and what is in each pair of them."""
    brackets = [(n, char) for n, char in _outside(part, brackets=True) if char in "[]"]
    if not brackets:
        return part, []
    starts = [n for n, char in brackets if char == "["]
    ends = [n for n, char in brackets if char == "]"]
    if ends[-1] != len(part) - 1 or any(end + 1 != start for end, start in zip(ends, starts[1:], strict=False)):
        raise BadPath(f"{part!r} has something after ]")
    return part[: starts[0]], [part[start + 1 : end] for start, end in zip(starts, ends, strict=True)]


def _split(text: str, at: str) -> list[str]:
    """Split at a character outside of brackets and quotes."""
    parts, last = [], 0
    for n, char in _outside(text):
        if char == at:
            parts.append(text[last:n])
            last = n + 1
    return [*parts, text[last:]]


def _outside(text: str, brackets: bool = False) -> list[tuple[int, str]]:
    """The characters outside of brackets and quotes; with `brackets` the outermost of these, too. Raises BadPath."""
    found: list[tuple[int, str]] = []
    depth, quoted = 0, False
    for n, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char == "[":
            depth += 1
            if brackets and depth == 1:
                found.append((n, char))
        elif char == "]":
            depth -= 1
            if depth < 0:
                raise BadPath(f"{text!r} has a ] without [")
            if brackets and depth == 0:
                found.append((n, char))
        elif depth == 0:
            found.append((n, char))
    if depth or quoted:
        raise BadPath(f"{text!r} has a [ or a quote that nothing closes")
    return found
