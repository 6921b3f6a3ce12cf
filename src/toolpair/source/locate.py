"""Finding the lists of messages in a JSON value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.limits import Places
from toolpair.source.record_values import parse
from toolpair.transcript.model import Damaged

LIST_KEYS: Final = ("messages", "input", "history", "conversation", "traj", "trajectory")
NEST_KEYS: Final = ("request", "body", "payload", "params", "data")
HOLDERS: Final = ("tasks_output",)
"""Keys of lists of which each element holds one of messages."""
_DEPTH: Final = 8
LOOKED_AT: Final = 50
"""Elements of a list that are looked at to tell what it holds."""


class Located(Struct, frozen=True, eq=False):
    """A list of messages at path `outside`; or a string there that holds JSON with the lists `inside`."""

    outside: tuple[str | int, ...]
    value: Any
    outer: dict[str, Any] | None
    inside: tuple[Located, ...] | None = None


def is_message_list(value: Any) -> bool:
    """Whether the elements are message-like dicts: most have a role or a type."""
    if not isinstance(value, list) or not value:
        return False
    dicts = [element for element in value[:LOOKED_AT] if isinstance(element, dict)]
    return len(dicts) * 2 > len(value[:LOOKED_AT]) and sum("role" in d or "type" in d for d in dicts) * 2 >= len(dicts)


def _is_dict_list(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(element, dict) for element in value[:LOOKED_AT])


def locate(value: Any, depth: int = 0) -> list[Located]:
    """All lists of messages in a JSON value; empty when nothing looks like one."""
    if depth > _DEPTH:
        return []
    if isinstance(value, list):
        return _in_list(value, depth)
    if isinstance(value, dict):
        return _in_dict(value, depth)
    return []


def at_places(places: Places, value: Any) -> list[Located]:
    """The lists at these places of a JSON value."""
    found: dict[tuple[str | int, ...], Located] = {}
    for place in places:
        for slot, held, outer in _at(place, value, (), None):
            if isinstance(held, list):
                found.setdefault(slot, Located(slot, held, outer))
    return list(found.values())


_Walked = Iterator[tuple[tuple[str | int, ...], Any, dict[str, Any] | None]]


def _at(
    place: tuple[str | None, ...], value: Any, slot: tuple[str | int, ...], outer: dict[str, Any] | None
) -> _Walked:
    if not place:
        yield slot, value, outer
        return
    step, rest = place[0], place[1:]
    outer = value if isinstance(value, dict) else outer
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inner = value.items() if step is None else [(step, value[step])] if step in value else ()
    elif isinstance(value, list) and step is None:
        inner = enumerate(value)
    for key, part in inner:
        yield from _at(rest, part, (*slot, key), outer)


def _in_list(value: list[Any], depth: int) -> list[Located]:
    if not value:
        return [Located((), value, None)]
    look = value[:LOOKED_AT]
    wrappers = [e for e in look if isinstance(e, list) or (isinstance(e, dict) and "role" not in e)]
    holding = sum(_holds_messages(e, depth + 1) for e in wrappers) if len(wrappers) * 2 > len(look) else 0
    if holding * 2 > len(look):
        return [
            _below(index, place)
            for index, element in enumerate(value)
            if _holds_messages(element, depth + 1)
            for place in locate(element, depth + 1)
        ]
    return [Located((), value, None)] if _is_dict_list(value) else []


def _holds_messages(element: Any, depth: int) -> bool:
    if isinstance(element, list):
        return is_message_list(element)
    return isinstance(element, dict) and "role" not in element and any(map(is_sure, locate(element, depth)))


def is_sure(place: Located) -> bool:
    """Whether a list of messages is there, not only a list."""
    return any(map(is_sure, place.inside)) if place.inside is not None else is_message_list(place.value)


def _in_dict(value: dict[str, Any], depth: int) -> list[Located]:
    lists = [key for key in LIST_KEYS if _is_dict_list(value.get(key))]
    best = next((key for key in lists if is_message_list(value[key])), None)
    if best is not None:
        return [Located((best,), value[best], value)]
    for key in (*LIST_KEYS, *NEST_KEYS, *HOLDERS):
        found = _under(value, key, depth)
        if any(map(is_sure, found)):
            return found
    if lists:
        return [Located((lists[0],), value[lists[0]], value)]
    empty = next((key for key in LIST_KEYS if value.get(key) == [] and key != "input"), None)
    if empty is not None:
        return [Located((empty,), value[empty], value)]
    return []


def _under(value: dict[str, Any], key: str, depth: int) -> list[Located]:
    member = value.get(key)
    if isinstance(member, dict) or (isinstance(member, list) and key in (*LIST_KEYS, *HOLDERS)):
        return [_below(key, place) for place in locate(member, depth + 1)]
    if isinstance(member, str) and member.lstrip()[:1] in ("{", "["):
        return _in_text(member, key, value, depth)
    return []


def _in_text(text: str, key: str, outer: dict[str, Any], depth: int) -> list[Located]:
    try:
        decoded = parse(text.encode("utf-8"))
    except UnicodeEncodeError:
        return []
    if isinstance(decoded, Damaged):
        return []
    inside = [
        replace(found, outer=outer) if found.outer is None and found.inside is None else found
        for found in locate(decoded, depth + 1)
    ]
    return [Located((key,), text, outer, tuple(inside))] if inside else []


def _below(step: str | int, place: Located) -> Located:
    return replace(place, outside=(step, *place.outside))
