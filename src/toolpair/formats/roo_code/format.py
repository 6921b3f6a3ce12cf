"""Roo Code, Cline and Kilo Code: Anthropic messages with the agent's own fields, merged before sending."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects.anthropic import message_of, text_as_result
from toolpair.dialects.anthropic_writer import WRITER
from toolpair.dialects.block_texts import arguments
from toolpair.formats.engine.detection.list_evidence import is_foreign
from toolpair.formats.engine.reading.clock import milliseconds_in
from toolpair.formats.engine.reading.reading import joined, pairs_in
from toolpair.formats.engine.writing.linear import Envelope, Linear
from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.transcript.draft import DraftMessage
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import COMPACTED, Block, Boundary, Message, Scope, Transcript

ROO: Final = "Roo Code"
CLINE: Final = "Cline"
"""Its later files give each message an id."""
_END: Final = "] Result:"
"""After `[read_file for 'a.py'`: how Cline wrote an output as a text of the next message."""


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    scopes: dict[int, Scope] = {}
    active = _active(items, scopes)
    inactive = _blocks_of_inactive(items, scopes)
    summaries = {item.uid for item in active if item.value.get("isSummary")}
    messages = [message for item in active if (message := message_of(item.value, item.uid)) is not None]
    if summaries:
        sent = (block for message in messages for block in message.blocks)
        shown = _without_condensed_results(messages, _calls_in(inactive) - _calls_in(sent))
        for uid in {uid for message in messages for uid in message.records} - {
            uid for message in shown for uid in message.records
        }:
            scopes[uid] = "inactive"
        messages = shown
    messages = _with_texts_as_results(messages)
    merged: list[list[Message]] = []
    boundaries: list[Boundary] = []
    for message in messages:
        if message.records[0] in summaries:
            message = replace(message, note="summary")
            boundaries.append(Boundary(len(merged), COMPACTED, message.records[0]))
        first = merged[-1][0] if merged else None
        if first is not None and first.role == message.role and first.blocks and message.blocks:
            merged[-1].append(message)
        else:
            merged.append([message])
    return Transcript(
        tuple(map(joined, merged)),
        merged=True,
        native=True,
        agent=CLINE if any("id" in item.value for item in active) else ROO,
        scopes=scopes,
        inactive_blocks=inactive,
        boundaries=tuple(boundaries),
    )


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return Linear(items, transcript, WRITER, _ENVELOPE).run(edits)


def time_of(value: Any) -> float | None:
    return milliseconds_in(value, "ts")


def _active(items: Sequence[Item], scopes: dict[int, Scope]) -> list[Item]:
    """The records that Roo Code sends (its getEffectiveApiHistory); the others get scope "inactive"."""
    values = [(item, item.value) for item in items if isinstance(item.value, dict)]
    summaries = [number for number, (_, value) in enumerate(values) if value.get("isSummary")]
    condensed = {_id(value, "condenseId") for _, value in values if value.get("isSummary")} - {None}
    markers = {_id(value, "truncationId") for _, value in values if value.get("isTruncationMarker")} - {None}
    start = summaries[-1] if summaries else 0
    active: list[Item] = []
    for number, (item, value) in enumerate(values):
        gone = (
            number < start
            or (not summaries and _id(value, "condenseParent") in condensed)
            or _id(value, "truncationParent") in markers
            or value.get("type") == "reasoning"
        )
        if gone:
            scopes[item.uid] = "inactive"
        elif not is_foreign(value):
            active.append(item)
    for item in items:
        if not isinstance(item.value, dict):
            scopes[item.uid] = "malformed"
    return active


def _id(value: dict[str, Any], key: str) -> str | None:
    """The string under the key, else None."""
    id_ = value.get(key)
    return id_ if isinstance(id_, str) else None


def _calls_in(blocks: Iterable[Block]) -> set[str]:
    """The ids of the calls."""
    return {block.id for block in blocks if block.kind == "call" and isinstance(block.id, str)}


def _without_condensed_results(messages: Sequence[Message], condensed_calls: set[str]) -> list[Message]:
    """The messages without the results of calls that were condensed away; the agent leaves those out."""
    kept: list[Message] = []
    for message in messages:
        gone = [block for block in message.results if isinstance(block.id, str) and block.id in condensed_calls]
        if gone and len(gone) == len(message.blocks):
            continue
        if gone:
            left_out = set(map(id, gone))
            blocks = tuple(block for block in message.blocks if id(block) not in left_out)
            message = replace(message, blocks=blocks)
        kept.append(message)
    return kept


def _blocks_of_inactive(items: Sequence[Item], scopes: dict[int, Scope]) -> tuple[Block, ...]:
    beside = (message_of(item.value, item.uid) for item in items if scopes.get(item.uid) == "inactive")
    return pairs_in(block for message in beside if message is not None for block in message.blocks)


def _with_texts_as_results(messages: Sequence[Message]) -> list[Message]:
    """The messages with these texts as the results of the calls before them that have no other."""
    made: list[Message] = []
    waiting: list[Block] = []
    for message in messages:
        if message.role == "assistant":
            before = waiting if made and made[-1].role == "assistant" else []
            waiting = [*before, *message.calls]
        elif waiting:
            answered = [result.id for result in message.results]
            waiting = [call for call in waiting if call.id not in answered]
            message = _with_results(message, waiting)
        made.append(message)
    return made


def _with_results(message: Message, waiting: list[Block]) -> Message:
    blocks = list(message.blocks)
    for number, block in enumerate(blocks):
        call = _called(block, waiting) if block.kind == "text" else None
        if call is not None:
            waiting.remove(call)
            output = blocks[number + 1].text if block.text.endswith(_END) and number + 1 < len(blocks) else ""
            blocks[number] = text_as_result(block, call.id, call.name, output)
    same = all(new is old for new, old in zip(blocks, message.blocks, strict=True))
    return message if same else replace(message, blocks=tuple(blocks))


def _called(block: Block, waiting: Sequence[Block]) -> Block | None:
    """The call whose output the text is, by the tool's name and what the text says of the arguments."""
    text = block.text
    end = text.find(_END) if text.startswith("[") else -1
    name, _, said = text[1:end].partition(" ") if end > 0 else ("", "", "")
    named = [call for call in waiting if call.name == name]
    fitting = [call for call in named if any(value in said for value in _values(call))]
    return next(iter(fitting or named), None)


def _values(call: Block) -> list[str]:
    given = arguments(call)
    return [value for value in given.values() if isinstance(value, str) and value] if isinstance(given, dict) else []


class _TaskEnvelope(Envelope, frozen=True):
    """New messages copy their neighbour's time and parents, so that they are condensed and rewound together."""

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        home = beside.record if isinstance(beside.record, dict) else {}
        made = dict(message)
        timestamp = home.get("ts")
        if isinstance(timestamp, int) and not isinstance(timestamp, bool):
            made["ts"] = timestamp + 1
        made.update((key, home[key]) for key in ("condenseParent", "truncationParent") if key in home)
        return made


_ENVELOPE: Final = _TaskEnvelope()
