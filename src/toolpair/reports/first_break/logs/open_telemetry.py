"""OpenTelemetry: spans and events with `gen_ai.input.messages`, alone or in OTLP's JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.dialects.logged_messages import from_open_telemetry
from toolpair.reports.first_break.answers import parsed, safe_words, status_named
from toolpair.reports.first_break.bodies import profile_of_provider
from toolpair.reports.first_break.logs.kind import is_cut, kind
from toolpair.reports.first_break.request import Answer, Found
from toolpair.reports.first_break.times import first_time

MESSAGES: Final = "gen_ai.input.messages"
_BELOW: Final = (
    *("resourceSpans", "scopeSpans", "spans", "resourceLogs", "scopeLogs", "logRecords"),
    *("resource_spans", "scope_spans", "data"),
)
"""Keys of OTLP's lists, from the outside in."""
_DEEPEST: Final = 6
_TIMES: Final = ("startTimeUnixNano", "start_time", "startTime", "start_time_unix_nano", "timeUnixNano", "timestamp")


def _spans(record: Any, depth: int = 0) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each span that has messages, with its attributes."""
    if not isinstance(record, dict) or depth > _DEEPEST:
        return
    attributes = _attributes(record.get("attributes"))
    if MESSAGES in attributes:
        yield record, attributes
    elif MESSAGES in record:
        yield record, record
    for key in _BELOW:
        for inner in record[key] if isinstance(record.get(key), list) else ():
            yield from _spans(inner, depth + 1)
    for event in record["events"] if isinstance(record.get("events"), list) else ():
        if isinstance(event, dict) and MESSAGES in (said := _attributes(event.get("attributes"))):
            yield {**event, **{key: record[key] for key in (*_TIMES, "status") if key in record}}, attributes | said


def _attributes(given: Any) -> dict[str, Any]:
    """The attributes by name, also of OTLP's list of keys and values."""
    if isinstance(given, dict):
        return given
    return {
        one["key"]: _value(one.get("value"))
        for one in (given if isinstance(given, list) else ())
        if isinstance(one, dict) and isinstance(one.get("key"), str)
    }


def _value(value: Any, depth: int = 0) -> Any:
    if not isinstance(value, dict) or depth > 20:
        return value
    if "arrayValue" in value:
        inner = value["arrayValue"].get("values") if isinstance(value["arrayValue"], dict) else None
        return [_value(one, depth + 1) for one in inner] if isinstance(inner, list) else []
    if "kvlistValue" in value:
        inner = value["kvlistValue"].get("values") if isinstance(value["kvlistValue"], dict) else None
        return {
            one["key"]: _value(one.get("value"), depth + 1)
            for one in (inner if isinstance(inner, list) else ())
            if isinstance(one, dict) and isinstance(one.get("key"), str)
        }
    return next((value[key] for key in ("stringValue", "intValue", "doubleValue", "boolValue") if key in value), None)


def _fits(record: Any) -> bool:
    return next(_spans(record), None) is not None


def _requests(record: Any) -> Iterator[Found]:
    for span, attributes in _spans(record):
        messages = attributes[MESSAGES]
        if isinstance(messages, str):
            messages = parsed(messages)
        body = None
        if isinstance(messages, list):
            body = {"model": attributes.get("gen_ai.request.model"), "messages": from_open_telemetry(messages)}
        provider = attributes.get("gen_ai.provider.name", attributes.get("gen_ai.system"))
        session = attributes.get("gen_ai.conversation.id")
        yield Found(
            body,
            None if body is not None else "cut",
            first_time(span, _TIMES),
            _answer(span, attributes),
            session if isinstance(session, str) else None,
            profile=profile_of_provider(provider),
            cut=is_cut(messages),
        )


def _answer(span: dict[str, Any], attributes: dict[str, Any]) -> Answer | None:
    status = span.get("status")
    if isinstance(status, dict):
        code = status.get("code", status.get("status_code"))
        words = status.get("message", status.get("description"))
        if code in (2, "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR"):
            shown = safe_words(words) if isinstance(words, str) and words else None
            named = status_named(shown) if shown else None
            of_http = attributes.get("http.response.status_code", attributes.get("error.type"))
            if named is None and isinstance(of_http, (int, str)) and str(of_http).isdecimal():
                named = int(of_http)
            return Answer(named, shown)
    return Answer(200) if "gen_ai.response.id" in attributes or "gen_ai.output.messages" in attributes else None


KIND: Final = kind("open-telemetry", "OpenTelemetry spans", _fits, _requests)
