"""Ids and names of tools that a provider accepts: legal ones stay, others are mapped, never two to one, and noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects.neutral import Call, Part, Result, Tool, Turn
from toolpair.dialects.new_ids import IdShape, NewIds
from toolpair.dialects.openai_chat_content import calls_in
from toolpair.rules.profiles import Profile
from toolpair.transcript.model import Message

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


class IdTrail:
    """Pairs of ids, each step after the one before."""

    def __init__(self) -> None:
        self._fixed: dict[str, dict[str, None]] = {}
        """The session's id -> what fixes made of it."""
        self._pairs: dict[tuple[str, str], None] = {}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(self._pairs)

    def follow_fixes(self, before: Iterable[Message], after: Iterable[Message]) -> None:
        """Note what the ids in each record have become; fixes leave the calls of a record in their order, and results.

        A record that has more or fewer of them than before is passed.
        """
        old, new = _ids_by_record(before), _ids_by_record(after)
        for place, ids in old.items():
            now = new.get(place, [])
            for was, id_ in zip(ids, now, strict=True) if len(ids) == len(now) else ():
                if was != id_:
                    self._fixed.setdefault(id_, {})[was] = None

    def follow_map(self, ids: Mapping[str, str]) -> None:
        """Note the ids of the session, with those that they are mapped to."""
        for old, new in ids.items():
            for was in self._fixed.get(old, {old: None}):
                self._pairs[was, new] = None

    def follow_repair(self, before: Sequence[Any], after: Sequence[Any]) -> None:
        """Note what the ids of calls have become; fixes leave calls in their order."""
        old, new = calls_in(before), calls_in(after)
        if len(old) != len(new) or old == new:
            return
        became: dict[str, dict[str, None]] = {}
        for one, other in zip(old, new, strict=True):
            became.setdefault(one, {})[other] = None
        self._pairs = {(was, now): None for was, id_ in self._pairs for now in became.get(id_, {id_: None})}


def _ids_by_record(messages: Iterable[Message]) -> dict[tuple[int, str], list[str]]:
    found: dict[tuple[int, str], list[str]] = {}
    for block in (block for message in messages for block in (*message.calls, *message.results)):
        if isinstance(block.id, str):
            found.setdefault((block.record, block.kind), []).append(block.id)
    return found
