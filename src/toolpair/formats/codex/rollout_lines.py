"""The lines of a rollout, in the current form and in that of the first versions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

import orjson
from msgspec import Struct

from toolpair.dialects.item_types import CALL_FAMILY, OUTPUT_FAMILY, type_name
from toolpair.dialects.openai_responses import type_of
from toolpair.formats.format import Item
from toolpair.transcript.model import Slot

_ENVELOPES: Final = frozenset(
    {
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "rollout_reference",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "token_usage_record",
        "retained_context",
    }
)
LEVELS: Final = 127
"""How deeply values of a line may be nested for Codex's parser, as measured with 0.171.0."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TELLING: Final = frozenset({"session_meta", "response_item", "turn_context", "compacted"})
"""Record types with a `payload` that occur in no other program's event log."""
_BARE_ITEMS: Final = frozenset({"message", "reasoning", "web_search_call", *CALL_FAMILY, *OUTPUT_FAMILY})
"""Items that the first versions wrote without an envelope."""
Kind = Literal[
    "meta", "item", "compacted", "rollback", "agents", "started", "ended", "aborted", "user", "turn", "other"
]
_EVENTS: Final[dict[str, Kind]] = {
    "thread_rolled_back": "rollback",
    "task_started": "started",
    "turn_started": "started",
    "task_complete": "ended",
    "turn_complete": "ended",
    "turn_aborted": "aborted",
    "user_message": "user",
}
_KINDS: Final[dict[str, Kind]] = {
    "session_meta": "meta",
    "response_item": "item",
    "compacted": "compacted",
    "turn_context": "turn",
    "inter_agent_communication": "agents",
}


class RolloutLine(Struct, frozen=True, eq=False):
    """One readable record. `payload` is its content: in the first versions' form the item itself."""

    uid: int
    kind: Kind
    payload: Any
    slot: Slot
    """The path of the payload in the record."""
    value: dict[str, Any]


def lines_of(items: Sequence[Item]) -> list[RolloutLine]:
    """The records that can be read, in file order."""
    found: list[RolloutLine] = []
    for item in items:
        value = item.value
        if not isinstance(value, dict):
            continue
        type_ = value.get("type")
        if "payload" in value:
            found.append(RolloutLine(item.uid, _kind(type_, value["payload"]), value["payload"], ("payload",), value))
        elif type_of(value) in _BARE_ITEMS:
            found.append(RolloutLine(item.uid, "item", value, (), value))
        else:
            found.append(RolloutLine(item.uid, "meta" if is_old_meta(value) else "other", value, (), value))
    return found


def _kind(type_: Any, payload: Any) -> Kind:
    if type_ == "event_msg":
        event = payload.get("type") if isinstance(payload, dict) else None
        if event == "item_completed" and isinstance(payload.get("item"), dict):
            return "user" if payload["item"].get("type") == "UserMessage" else "other"
        return _EVENTS.get(event, "other") if isinstance(event, str) else "other"
    return _KINDS.get(type_, "other") if isinstance(type_, str) else "other"


def ends_response(line: RolloutLine) -> bool:
    """Whether the record lies between two model responses: token usage, or a turn's beginning or end."""
    if line.kind in ("started", "ended", "aborted", "turn"):
        return True
    event = line.payload.get("type") if isinstance(line.payload, dict) else None
    type_ = line.value.get("type")
    return type_ == "token_usage_record" or (type_ == "event_msg" and event == "token_count")


def is_old_meta(value: dict[str, Any]) -> bool:
    """Whether it is the first line of a file written by the first versions."""
    return "type" not in value and isinstance(value.get("id"), str) and "timestamp" in value and "role" not in value


def _is_bare(value: dict[str, Any]) -> bool:
    """Whether it is an item without an envelope, and no other agent's envelope of a message."""
    return type_of(value) in _BARE_ITEMS and not isinstance(value.get("message"), dict)


def is_line(value: Any) -> bool:
    """Whether the record has the envelope that Codex requires on each line."""
    return (
        isinstance(value, dict)
        and "payload" in value
        and isinstance(value.get("timestamp"), str)
        and isinstance(value.get("type"), str)
    )


def skipped(items: Sequence[Item]) -> set[int]:
    """uids of the records that Codex skips: those without such an envelope, and those that its parser rejects."""
    return {item.uid for item in items if not is_line(item.value) or is_refused(item.value)}


def is_refused(value: Any) -> bool:
    """Whether it contains half a surrogate pair, a number that is too big, or values nested too deeply."""
    try:
        # orjson rejects all, and is many times faster than walking through the value.
        written = orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    except (TypeError, ValueError, RecursionError):
        return _holds_what_is_refused(value) or is_too_deep(value)
    return written.count(b"[") + written.count(b"{") > LEVELS and is_too_deep(value)


def is_too_deep(value: Any) -> bool:
    """Whether more values are nested in each other than Codex's parser reads."""
    from toolpair.source.deep_values import is_deeper

    return is_deeper(value, LEVELS)


def _holds_what_is_refused(value: Any) -> bool:
    todo = [value]
    while todo:
        found = todo.pop()
        if isinstance(found, str):
            if not found.isascii() and _SURROGATE.search(found):
                return True
        elif isinstance(found, dict):
            todo.extend(found.values())
        elif isinstance(found, list):
            todo.extend(found)
        elif isinstance(found, int) and is_too_big(found):
            return True
    return False


def is_too_big(number: int) -> bool:
    """Whether Codex's parser rejects the integer: it accepts 64 bits, and reads 128 bits or more as a fraction."""
    return not -(2**63) <= number < 2**64 and -(2**127) <= number < 2**128


def is_paginated(items: Sequence[Item]) -> bool:
    """Whether the file declares that its records are numbered."""
    for item in items:
        value = item.value
        if isinstance(value, dict) and value.get("type") == "session_meta" and isinstance(value.get("payload"), dict):
            return bool(value["payload"].get("history_mode") == "paginated")
    return False


class Ordinals(Struct, frozen=True):
    """What a window of a file with ordinals has to know of the others."""

    after: int
    """How many records come after it."""
    before_gap: int
    """How many of them come before the first gap."""
    gapless: bool
    """There is no gap anywhere in the file."""


def ordinal_of(value: Any) -> int | None:
    """The record's number in a paginated rollout."""
    number = value.get("ordinal") if isinstance(value, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def is_own(value: dict[str, Any]) -> bool:
    """Whether Codex writes, or once wrote, such records."""
    if isinstance(value.get("payload"), dict):
        return type_name(value) in _ENVELOPES
    return "record_type" in value or is_old_meta(value) or ("type" in value and _is_bare(value))


def sniff(values: Sequence[Any]) -> int:
    """How likely these are the first records of a rollout."""
    dicts = [value for value in values if isinstance(value, dict)]
    if not dicts:
        return 0
    known = [value for value in dicts if isinstance(value.get("payload"), dict) and type_name(value) in _ENVELOPES]
    if any(value["type"] in _TELLING for value in known) and 2 * len(known) >= len(dicts):
        return 97
    if any(value.get("record_type") == "state" for value in dicts) or is_old_meta(dicts[0]):
        bare = sum(_is_bare(value) or "record_type" in value for value in dicts)
        return 93 if 2 * bare >= len(dicts) - 1 and bare else 0
    return 0


def levels_refused(value: Any) -> int | None:
    return LEVELS if is_too_deep(value) else None
