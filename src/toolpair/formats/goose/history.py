"""goose's sessions: rows of its database, or JSONL as it wrote before 1.10. As measured on 1.52.0.

A message is a row with a list of blocks; calls are blocks of the assistant's, results of the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import goose as dialect
from toolpair.formats.engine.reading.between import BETWEEN
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
    session: Any = None
    """The record of the session, where the items are a window without it."""

    @cached_property
    def unreadable(self) -> frozenset[int]:
        """uids of the messages that goose cannot read."""
        return frozenset(item.uid for item in self.items if is_message(item.value) and cannot_be_read(item.value))

    @cached_property
    def in_turns(self) -> bool:
        """Whether it is sent to an API of turns, in which a message keeps its order."""
        return profile_for([self.session, *(item.value for item in self.items)]) in OF_TURNS


def unreadable_in(transcript: Transcript) -> frozenset[int]:
    """uids of the messages that goose cannot read."""
    return facts_of(transcript, GooseRecords).unreadable


def is_visible(value: Any) -> bool:
    """Whether goose shows a message to the model: all but those that say otherwise in full."""
    return is_shown(metadata_of(value))


def is_shown(metadata: dict[str, Any]) -> bool:
    return metadata.get("agentVisible") is not False or not isinstance(metadata.get("userVisible"), bool)


def blocks_in(item: Item) -> tuple[Block, ...]:
    key = content_key(item.value)
    return dialect.blocks_of(fields_of(item.value).get(key), item.uid, (*row_slot(item.value), key))


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    scopes: dict[int, Scope] = {}
    shown: list[tuple[Item, tuple[Block, ...]]] = []
    beside: list[Block] = []
    hidden = False  # something before the first message is not sent
    for item in items:
        if isinstance(item.value, Damaged):
            scopes[item.uid] = "malformed"
        if not is_message(item.value):
            continue
        blocks = blocks_in(item)
        if fields_of(item.value).get("role") in ROLES and is_visible(item.value):
            shown.append((item, blocks))
        else:
            scopes[item.uid] = "inactive"
            beside += pairs_in(blocks)
            hidden = hidden or not shown
    messages = [_together(list(run)) for _, run in groupby(shown, _kind)]
    boundaries: tuple[Boundary, ...] = ()
    if messages and hidden:
        messages[0] = replace(messages[0], note="summary")
        boundaries = (Boundary(0, COMPACTED, messages[0].records[0]),)
    around = None if view.surroundings is None else view.surroundings.agent_facts
    header = around or next((item.value for item in items[:2] if not is_message(item.value)), None)
    session = header.get(SESSIONS, header) if isinstance(header, dict) else {}
    session = session if isinstance(session, dict) else {}
    config = session.get("model_config_json")
    id_ = as_text(session.get("id")) or None
    if id_ is None and view.beside is not None and "working_dir" in session:
        id_ = view.beside.path.stem
    return Transcript(
        tuple(messages),
        merged=True,
        native=True,
        agent=TITLE,
        agent_facts=GooseRecords(items, around),
        session_id=id_,
        folder=as_text(session.get("working_dir")),
        model=as_text(config.get("model_name")) if isinstance(config, dict) else None,
        scopes=scopes,
        inactive_blocks=tuple(beside),
        boundaries=boundaries,
        frame=None if view.surroundings is None else BETWEEN,
    )


def _kind(shown: tuple[Item, tuple[Block, ...]]) -> tuple[Any, bool]:
    """goose takes messages of one kind in a row for one. A user's with results counts as a tool's."""
    role = fields_of(shown[0].value).get("role")
    return role, role == "user" and any(block.kind == "result" for block in shown[1])


def _together(run: Sequence[tuple[Item, tuple[Block, ...]]]) -> Message:
    value = run[0][0].value
    note = "meta" if metadata_of(value).get("turnContext") is True else None
    blocks = tuple(block for _, found in run for block in found)
    records = tuple(item.uid for item, _ in run)
    return Message(fields_of(value).get("role"), blocks, records, "blocks", _as_message(value), note)


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
