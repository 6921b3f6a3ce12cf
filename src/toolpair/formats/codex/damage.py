"""What Codex does about damaged records: it silently skips most of them, but some stop it from resuming at all."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Final

from toolpair.dialects.item_types import type_name
from toolpair.formats.codex.readable import is_loaded
from toolpair.formats.codex.reading import AGENT
from toolpair.formats.codex.rollout_lines import is_paginated, is_too_big, lines_of
from toolpair.formats.codex.sent_items import is_sent
from toolpair.formats.engine.damage.found import TOO_DEEP
from toolpair.formats.engine.damage.lost import held_in, lost_outputs, outputs_text
from toolpair.formats.format import Damage, Item, ResumeEffect
from toolpair.source.record_values import big_numbers
from toolpair.transcript.model import Transcript

REFUSES: Final = "Codex does not resume this session"
_SKIPS: Final = "Codex skips the line"


def effects_of(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> list[ResumeEffect | None]:
    bad = {damage.record for damage in found if _has_bad_bytes(damage)}
    bytes_stop = bool(bad) and _stops_at_bad_bytes(items, bad)
    answered: set[str] = set()
    called: set[str] = set()
    if not all(damage.readable for damage in found):
        for message in transcript.messages:
            answered.update(block.id for block in message.results if isinstance(block.id, str))
            called.update(block.id for block in message.calls if isinstance(block.id, str))
    return [_effect_of(damage, answered, called, bytes_stop) for damage in found]


def _stops_at_bad_bytes(items: Sequence[Item], bad: Container[int]) -> bool:
    """Whether invalid UTF-8 stops Codex from reading the file; in some paginated files it skips the line instead.

    It does so, too, where it resumes with other permissions than the file named last: usually they are the same.
    `bad` are the records with such bytes.
    """
    if not is_paginated(items):
        return True
    return any(
        type_name(line.payload) == "thread_settings_applied"
        for line in lines_of(items)
        if line.kind == "other" and line.uid not in bad
    )


def _effect_of(damage: Damage, answered: set[str], called: set[str], bytes_stop: bool) -> ResumeEffect | None:
    bad = _has_bad_bytes(damage)
    if damage.front or (bad and (bytes_stop or damage.first)) or (damage.first and not damage.readable):
        return ResumeEffect("stops", REFUSES, "rejected", "the whole session", complete=_is_complete(damage))
    if damage.readable:
        return _flaw(damage)
    held = list(held_in((*damage.values, damage.partial)))
    outputs = lost_outputs(damage, held, answered, called)
    loses = outputs_text(outputs)
    matters = any(_in_history(value) for value in (*damage.values, damage.partial))
    if loses is None and matters and not (damage.last and damage.rule == "record.torn"):
        loses = "the record"
    return ResumeEffect("loses" if loses else "harmless", _SKIPS, "dropped", loses, outputs, _is_complete(damage))


def _flaw(damage: Damage) -> ResumeEffect | None:
    """The effect of a flaw in a record that toolpair can read."""
    if damage.rule == "record.big_number" and not any(map(_is_too_big, big_numbers(damage.raw))):
        return None
    if damage.rule not in (
        "record.lone_surrogate", "record.bom", "record.big_number", "record.bad_utf8", TOO_DEEP
    ):  # fmt: skip
        return None
    # Codex's parser does not accept the record as JSON.
    held = [one for one in held_in(damage.values) if one.real]
    loses = "its output" if held else "the record" if any(map(_in_history, damage.values)) else None
    return ResumeEffect("loses" if loses else "harmless", f"{AGENT} skips it", "dropped", loses, len(held))


def _is_too_big(number: bytes) -> bool:
    """Whether it is an integer of 65 to 128 bits. Codex reads fractions, and longer integers as fractions."""
    return number.lstrip(b"-").isdigit() and len(number) < 41 and is_too_big(int(number))


def _has_bad_bytes(damage: Damage) -> bool:
    """Whether it contains invalid UTF-8."""
    if damage.readable:
        return damage.rule == "record.bad_utf8"
    try:
        damage.raw.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _item(value: Any) -> Any:
    """The item of a record; None when it is about something else."""
    if not isinstance(value, dict):
        return None
    if "payload" in value:
        return value["payload"] if value.get("type") == "response_item" else None
    return value


def _in_history(value: Any) -> bool:
    return isinstance(value, dict) and (value.get("type") == "compacted" or is_sent(_item(value)))


def _is_complete(damage: Damage) -> bool:
    """Whether Codex could read the record if its bytes were repaired."""
    shown = damage.values[0] if damage.values else damage.partial
    if not isinstance(shown, dict):
        return False
    if damage.first:
        meta = shown.get("payload")
        needed = ("id", "timestamp", "cwd", "originator", "cli_version")
        return shown.get("type") == "session_meta" and isinstance(meta, dict) and all(key in meta for key in needed)
    item = _item(shown)
    return ("payload" not in shown or "timestamp" in shown) and (item is None or is_loaded(item))
