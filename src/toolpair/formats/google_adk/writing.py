"""Edits put back into rows, which ADK reads in the order of their times."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from toolpair.formats.engine.writing.linear import with_slots
from toolpair.formats.format import Item
from toolpair.formats.forms.writing import FormLinear, FormWriter
from toolpair.formats.google_adk.detection import DATA, EVENTS, event_in
from toolpair.formats.google_adk.format import form_of
from toolpair.transcript.draft import Slot
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript

_NAMED: Final = uuid.UUID("3b0f5f0e-59a4-4f0e-9a3b-0c5b7b7f2a41")
_TICK: Final = 1e-6
"""Seconds: as exactly as ADK keeps times."""


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    form = form_of(items)
    made = FormLinear(items, transcript, FormWriter(form.compiled, form.reader)).run(edits)
    places = {item.uid: place for place, item in enumerate(items)}
    events = [number for number, item in enumerate(made) if event_in(item.value)]
    stays = _staying([places.get(made[number].uid) for number in events])
    taken = {event_in(item.value).get("id") for item in items}
    before: Item | None = None
    was_there = True
    for number, is_there in zip(events, stays, strict=True):
        item = made[number]
        changes = {} if item.uid in places else _named(item, before, taken)
        if before is not None and not _follows(before, item, was_there and is_there):
            changes |= _later(before, item)
            is_there = False
        if changes:
            item = made[number] = Item(item.uid, with_slots(item.value, changes))
        before, was_there = item, is_there
    return made


def _staying(places: Sequence[int | None]) -> list[bool]:
    """Whether each row is one of those before which no later one stood."""
    stays = []
    first = math.inf
    for place in reversed(places):
        stays.append(place is not None and place < first)
        first = min(first, math.inf if place is None else place)
    return stays[::-1]


def _follows(before: Item, item: Item, both_stay: bool) -> bool:
    """Whether ADK reads a row after the one before it. Of the same time, those are in order that have been so."""
    first, second = (event_in(one.value).get("timestamp") for one in (before, item))
    if isinstance(first, str) is not isinstance(second, str) or first is None or second is None:
        return True  # a time that ADK does not write
    return bool(first < second or (first == second and both_stay))


def _later(before: Item, item: Item) -> dict[Slot, Any]:
    """The time right after that of another row."""
    event, time = event_in(before.value), event_in(before.value)["timestamp"]
    changes: dict[Slot, Any] = {(EVENTS, "timestamp"): _text_after(time) if isinstance(time, str) else _after(time)}
    data = event.get(DATA)
    if isinstance(data, dict) and isinstance(data.get("timestamp"), (int, float)):
        changes[EVENTS, DATA, "timestamp"] = _after(data["timestamp"])
    return changes


def _after(time: float) -> float:
    return max(time + _TICK, math.nextafter(time, math.inf))


def _text_after(time: str) -> str:
    try:
        return (datetime.fromisoformat(time) + timedelta(microseconds=1)).isoformat(time[10:11], "microseconds")
    except (ValueError, OverflowError):
        return time


def _named(item: Item, before: Item | None, taken: set[Any]) -> dict[Slot, Any]:
    """The id of a new row: the same one on every run, and no other event's."""
    after = event_in(before.value).get("id") if before is not None else ""
    id_ = str(
        next(
            one for one in (uuid.uuid5(_NAMED, f"{after} {n}") for n in range(len(taken) + 1)) if str(one) not in taken
        )
    )
    taken.add(id_)
    return {(EVENTS, "id"): id_} | ({(EVENTS, DATA, "id"): id_} if DATA in event_in(item.value) else {})
