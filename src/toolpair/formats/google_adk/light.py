"""Quick reading of ADK's rows, by the table of its events. Whatever shapes what is sent of others, it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.formats.engine.reading.light import Event, Finding, Light, Whole
from toolpair.formats.format import FileFacts, Item, View
from toolpair.formats.forms.light import FormLight
from toolpair.formats.google_adk.detection import DATA, EVENTS, SESSIONS
from toolpair.formats.google_adk.format import form_of, read
from toolpair.formats.google_adk.sending import is_plain


class AdkLight(FormLight):
    """Each row is an event."""

    def __init__(self) -> None:
        form = form_of(())
        super().__init__(form.compiled, form.reader)
        self._session: dict[str, Any] = {}
        self._author: str | None = None

    def read(self, value: Any, number: int) -> Event | None:
        row = value.get(EVENTS)
        if row is None:
            if number or type(value.get(SESSIONS)) is not dict:
                raise Whole
            self._session = value
            return None
        self._hear(row)
        return super().read(value, number)

    def _hear(self, row: dict[str, Any]) -> None:
        if DATA not in row:
            raise Whole  # the older tables
        event = row[DATA]
        if not is_plain(event) or type(event.get("author")) is not str:
            raise Whole
        author, content = event["author"], event.get("content")
        if type(content) is dict and content.get("role") == "model":
            if self._author not in (None, author):
                raise Whole  # what is sent depends on whose turn it is
            self._author = author

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict or EVENTS not in value:
            raise Whole
        self._hear(value[EVENTS])
        ids, signed = super().left(value, number, strict)
        if any(isinstance(id_, (dict, list)) for id_ in ids):
            raise Whole  # then ADK cannot load the session
        return ids, signed

    def finish(self) -> Finding | None:
        head = read([Item(0, self._session)])
        around = Finding(head=head, around=lambda first, end, count, records: FileFacts(head))
        return None if super().finish() is None else around


def light(view: View) -> Light | None:
    return AdkLight() if view.reporting else None
