"""Sessions of ADK: rows of a database, one event each, read by the table that says where in a row the event is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import holds_something_else
from toolpair.formats.engine.reading.clock import seconds, seconds_of
from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, View
from toolpair.formats.forms.registry import Form, form_in
from toolpair.formats.google_adk.detection import DATA, EVENTS, SESSIONS, event_in
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from toolpair.rules.context import Context

_UNREAD: Final = frozenset({"record.bad_utf8", "record.lone_surrogate", "record.bom", "record.torn"})
"""Flaws at which ADK's own reader stops."""


def is_older(items: Iterable[Item]) -> bool:
    """Whether the events are in columns of their own, as in the tables before there was one for the whole event."""
    return next((DATA not in row for item in items if (row := event_in(item.value))), False)


def form_of(items: Iterable[Item]) -> Form:
    return form_in(Path(__file__).with_name("older_rows.toml" if is_older(items) else "rows.toml"))


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    rows = [item for item in items if not row_of(item.value, SESSIONS)]
    id_ = next((found for item in items for found in _ids(item.value) if found), None)
    return replace(form_of(items).read(rows, view), session_id=id_)


def _ids(value: Any) -> tuple[str | None, ...]:
    return as_text(row_of(value, SESSIONS).get("id")), as_text(event_in(value).get("session_id"))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    for item in items:
        row = event_in(item.value)
        event = row.get(DATA) if DATA in row else row
        if not row or (isinstance(event, dict) and isinstance(event.get("author"), str)):
            continue
        said = "This row holds {}, so ADK cannot load the session."
        holds_something_else(context, item.uid, event, said, "an event")


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    stops = ResumeEffect("stops", "ADK cannot load the session", "rejected", complete=False, splits=False)
    return [stops if not one.readable or one.rule in _UNREAD else effect_on_readers(one, "ADK") for one in found]


def time_of(value: Any) -> float | None:
    time = row_of(value, EVENTS).get("timestamp")
    return seconds_of(time) if isinstance(time, str) else seconds(time)
