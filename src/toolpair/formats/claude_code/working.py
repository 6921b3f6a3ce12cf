"""The records of a file while edits are put on them: content by slots, the chain by parents, lines by places."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolpair.formats.base import Item
from toolpair.formats.claude_code.history import History
from toolpair.formats.claude_code.records import content_of, text_or_none

_NAMESPACE: Final = uuids.UUID("b3c1de0f-6a5b-5c0e-9d0e-3f6f1f0a7c11")


@dataclass(slots=True, eq=False)
class Part:
    """One block of a record. `origin` is its index in the file's content, None when it is new."""

    value: Any
    origin: int | None


@dataclass(slots=True, eq=False)
class Line:
    """One record of the file, or a new one (negative uid)."""

    uid: int
    value: Any
    item: Item | None
    place: int
    """Where it stands in the file; a new or moved one has the place of the line that it stands behind."""
    uuid: str | None = None
    parts: list[Part] | None = None
    """Its content in blocks, once it is asked for."""
    parts_changed: bool = False
    owned: bool = False
    """`value` is a copy already."""
    gone: bool = False
    behind: list[Line] = field(default_factory=list)
    """Lines that were put behind this one, in order."""
    moved: bool = False

    @property
    def type(self) -> Any:
        return self.value.get("type") if isinstance(self.value, dict) else None

    def set(self, key: str, value: Any) -> None:
        if not self.owned:
            self.value = dict(self.value)
            self.owned = True
        self.value[key] = value

    def content(self) -> list[Part]:
        if self.parts is None:
            content = content_of(self.value)
            if isinstance(content, list):
                self.parts = [Part(value, index) for index, value in enumerate(content)]
            elif content is None:
                self.parts = []
            else:
                # A whole content that is a string is one block; it is kept as a string while nothing changes.
                self.parts = [Part(content, -1)]
        return self.parts

    def part(self, slot: tuple[str | int, ...]) -> Part | None:
        origin = slot[2] if len(slot) > 2 else -1
        return next((part for part in self.content() if part.origin == origin), None)

    @property
    def has_result(self) -> bool:
        return any(kind_of(part.value) == "tool_result" for part in self.content())

    @property
    def has_call(self) -> bool:
        return any(kind_of(part.value) == "tool_use" for part in self.content())

    def finished(self) -> Item:
        """The record as an item, the very same one when nothing changed."""
        if self.parts is not None and self.parts_changed:
            message = self.value.get("message")
            message = dict(message) if isinstance(message, dict) else {}
            if len(self.parts) == 1 and self.parts[0].origin == -1 and isinstance(self.parts[0].value, str):
                message["content"] = self.parts[0].value
            else:
                message["content"] = [as_block(part.value) for part in self.parts]
            self.set("message", message)
            self.parts_changed = False
        if self.item is not None and not self.owned:
            return self.item
        return Item(self.uid, self.value)


def kind_of(value: Any) -> Any:
    return value.get("type") if isinstance(value, dict) else None


def as_block(value: Any) -> Any:
    return {"type": "text", "text": value} if isinstance(value, str) else value


class Working:
    """All lines of a file, with the indexes that edits need. Nothing of the given items is changed."""

    def __init__(self, items: Sequence[Item], history: History) -> None:
        self.history = history
        self.lines: dict[int, Line] = {}
        self.by_uuid: dict[str, Line] = {}
        self.children: dict[str, dict[int, Line]] = {}
        """Parent's uuid -> the lines that name it, by uid."""
        self._doubles: dict[str, list[Line]] = {}
        self._next_uid = min((item.uid for item in items), default=0)
        self._next_uid = min(self._next_uid, 0) - 1
        for place, item in enumerate(items):
            line = Line(item.uid, item.value, item, place)
            self.lines[item.uid] = line
            if isinstance(item.value, dict):
                line.uuid = text_or_none(item.value.get("uuid"))
                parent = text_or_none(item.value.get("parentUuid"))
                if parent is not None:
                    self.children.setdefault(parent, {})[item.uid] = line
                if line.uuid is not None:
                    if line.uuid in self.by_uuid:
                        self._doubles.setdefault(line.uuid, []).append(self.by_uuid[line.uuid])
                    self.by_uuid[line.uuid] = line
        self.on_chain: set[int] = {node.uid for node in history.chain}
        self.first = list(self.lines.values())

    # the chain

    def parent_of(self, line: Line) -> str | None:
        """The uuid that the agent takes for the parent: a lost one that it bridges is the one it bridges to."""
        raw = text_or_none(line.value.get("parentUuid"))
        if line.uuid is not None and line.item is not None and line.value.get("parentUuid") == self._original(line):
            return self.history.bridged.get(line.uuid, raw)
        return raw

    @staticmethod
    def _original(line: Line) -> Any:
        return line.item.value.get("parentUuid") if line.item is not None else None

    def set_parent(self, line: Line, parent: str | None) -> None:
        before = text_or_none(line.value.get("parentUuid"))
        if before == parent and "parentUuid" in line.value:
            return
        if before is not None and before in self.children:
            self.children[before].pop(line.uid, None)
        line.set("parentUuid", parent)
        if parent is not None:
            self.children.setdefault(parent, {})[line.uid] = line

    def children_of(self, line: Line) -> list[Line]:
        """The lines that hang on it, also those that the agent hangs there since their own parent is lost."""
        if line.uuid is None:
            return []
        found = [child for child in self.children.get(line.uuid, {}).values() if not child.gone]
        for uuid in self._bridged_to().get(line.uuid, ()):
            child = self.by_uuid.get(uuid)
            if child is not None and not child.gone and child not in found and self.parent_of(child) == line.uuid:
                found.append(child)
        return found

    def _bridged_to(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = getattr(self, "_bridges", {})
        if not found and self.history.bridged:
            for child, parent in self.history.bridged.items():
                found.setdefault(parent, []).append(child)
            self._bridges = found
        return found

    # lines

    def new_line(self, value: dict[str, Any]) -> Line:
        line = Line(self._next_uid, value, None, -1, text_or_none(value.get("uuid")), owned=True)
        self._next_uid -= 1
        self.lines[line.uid] = line
        if line.uuid is not None:
            self.by_uuid[line.uuid] = line
        parent = text_or_none(value.get("parentUuid"))
        if parent is not None:
            self.children.setdefault(parent, {})[line.uid] = line
        return line

    def put_behind(self, line: Line, other: Line, last: bool = True) -> None:
        """Let the line stand behind `other`; behind what was put there before, or in front of that."""
        self.unplace(line)
        line.moved = True
        line.place = other.place
        line.behind_of = other  # type: ignore[attr-defined]
        if last:
            other.behind.append(line)
        else:
            other.behind.insert(0, line)

    def unplace(self, line: Line) -> None: ...

    def fresh_uuid(self, *seeds: Any) -> str:
        """A uuid that is the same on every run and that no record has."""
        seed = "\0".join(str(part) for part in seeds)
        for attempt in range(1_000_000):
            found = str(uuids.uuid5(_NAMESPACE, f"{seed}\0{attempt}" if attempt else seed))
            if found not in self.by_uuid:
                return found
        raise AssertionError("no free uuid")

    def doubles_of(self, line: Line) -> Iterable[Line]:
        """Earlier lines with the same uuid: they would come back if this one went."""
        return self._doubles.get(line.uuid or "", ())

    def finished(self) -> Iterator[Item]: ...
