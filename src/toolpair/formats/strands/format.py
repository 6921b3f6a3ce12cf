"""Sessions of Strands: files of a folder, one message each, read by the table that says where in one the message is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import holds_something_else
from toolpair.formats.engine.reading.clock import seconds_of
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, View
from toolpair.formats.forms.registry import Form, form_in
from toolpair.formats.strands.detection import AGENT, MESSAGE, message_in, stored_in
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from toolpair.rules.context import Context

_STOPS: Final = ResumeEffect("stops", "Strands cannot load the session", "rejected", complete=False, splits=False)


def form() -> Form:
    return form_in(Path(__file__).with_name("messages.toml"))


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    about = [item for item in items if row_of(item.value, AGENT)]
    if not about:
        return form().read(items, view)
    summaries = form_in(Path(__file__).with_name("summary.toml")).read(about, view)
    found = form().read([item for item in items if item not in about], view)
    return replace(found, messages=(*(replace(one, note="summary") for one in summaries.messages), *found.messages))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    for item in items:
        message = message_in(item.value)
        if row_of(item.value, MESSAGE) and not is_message(message):
            said = "This file holds {}, so Strands cannot load the session."
            holds_something_else(context, item.uid, stored_in(item.value), said, "a message")


def is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and isinstance(value.get("content"), list)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [
        effect_on_readers(one, "Strands") if one.readable and one.rule != "record.bad_utf8" else _STOPS for one in found
    ]


def time_of(value: Any) -> float | None:
    stored = stored_in(value)
    return seconds_of(stored.get("created_at")) if isinstance(stored, dict) else None
