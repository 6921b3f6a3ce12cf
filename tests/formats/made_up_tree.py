"""A made-up agent's format: messages in envelopes, results as messages of their own, records that name their
parents.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.formats.engine.writing.linear import Linear
from toolpair.formats.engine.writing.tree import Tree, TreeEnvelope
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Message, Transcript

SLOT = ("message",)


class MadeUpWriter(AnthropicWriter):
    results_are_messages = True
    answers_first = True

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        return super().message(role, [{"type": "text", "text": content}] if isinstance(content, str) else content)

    def renamed(self, block: DraftBlock, id_: str) -> Any:
        return {**block.value, "id" if block.kind == "call" else "callId": id_}

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        value = {"role": "toolResult", "callId": id_ or call.id, "content": content, "isError": is_error}
        return DraftBlock("result", value, value["callId"])

    def words(self, result: Any, content: str | list[Any]) -> dict[str, Any]:
        return {**super().words(result, content), "at": result["at"]}

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        found = list(blocks)
        return found[0].value if found and found[0].kind == "result" else super().with_blocks(value, found)


class MadeUpEnvelope(TreeEnvelope, frozen=True):
    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        linked = {"id": None, "parentId": None} if "id" in beside.record else {}
        return {"type": "message", **linked, "message": {**message, "at": beside.value["at"] if beside.value else 0}}

    def new_id(self, seed: str, attempt: int) -> str:
        return uuid.uuid5(uuid.NAMESPACE_OID, f"{seed}{attempt or ''}").hex[:8]


WRITER = MadeUpWriter()
ENVELOPE = MadeUpEnvelope(slot=SLOT, first_of=("firstKept",))


def path_of(items: Sequence[Item]) -> list[Item]:
    """The records from the root to the last one; all of them if they name no parents."""
    if "id" not in items[-1].value:
        return list(items)
    by_id = {item.value["id"]: item for item in items}
    found: list[Item] = []
    last: Item | None = items[-1]
    while last is not None:
        found.append(last)
        last = by_id.get(last.value["parentId"])
    return found[::-1]


def read(items: Sequence[Item]) -> Transcript:
    messages: list[Message] = []
    for item in path_of(items):
        value = item.value.get("message")
        if value is None:
            continue
        if value["role"] == "toolResult":
            blocks: tuple[Block, ...] = (Block("result", value, item.uid, SLOT, value["callId"]),)
        else:
            blocks = tuple(
                Block("call" if "args" in part else "text", part, item.uid, (*SLOT, "content", number), part.get("id"))
                for number, part in enumerate(value["content"])
            )
        messages.append(Message(value["role"], blocks, (item.uid,), "blocks", value))
    return Transcript(tuple(messages), layout="tool_messages", native=True)


def apply(items: Sequence[Item], edits: Sequence[Edit], transcript: Transcript) -> list[Item]:
    """The records after the edits; old versions wrote no ids."""
    if "id" in items[-1].value:
        return Tree(items, transcript, WRITER, ENVELOPE).run(edits)
    return Linear(items, transcript, WRITER, ENVELOPE).run(edits)


def said(items: Sequence[Item]) -> list[str]:
    """What is sent, in short: texts, call ids with ?, result ids with !."""
    found: list[str] = []
    for message in read(items).messages:
        for block in message.blocks:
            mark = {"call": "?", "result": "!"}.get(block.kind, "")
            found.append(f"{block.id}{mark}" if mark else block.value["text"])
    return found
