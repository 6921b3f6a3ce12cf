"""Ids and names of tools that a provider accepts: legal ones stay, others are mapped, and never two to one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.dialects.neutral import Call, Part, Result, Tool, Turn
from toolpair.dialects.new_ids import IdShape, NewIds
from toolpair.rules.profiles import Profile

_NAMELESS: Final = "unnamed_tool"
_OTHER: Final = "A-Za-z0-9_-"


def id_map(turns: Iterable[Turn], profile: Profile) -> dict[str, str]:
    """Each id of a call or a result -> the one to send. Only the ids decide, so that it is the same on each run."""
    return _mapped(ids_of(turns), profile.accepts_id, profile.new_ids)


def ids_of(turns: Iterable[Turn]) -> list[str]:
    """The ids of calls and results, in order."""
    return [part.id for turn in turns for part in turn.parts if isinstance(part, (Call, Result))]


def name_map(turns: Iterable[Turn], tools: Sequence[Tool], profile: Profile) -> dict[str, str]:
    """Each name of a tool, in calls and definitions -> the one to send."""

    def legal(name: str) -> bool:
        return len(name) <= profile.name_max and profile.name_pattern.fullmatch(name) is not None

    names = [tool.name for tool in tools]
    names += [part.name for turn in turns for part in turn.parts if isinstance(part, Call)]
    shape = IdShape(_OTHER, profile.name_max, None, "tool_", frozenset())
    made = _mapped([name or _NAMELESS for name in names], legal, shape)
    for name, new in made.items():
        if not legal(new):  # a first character that only names may not have
            stem = re.sub(r"[^A-Za-z0-9_-]", "_", f"tool_{new}")[: profile.name_max]
            made[name] = _free(stem, set(made.values()), profile.name_max)
    return {name: made[name or _NAMELESS] for name in names}


def _free(stem: str, taken: set[str], longest: int) -> str:
    made, count = stem, 2
    while made in taken:
        end = f"_{count}"
        made, count = stem[: longest - len(end)] + end, count + 1
    return made


def _mapped(found: Sequence[str], legal: Callable[[str], bool], shape: IdShape) -> dict[str, str]:
    made: dict[str, str] = {one: one for one in found if legal(one)}
    new = NewIds(shape, set(made))
    for one in found:
        if one not in made:
            made[one] = new.make(one)
    return made


def renamed(turns: Sequence[Turn], ids: Mapping[str, str], names: Mapping[str, str]) -> list[Turn]:
    """The turns with these ids and names; a turn without others stays the same object."""
    if all(old == new for mapping in (ids, names) for old, new in mapping.items()):
        return list(turns)

    def part_of(part: Part) -> Part:
        if isinstance(part, Call):
            return replace(part, id=ids[part.id], name=names[part.name])
        return replace(part, id=ids[part.id]) if isinstance(part, Result) else part

    return [Turn(turn.role, tuple(map(part_of, turn.parts))) for turn in turns]
