"""Helicone: exported requests, which have their bodies only with `--include-body`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.reports.first_break.answers import answer_in
from toolpair.reports.first_break.bodies import body_in
from toolpair.reports.first_break.logs.bodies import response_id_in
from toolpair.reports.first_break.logs.kind import is_cut, kind
from toolpair.reports.first_break.request import Found
from toolpair.reports.first_break.times import first_time

_OWN: Final = ("response_body", "response_status", "request_created_at", "request_path", "request_properties")


def _fits(record: Any) -> bool:
    if not isinstance(record, dict) or not ("request_body" in record or "request_id" in record):
        return False
    return sum(key in record for key in _OWN) >= 2


def _requests(record: Any) -> Iterator[Found]:
    if not _fits(record):
        return
    body = body_in(record.get("request_body"))
    properties = record.get("request_properties", record.get("properties"))
    session = properties.get("Helicone-Session-Id") if isinstance(properties, dict) else None
    yield Found(
        body,
        None if body is not None else "no body",
        first_time(record, ("request_created_at", "created_at")),
        answer_in({"status": record.get("response_status"), "response_body": record.get("response_body")}),
        session if isinstance(session, str) else None,
        cut=body is not None and is_cut(body),
        response_id=response_id_in(record),
    )


KIND: Final = kind("helicone", "a Helicone export", _fits, _requests)
