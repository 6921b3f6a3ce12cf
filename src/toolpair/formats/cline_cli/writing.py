"""Edits of a session of Cline's command line: a result that is added or moved becomes a message of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import Any

from msgspec import field

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.formats.engine.reading.tree_history import id_from
from toolpair.formats.engine.writing.linear import Envelope, Linear, is_own
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.edits import Edit
from toolpair.transcript.id_shapes import first_free
from toolpair.transcript.model import Transcript


class _Writer(AnthropicWriter):
    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        """A result says the name of its tool: the agent stops at one that does not."""
        made = super().result(call, content, is_error, id_)
        name = call.value.get("name") if isinstance(call.value, dict) else None
        head = {key: made.value[key] for key in ("type", "tool_use_id")}
        made.value = {**head, "name": name if isinstance(name, str) else "unknown", **made.value}
        return made


class _NewMessages(Envelope, frozen=True):
    """New messages have the agent's own fields, and the time of their neighbour."""

    taken: set[str] = field(default_factory=set)

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        home = beside.record if isinstance(beside.record, dict) else {}
        seed = str(home.get("id"))
        id_ = first_free(lambda attempt: f"msg_{id_from(seed, attempt)}", self.taken)
        self.taken.add(id_)
        time = home.get("ts")
        return {"id": id_, **message, **({"ts": time} if isinstance(time, int) else {})}


class _Edits(Linear):
    def finish(self) -> None:
        for message in list(self.draft):
            if message.changed and message.had_blocks and message.role == "user":
                self._take_apart(message)

    def _take_apart(self, message: DraftMessage) -> None:
        """Give the results that are not the message's own messages of their own, before it or after it."""
        blocks = list(message.blocks)
        own = [number for number, block in enumerate(blocks) if is_own(block, message)]
        first, last = (own[0], own[-1]) if own else (0, 0)
        before = list(takewhile(_is_result, blocks[:first]))
        after = list(dropwhile(lambda block: not _is_result(block), blocks[last + 1 :]))
        if len(before) != first or not all(map(_is_result, after)) or len(after) != len(blocks) - 1 - last:
            return  # something else was added, too: they stay where they are
        for block in before:
            self.put_apart([block], message, message.before)
        previous = message
        for block in after:
            previous = self.put_apart([block], message, previous)


def _is_result(block: DraftBlock) -> bool:
    return block.kind == "result"


def applied(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    """The records after the edits."""
    values = (item.value for item in items if isinstance(item.value, dict))
    taken = {value["id"] for value in values if isinstance(value.get("id"), str)}
    return _Edits(items, transcript, _Writer(), _NewMessages(taken=taken)).run(edits)
