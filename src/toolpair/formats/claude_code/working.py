"""The records of a file while edits change them: what is on the chain, lost parents, places in the file."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_writer import WRITER
from toolpair.formats.claude_code.reading import cached_history
from toolpair.formats.claude_code.record_kinds import text_or_none, value_of
from toolpair.formats.engine.writing.linked_records import LinkedRecords, LinkEnvelope
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.id_shapes import uuid_of
from toolpair.transcript.model import Transcript

_NAMESPACE: Final = uuids.UUID("b3c1de0f-6a5b-5c0e-9d0e-3f6f1f0a7c11")


class _UuidEnvelope(LinkEnvelope, frozen=True):
    def as_id(self, value: Any) -> str | None:
        return text_or_none(value)

    def new_id(self, seed: str, attempt: int) -> str:
        return uuid_of(_NAMESPACE, f"{seed}\0{attempt}" if attempt else seed)


_ENVELOPE: Final = _UuidEnvelope(
    slot=("message",),
    id_key="uuid",
    parent_key="parentUuid",
    named_in=("sourceToolAssistantUUID", "logicalParentUuid"),
)


class Working(LinkedRecords):
    """All records of a file. Each `line` is one of them, as it is now."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript, WRITER, _ENVELOPE)
        self.history = history = cached_history(transcript, items)
        self._bridged_to: dict[str, list[str]] = {}
        """uuid -> the records whose lost parent the agent takes this one for."""
        self._bridged_near: dict[str, list[str]] | None = None
        """uuid of a message -> the records whose lost parent the agent takes it for, or a report below it."""
        self._put: dict[int, list[DraftMessage]] = {}
        """uid of a record -> those that were put after it."""
        self._put_after: dict[int, DraftMessage] = {}
        """uid of one of those -> the record that it was put after."""
        self.puts = 0
        """How often a record was put after another."""
        self.on_chain: set[int] = {node.uid for node in history.chain}
        """uids of the records on the way from the root to the leaf, as it is now."""
        self.chain_index: dict[int, int] = {node.uid: index for index, node in enumerate(history.chain)}
        """uid -> its place on the chain that was read."""
        for child, parent in history.bridged.items():
            self._bridged_to.setdefault(parent, []).append(child)
        talk = [node for node in history.nodes if node.type != "progress" and node.uuid is not None]
        last = self.lines[max(talk, key=lambda node: node.position).uid] if talk else self.draft.first
        self._end = _mark()
        """Before the last record of the chain."""
        if last is not None:
            self.draft.insert_after(last.before, self._end)

    def record_of(self, item: Item) -> Any:
        return value_of(item)

    def finish(self) -> None:
        self.draft.drop(self._end)

    # --- records -----------------------------------------------------------------------------------------

    def message_id(self, line: DraftMessage) -> str | None:
        return text_or_none((line.fields or {}).get("id", field_of(line.value, "id")))

    # --- content -----------------------------------------------------------------------------------------

    def values(self, line: DraftMessage) -> Sequence[Any]:
        """The parts of its content as they are now."""
        if line.had_blocks:
            return [block.value for block in line.blocks]
        content = field_of(line.value, "content")
        return content if isinstance(content, list) else [] if content is None else [content]

    def blocks(self, line: DraftMessage) -> Iterable[DraftBlock]:
        """Its blocks, even if it is not sent."""
        self.draft.fill(line)
        if not line.had_blocks:
            content = field_of(line.value, "content")
            known = [] if isinstance(content, list) or content is None else [DraftBlock("text", content)]
            for block in self.writer.complete(line.value, known):
                block.home, line.had_blocks = line, True
                line.blocks.extend([block])
        return line.blocks

    def is_left(self, block: DraftBlock) -> bool:
        """Whether a call or a result is still one, and still there."""
        return block.kind != "text" and self.draft.has_block(block)

    def has_result(self, line: DraftMessage) -> bool:
        return any(kind_of(value) == "tool_result" for value in self.values(line))

    # --- the chain ---------------------------------------------------------------------------------------

    def parent_of(self, line: DraftMessage) -> str | None:
        """The uuid of its parent; of a lost one, that of the record which the agent uses instead."""
        raw = text_or_none(self.get(line, "parentUuid"))
        bridged = self.history.bridged.get(self.id_of(line) or "")
        if bridged is not None and not line.is_new and raw == text_or_none(line.record.get("parentUuid")):
            return bridged
        return raw

    def children_of(self, line: DraftMessage) -> list[DraftMessage]:
        """The records that link to it, and those whose lost parent the agent takes it for."""
        own = self.id_of(line)
        found = super().children_of(line)
        for uuid in self._bridged_to.get(own, ()):
            bridged = self.by_id.get(uuid)
            if bridged is None or not self.is_there(bridged) or bridged in found or self.parent_of(bridged) != own:
                continue
            found.append(bridged)
        return found

    def chain_children_of(self, line: DraftMessage) -> list[DraftMessage]:
        return [child for child in self.children_of(line) if child.uid in self.on_chain]

    def last_new_after(self, line: DraftMessage) -> DraftMessage:
        """The line, or the last of the new ones that follow it on the chain."""
        while (new := next((child for child in self.chain_children_of(line) if child.is_new), None)) is not None:
            line = new
        return line

    def lead_through(self, line: DraftMessage, followers: Iterable[DraftMessage]) -> None:
        """Put the line on the chain, before these."""
        for child in followers:
            if child is not line:
                self.link(child, self.id_of(line))
        self.on_chain.add(line.uid)

    def bridged_beside(self, lines: Iterable[DraftMessage]) -> list[DraftMessage]:
        """Chain records whose lost parent the agent takes one of these for, or a report next to them."""
        if not self.history.bridged:
            return []
        if self._bridged_near is None:
            self._bridged_near = {}
            for child, above in self.history.bridged.items():
                parent, passed = self.named(above), set[int]()
                while parent is not None and self.get(parent, "type") in ("attachment", "system"):
                    passed.add(parent.uid)
                    parent = self.named(self.parent_of(parent))
                    if parent is not None and parent.uid in passed:
                        parent = None
                uuid = self.id_of(parent) if parent is not None else None
                if uuid is not None:
                    self._bridged_near.setdefault(uuid, []).append(child)
        return [
            near
            for line in lines
            for uuid in self._bridged_near.get(self.id_of(line) or "", ())
            if (near := self.by_id[uuid]).uid in self.on_chain and self.parent_of(near) == self.history.bridged[uuid]
        ]

    # --- places in the file ------------------------------------------------------------------------------

    def place(self, line: DraftMessage) -> int:
        return self.draft.place(line)

    def is_at_end(self, line: DraftMessage) -> bool:
        """Whether what is put after it becomes the leaf: no chain record followed it when the file was read."""
        return self.place(line) > self.place(self._end)

    def new_line(self, value: dict[str, Any], after: DraftMessage, blocks: Sequence[DraftBlock] = ()) -> DraftMessage:
        line = DraftMessage(self._fresh_uid(), value, self.envelope.slot, value["message"])
        if blocks:
            line.put(None, *blocks)
        self.index(line)
        self.put_after(line, after)
        return line

    def put_after(self, line: DraftMessage, other: DraftMessage) -> None:
        """Put it after the other one, and after what was put there earlier."""
        self.take_out(line)
        last = other
        while put := self._put.get(last.uid):
            last = put[-1]
        self.draft.insert_after(last, line)
        self._put.setdefault(other.uid, []).append(line)
        self._put_after[line.uid] = other
        self.puts += 1

    def put_before(self, line: DraftMessage, other: DraftMessage) -> None:
        self.take_out(line)
        self.draft.insert_after(other.before, line)

    def put_in_places(self, lines: Sequence[DraftMessage], places: Sequence[DraftMessage]) -> None:
        """Put each of the lines in the place of the other at the same index."""
        marks = [_mark() for _ in places]
        for mark, place in zip(marks, places, strict=True):
            self.draft.insert_after(place.before, mark)
        for mark, line in zip(marks, lines, strict=True):
            self.draft.drop(line)
            self.draft.insert_after(mark, line)
            self.draft.drop(mark)

    def take_out(self, line: DraftMessage) -> None:
        """Remove it from its place. What was put after it stays."""
        left = self._put.pop(line.uid, [])
        other = self._put_after.pop(line.uid, None)
        if other is not None:
            beside = self._put[other.uid]
            at = beside.index(line)
            beside[at : at + 1] = left
        for one in left:
            if other is not None:
                self._put_after[one.uid] = other
            else:
                del self._put_after[one.uid]
        self.draft.drop(line)


def _mark() -> DraftMessage:
    """A placeholder in the list of lines."""
    return DraftMessage(0, None, (), None)


def field_of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def kind_of(value: Any) -> Any:
    return field_of(value, "type")
