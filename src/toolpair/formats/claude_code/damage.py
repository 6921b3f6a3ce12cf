"""What Claude Code does about damaged records on resume: a line that cannot be parsed is skipped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolpair.formats.claude_code.record_kinds import CHAIN_TYPES, text_or_none, value_of
from toolpair.formats.engine.damage.lost import (
    can_be_closed,
    effect_on_readers,
    held_in,
    held_in_part,
    lost_outputs,
    outputs_text,
)
from toolpair.formats.engine.reading.clock import seconds_of
from toolpair.formats.format import Damage, Item, ResumeEffect
from toolpair.source.json_spans import scan
from toolpair.source.record_values import holds_no_number
from toolpair.transcript.model import Transcript

AGENT: Final = "Claude Code"
_UUID: Final = re.compile(rb'"uuid"\s*:\s*"([^"\\]{1,100})"')


def effects_of(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> list[ResumeEffect | None]:
    if all(damage.readable for damage in found):
        return [effect_on_readers(damage, AGENT) for damage in found]
    known: set[Any] = set()
    wanted: set[Any] = set()
    kept: Any = None
    """The newest compaction's metadata on the records it kept."""
    for item in items:
        value = value_of(item)
        if isinstance(value, dict):
            known.add(text_or_none(value.get("uuid")))
            wanted.add(text_or_none(value.get("parentUuid")))
            kept = value.get("compactMetadata", kept)
    listed = kept.get("preservedMessages") if isinstance(kept, dict) else None
    names = listed.get("uuids") if isinstance(listed, dict) else None
    wanted.update(map(text_or_none, names) if isinstance(names, list) else ())
    answered, called = _ids_of(transcript)
    lost_parents = wanted - known - {None}
    return [
        effect_on_readers(damage, AGENT)
        if damage.readable
        else _effect_of(damage, known, lost_parents, answered, called)
        for damage in found
    ]


def _ids_of(transcript: Transcript) -> tuple[set[Any], set[Any]]:
    blocks = [block for message in transcript.messages for block in message.blocks]
    blocks += transcript.inactive_blocks
    ids: dict[str, set[Any]] = {"call": set(), "result": set()}
    for block in blocks:
        if block.kind in ids and isinstance(block.id, str):
            ids[block.kind].add(block.id)
    return ids["result"], ids["call"]


def _effect_of(
    damage: Damage, known: set[Any], lost_parents: set[Any], answered: set[Any], called: set[Any]
) -> ResumeEffect:
    # The agent parses a line up to the end of its first value, whatever follows.
    reads_first = scan(damage.raw).state == "complete" and damage.raw[:1] == b"{" and not holds_no_number(damage.raw)
    values = damage.values[1:] if reads_first else damage.values
    if reads_first and not values and damage.partial is None:
        return ResumeEffect("harmless", f"{AGENT} still reads the record", "kept")
    says = f"{AGENT} reads only the first of them" if reads_first else f"{AGENT} skips it"
    held = [*held_in(tuple(values)), *held_in_part(damage.partial)]
    calls = any(not one.is_result and one.id not in called for one in held)
    parts = (*values, damage.partial)
    uuids = {value["uuid"] for value in parts if isinstance(value, dict) and isinstance(value.get("uuid"), str)}
    hanging = not uuids.isdisjoint(lost_parents)
    records = any(
        value.get("type") in ("user", "assistant") and value["uuid"] not in known
        for value in values
        if isinstance(value, dict) and text_or_none(value.get("uuid"))
    )
    if not values:
        hanging = any(id_.decode("utf-8", "replace") in lost_parents for id_ in _UUID.findall(damage.raw))
    outputs = lost_outputs(replace(damage, values=tuple(values)), held, answered, called)
    loses = outputs_text(outputs)
    if loses is None and hanging:
        loses = "the record, and the history before it"
    elif loses is None and (records or (calls and not damage.last)):
        loses = "the record"
    shown = values[0] if values else damage.partial
    complete = damage.rule != "record.torn" or _is_complete(shown, bool(values), damage.last)
    return ResumeEffect("loses" if loses else "harmless", says, "dropped", loses, outputs, complete)


def _is_complete(value: Any, whole: bool, last: bool) -> bool:
    """Whether the agent can continue from the record: others link to its id, and the last one needs a time.

    The last field of a record that is not `whole` may itself be cut off.
    """
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if value["type"] not in CHAIN_TYPES:
        return not last
    if value["type"] in ("user", "assistant") and not can_be_closed(
        value.get("message"), whole or next(reversed(value)) != "message"
    ):
        return False
    known = {key for key in ("uuid", "parentUuid", "timestamp") if key in value}
    if not whole:
        known.discard(next(reversed(value)))
    return len(known) == 3 and bool(text_or_none(value["uuid"])) and seconds_of(value["timestamp"]) is not None
