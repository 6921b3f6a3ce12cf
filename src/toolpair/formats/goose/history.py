"""goose's sessions: rows of its database, or JSONL as it wrote before 1.10. As measured on 1.52.0.

A message is a row with a list of blocks; calls are blocks of the assistant's, results of the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import goose as dialect
from toolpair.formats.engine.reading.clock import seconds_in
from toolpair.formats.engine.reading.reading import as_text, facts_of, pairs_in
from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.formats.goose.detection import ROLES, SESSIONS, content_key, fields_of, is_message, profile_for, row_slot
from toolpair.formats.goose.readable import cannot_be_read
from toolpair.transcript.model import COMPACTED, Block, Boundary, Damaged, Message, Scope, Transcript

TITLE: Final = "goose"
OF_TURNS: Final = ("anthropic", "bedrock-converse", "gemini")
"""Profiles of APIs that are sent what a message says in its order; others get the words before the results."""


class GooseRecords(Struct, frozen=True, eq=False, dict=True):
    items: Sequence[Item]

    @cached_property
    def unreadable(self) -> frozenset[int]:
        """uids of the messages that goose cannot read."""
        return frozenset(item.uid for item in self.items if is_message(item.value) and cannot_be_read(item.value))

    @cached_property
    def in_turns(self) -> bool:
        """Whether it is sent to an API of turns, in which a message keeps its order."""
        return profile_for([item.value for item in self.items]) in OF_TURNS


def unreadable_in(transcript: Transcript) -> frozenset[int]:
    """uids of the messages that goose cannot read."""
    return facts_of(transcript, GooseRecords).unreadable


def is_visible(value: Any) -> bool:
    """Whether goose shows a message to the model: all but those that say otherwise in full."""
    metadata = metadata_of(value)
    return metadata.get("agentVisible") is not False or not isinstance(metadata.get("userVisible"), bool)


def blocks_in(item: Item) -> tuple[Block, ...]:
    key = content_key(item.value)
    return dialect.blocks_of(fields_of(item.value).get(key), item.uid, (*row_slot(item.value), key))


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    scopes: dict[int, Scope] = {}
    messages: list[Message] = []
    more: list[tuple[list[Block], list[int]]] = []
    """The blocks and records of each: goose takes messages of one kind in a row for one."""
    last: tuple[Any, bool] | None = None
    """Role of the last one, and whether goose takes it for a tool's, which it never merges with a user's."""
    beside: list[Block] = []
    hidden = False
    boundaries: tuple[Boundary, ...] = ()
    for item in items:
        if not is_message(item.value):
            if isinstance(item.value, Damaged):
                scopes[item.uid] = "malformed"
            continue
        role, blocks = fields_of(item.value).get("role"), blocks_in(item)
        if role not in ROLES or not is_visible(item.value):
            scopes[item.uid] = "inactive"
            beside += pairs_in(blocks)
            hidden = hidden or not messages
            continue
        note = "meta" if metadata_of(item.value).get("turnContext") is True else None
        if not messages and hidden:
            note = "summary"
            boundaries = (Boundary(0, COMPACTED, item.uid),)
        kind = role, role == "user" and any(block.kind == "result" for block in blocks)
        if kind == last:
            more[-1][0].extend(blocks)
            more[-1][1].append(item.uid)
        else:
            messages.append(Message(role, blocks, (item.uid,), "blocks", _as_message(item.value), note))
            more.append((list(blocks), [item.uid]))
            last = kind
    messages = [
        message if len(records) == 1 else replace(message, blocks=tuple(together), records=tuple(records))
        for message, (together, records) in zip(messages, more, strict=True)
    ]
    header = next((item.value for item in items[:2] if not is_message(item.value)), None)
    session = header.get(SESSIONS, header) if isinstance(header, dict) else {}
    session = session if isinstance(session, dict) else {}
    config = session.get("model_config_json")
    name = view.beside.path.stem if view.beside is not None and "working_dir" in session else None
    return Transcript(
        tuple(messages),
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=GooseRecords(items),
        session_id=as_text(session.get("id")) or name,
        folder=as_text(session.get("working_dir")),
        model=as_text(config.get("model_name")) if isinstance(config, dict) else None,
        scopes=scopes,
        inactive_blocks=tuple(beside),
        boundaries=boundaries,
    )


def metadata_of(value: Any) -> dict[str, Any]:
    fields = fields_of(value)
    found = fields.get("metadata_json", fields.get("metadata"))
    return found if isinstance(found, dict) else {}


def _as_message(value: Any) -> dict[str, Any]:
    fields = fields_of(value)
    return {"role": fields.get("role"), "content": fields.get(content_key(value))}


def time_of(value: Any) -> float | None:
    fields = fields_of(value)
    return seconds_in(fields, "created_timestamp" if "created_timestamp" in fields else "created")
