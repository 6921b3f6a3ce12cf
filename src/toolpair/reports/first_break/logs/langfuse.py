"""Langfuse: exported generations, alone, in their traces, or as pages of its API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.reports.first_break.answers import answer_in, parsed, safe_words, status_named
from toolpair.reports.first_break.bodies import body_in
from toolpair.reports.first_break.logs.bodies import response_id_in, session_in
from toolpair.reports.first_break.logs.kind import is_cut, kind
from toolpair.reports.first_break.request import Answer, Found
from toolpair.reports.first_break.times import first_time

_SESSIONS: Final = ("sessionId", "session_id")


def _fits(record: Any) -> bool:
    return isinstance(record, dict) and (_is_observation(record) or _observations(record) is not None)


def _is_observation(record: dict[str, Any]) -> bool:
    traced = "traceId" in record or "trace_id" in record
    return traced and "input" in record and ("startTime" in record or "start_time" in record or "level" in record)


def _observations(record: dict[str, Any]) -> list[Any] | None:
    for key in ("observations", "data"):
        found = record.get(key)
        if isinstance(found, list) and any(isinstance(one, dict) and "input" in one and "type" in one for one in found):
            return found
    return None


def _requests(record: Any) -> Iterator[Found]:
    if not isinstance(record, dict):
        return
    listed = _observations(record)
    if listed is None:
        if _is_observation(record):
            yield from _of_observation(record, session_in(record, _SESSIONS))
        return
    trace = record.get("trace") if isinstance(record.get("trace"), dict) else record
    session = session_in(trace, _SESSIONS) if isinstance(trace, dict) else None
    for one in listed:
        if isinstance(one, dict):
            yield from _of_observation(one, session_in(one, _SESSIONS) or session)


def _of_observation(record: dict[str, Any], session: str | None) -> Iterator[Found]:
    kind_ = record.get("type")
    if isinstance(kind_, str) and kind_.upper() != "GENERATION":
        return
    given = record.get("input")
    body = body_in(given, 1) if not isinstance(given, dict) else body_in(given)
    if body is None and not (isinstance(given, str) and given[:1] in ("{", "[")):
        return  # a prompt that is only a text has no calls
    cut = is_cut(given)
    yield Found(
        body if body is None or "model" in body else {"model": record.get("model"), **body},
        "cut" if body is None else None,
        first_time(record, ("startTime", "start_time")),
        _answer(record),
        session,
        cut=cut,
        response_id=response_id_in(record),
    )


def _answer(record: dict[str, Any]) -> Answer | None:
    words = record.get("statusMessage", record.get("status_message"))
    if record.get("level") == "ERROR" and isinstance(words, str):
        said = parsed(words[words.find("{") :]) if "{" in words else None
        inner = answer_in(said) if isinstance(said, dict) else None
        found = inner.words if inner is not None else None
        return Answer(status_named(words), found or safe_words(words))
    return Answer(200) if record.get("output") else None


KIND: Final = kind("langfuse", "a Langfuse export", _fits, _requests)
