"""The records of a file while edits are put on them: content by slots, the chain by parents, lines by places."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct, field

from toolpair.formats.claude_code.history import History
from toolpair.formats.claude_code.record_kinds import content_of, text_or_none, value_of
from toolpair.formats.format import Item
from toolpair.transcript.id_shapes import uuid_of

_NAMESPACE: Final = uuids.UUID("b3c1de0f-6a5b-5c0e-9d0e-3f6f1f0a7c11")
WHOLE: Final = -1
"""The origin of the one part of a content that is a string."""

Place = tuple[float, ...]


class DraftPart(Struct, eq=False):
    """One block of a record. `origin` is its index in the content as it was, None when it is new."""

    value: Any
    origin: int | None
    taken: bool = False
    """It stands in its record no more."""
    kept: bool = False
    """It is what was kept of a result as text: the next one goes behind it."""


class DraftLine(Struct, eq=False):
    """One record of the file, or a new one (negative uid). `place` orders the lines of the file."""

    uid: int
    value: Any
    item: Item | None
    place: Place
    uuid: str | None = None
    parts: list[DraftPart] | None = None
    parts_changed: bool = False
    owned: bool = False
    """`value` is a copy of the item's already."""
    gone: bool = False
    put: int = 0
    """How many lines were put behind it."""
    origins: dict[int, DraftPart] = field(default_factory=dict)
    """The parts as they were, by their index in the content."""

    @property
    def type(self) -> Any:
        return self.value.get("type") if isinstance(self.value, dict) else None

    def get(self, key: str) -> Any:
        return self.value.get(key) if isinstance(self.value, dict) else None

    def set(self, key: str, value: Any) -> None:
        if not self.owned:
            self.value = dict(self.value)
            self.owned = True
        self.value[key] = value

    def unset(self, key: str) -> None:
        if isinstance(self.value, dict) and key in self.value:
            self.set(key, None)
            del self.value[key]

    def content(self) -> list[DraftPart]:
        if self.parts is None:
            content = content_of(self.value) if isinstance(self.value, dict) else None
            if isinstance(content, list):
                self.parts = [DraftPart(value, index) for index, value in enumerate(content)]
            else:
                self.parts = [] if content is None else [DraftPart(content, WHOLE)]
            self.origins = {part.origin: part for part in self.parts if part.origin is not None}
        return self.parts

    def part(self, slot: tuple[str | int, ...]) -> DraftPart | None:
        """The part that a block's slot names, None when it was taken out."""
        origin = slot[2] if len(slot) > 2 else WHOLE
        self.content()
        part = self.origins.get(origin) if isinstance(origin, int) else None
        return None if part is None or part.taken else part

    def holds(self, kind: str) -> bool:
        return any(kind_of(part.value) == kind for part in self.content())

    @property
    def has_result(self) -> bool:
        return self.holds("tool_result")

    def finish(self) -> Item:
        """The record as an item, the very same one when nothing changed."""
        if self.parts is not None and self.parts_changed:
            message = self.value.get("message")
            message = dict(message) if isinstance(message, dict) else {}
            if len(self.parts) == 1 and self.parts[0].origin == WHOLE:
                message["content"] = self.parts[0].value
            else:
                message["content"] = [as_block(part.value) for part in self.parts]
            self.set("message", message)
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
        self.lines: dict[int, DraftLine] = {}
        self.by_uuid: dict[str, DraftLine] = {}
        self._children: dict[str, dict[int, DraftLine]] = {}
        self._doubles: dict[str, list[DraftLine]] = {}
        self._bridged_to: dict[str, list[str]] = {}
        self._bridged_near: dict[str, list[str]] | None = None
        self.puts = 0
        """How often a line was put behind another."""
        self._next_uid = min(0, min((item.uid for item in items), default=0)) - 1
        self.on_chain: set[int] = {node.uid for node in history.chain}
        self.chain_index: dict[int, int] = {node.uid: index for index, node in enumerate(history.chain)}
        for place, item in enumerate(items):
            line = DraftLine(item.uid, value_of(item), item, (float(place),))
            self.lines[item.uid] = line
            if isinstance(line.value, dict):
                self._index(line)
        for child, parent in history.bridged.items():
            self._bridged_to.setdefault(parent, []).append(child)
        talk = [node.position for node in history.nodes if node.type != "progress" and node.uuid is not None]
        self.last_place: Place = (float(max(talk, default=0)),)
        """Where the file's last chain record stands: what is put behind it becomes the leaf."""

    def _index(self, line: DraftLine) -> None:
        line.uuid = text_or_none(line.value.get("uuid"))
        parent = text_or_none(line.value.get("parentUuid"))
        if parent is not None:
            self._children.setdefault(parent, {})[line.uid] = line
        if line.uuid is not None:
            if line.uuid in self.by_uuid:
                self._doubles.setdefault(line.uuid, []).append(self.by_uuid[line.uuid])
            self.by_uuid[line.uuid] = line

    def parent_of(self, line: DraftLine) -> str | None:
        """The uuid of the parent; for a lost one that the agent bridges, of the record that it takes for it."""
        raw = text_or_none(line.get("parentUuid"))
        if line.uuid is not None and line.uuid in self.history.bridged and line.item is not None:
            unchanged = raw == text_or_none(value_of(line.item).get("parentUuid"))
            return self.history.bridged[line.uuid] if unchanged else raw
        return raw

    def set_parent(self, line: DraftLine, parent: str | None) -> None:
        before = text_or_none(line.get("parentUuid"))
        if before == parent:
            return
        if before is not None:
            self._children.get(before, {}).pop(line.uid, None)
        line.set("parentUuid", parent)
        if parent is not None:
            self._children.setdefault(parent, {})[line.uid] = line

    def children_of(self, line: DraftLine) -> list[DraftLine]:
        """The lines that hang on it, also those that the agent hangs there because their own parent is lost."""
        if line.uuid is None:
            return []
        found = [child for child in self._children.get(line.uuid, {}).values() if not child.gone and child is not line]
        for uuid in self._bridged_to.get(line.uuid, ()):
            child = self.by_uuid.get(uuid)
            if child is not None and not child.gone and child not in found and self.parent_of(child) == line.uuid:
                found.append(child)
        return found

    def chain_children_of(self, line: DraftLine) -> list[DraftLine]:
        return [child for child in self.children_of(line) if child.uid in self.on_chain]

    def bridged_beside(self, lines: Iterable[DraftLine]) -> list[DraftLine]:
        """Chain records whose lost parent the agent takes one of these for, or a report that hangs beside them."""
        if not self.history.bridged:
            return []
        if self._bridged_near is None:
            self._bridged_near = {}
            for child, above in self.history.bridged.items():
                parent = self.by_uuid.get(above)
                while parent is not None and parent.type in ("attachment", "system"):
                    parent = self.by_uuid.get(self.parent_of(parent) or "")
                if parent is not None and parent.uuid is not None:
                    self._bridged_near.setdefault(parent.uuid, []).append(child)
        found = []
        for line in lines:
            for uuid in self._bridged_near.get(line.uuid or "", ()):
                child_line = self.by_uuid[uuid]
                if child_line.uid in self.on_chain and self.parent_of(child_line) == self.history.bridged[uuid]:
                    found.append(child_line)
        return found

    def new_line(self, value: dict[str, Any], behind: DraftLine) -> DraftLine:
        line = DraftLine(self._next_uid, value, None, (), owned=True)
        self._next_uid -= 1
        self.lines[line.uid] = line
        self._index(line)
        self.put_behind(line, behind)
        return line

    def put_behind(self, line: DraftLine, other: DraftLine) -> None:
        other.put += 1
        self.puts += 1
        line.place = (*other.place, float(other.put))

    def fresh_uuid(self, *seeds: Any) -> str:
        """A uuid that is the same on every run and that no record has."""
        seed = "\0".join(str(part) for part in seeds)
        attempt = 0
        while True:
            found = uuid_of(_NAMESPACE, f"{seed}\0{attempt}" if attempt else seed)
            if found not in self.by_uuid and found not in self._children:
                return found
            attempt += 1

    def doubles_of(self, line: DraftLine) -> list[DraftLine]:
        """Other lines with the same uuid: an earlier one would come back if this one went."""
        return self._doubles.get(line.uuid or "", [])

    def finish(self) -> list[Item]:
        lines = [line for line in self.lines.values() if not line.gone]
        lines.sort(key=lambda line: line.place)
        return [line.finish() for line in lines]
