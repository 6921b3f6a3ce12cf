"""Inspect: the model events of samples, whose messages a sample keeps in a pool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.dialects.logged_messages import from_inspect
from toolpair.reports.first_break.answers import safe_words, status_named
from toolpair.reports.first_break.bodies import is_body
from toolpair.reports.first_break.logs.kind import kind
from toolpair.reports.first_break.request import Answer, Found
from toolpair.reports.first_break.times import first_time


def _fits(record: Any) -> bool:
    return next(_samples(record), None) is not None


def _samples(record: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(record, dict):
        return
    for sample in record["samples"] if isinstance(record.get("samples"), list) else (record,):
        events = sample.get("events") if isinstance(sample, dict) else None
        if isinstance(events, list) and any(isinstance(one, dict) and one.get("event") == "model" for one in events):
            yield sample


def _requests(record: Any) -> Iterator[Found]:
    for sample in _samples(record):
        kept = sample.get("events_data")
        pools = kept if isinstance(kept, dict) else {}
        messages = sample.get("message_pool") or pools.get("messages") or []
        calls = sample.get("call_pool") or pools.get("calls") or []
        name = f"{sample.get('id')}, epoch {sample.get('epoch')}"
        for event in sample["events"]:
            if not isinstance(event, dict) or event.get("event") != "model":
                continue
            body = _as_called(event, calls) or _as_given(event, messages)
            session = f"sample {name}"
            yield Found(
                body,
                None if body is not None else "not rebuilt",
                first_time(event, ("timestamp",)),
                _answer(event),
                session,
                str(sample.get("uuid") or name),
            )


def _as_called(event: dict[str, Any], pool: Any) -> dict[str, Any] | None:
    """The request as it went to the provider."""
    call = event.get("call")
    request = call.get("request") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(request, dict):
        return None
    if call.get("call_refs") is not None:
        listed = _expanded(call["call_refs"], pool)
        request = {**request, str(call.get("call_key") or "messages"): listed} if listed is not None else None
    return request if is_body(request) else None


def _as_given(event: dict[str, Any], pool: Any) -> dict[str, Any] | None:
    """The messages that Inspect gave to its model."""
    messages = event.get("input")
    if not messages and event.get("input_refs") is not None:
        messages = _expanded(event["input_refs"], pool)
    if not isinstance(messages, list):
        return None
    return {"model": event.get("model"), "messages": from_inspect(messages)}


def _expanded(refs: Any, pool: Any) -> list[Any] | None:
    """The elements of a pool that ranges name; None where it does not have them all."""
    found: list[Any] = []
    for ref in refs if isinstance(refs, list) else ():
        if not (isinstance(ref, list) and len(ref) == 2 and all(type(end) is int for end in ref)):
            return None
        first, end = ref
        if not isinstance(pool, list) or not 0 <= first <= end <= len(pool):
            return None
        found += pool[first:end]
    return found


def _answer(event: dict[str, Any]) -> Answer | None:
    error = event.get("error")
    if isinstance(error, str) and error:
        return Answer(status_named(error), safe_words(error))
    return Answer(200) if event.get("completed") else None


KIND: Final = kind("inspect", "an Inspect log", _fits, _requests, True)
