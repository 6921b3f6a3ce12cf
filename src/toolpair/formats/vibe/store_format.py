"""Sessions of Mistral Vibe's newer store: the context of its last checkpoint, which is what it sends. As of 3.0.2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.sending import request
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, SentPart, SentRequest, View
from toolpair.formats.forms.registry import Form, form_in
from toolpair.formats.vibe.detection import SESSION
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript

TITLE: Final = "Mistral Vibe"
VERSION: Final = "3.0.2"


@cache
def form() -> Form:
    return form_in(Path(__file__).with_name("store_messages.toml"))


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    about: dict[str, Any] = next((row["data"] for item in items[:1] if (row := row_of(item.value, SESSION))), {})
    found = form().read([item for item in items if not row_of(item.value, SESSION)], view)
    session, folder = as_text(about.get("session_id")), as_text(about.get("folder"))
    return replace(found, native=True, agent=TITLE, session_id=session, folder=folder)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return list(items)  # it is never written


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    said = [(str(one.role), list(map(SentPart.of, one.blocks))) for one in transcript.messages if one.role != "system"]
    return request(TITLE, VERSION, said, (block for message in transcript.messages for block in message.blocks))


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [None for _ in found]  # files that are not as their hashes say are refused
