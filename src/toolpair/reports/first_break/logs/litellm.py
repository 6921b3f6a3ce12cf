"""LiteLLM: `StandardLoggingPayload` records, alone or in what a callback is given, and rows of spend logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.reports.first_break.answers import answer_in, parsed, safe_words
from toolpair.reports.first_break.bodies import body_in
from toolpair.reports.first_break.logs.bodies import response_id_in, session_in
from toolpair.reports.first_break.logs.kind import is_cut, kind
from toolpair.reports.first_break.request import Answer, Found
from toolpair.reports.first_break.times import first_time

_OWN: Final = (
    *("model_group", "response_cost", "cache_hit", "custom_llm_provider", "model_parameters", "litellm_call_id"),
    *("trace_id", "hidden_params", "proxy_server_request", "spend", "api_base", "request_tags"),
)
"""Keys of which its records have several."""
_RESPONSES: Final = ("responses", "aresponses")


def _payload(record: Any) -> Any:
    for key in ("kwargs", "standard_logging_object", "standard_logging_payload"):
        if isinstance(record, dict) and isinstance(record.get(key), dict):
            record = record[key]
    return record


def _fits(record: Any) -> bool:
    payload = _payload(record)
    if not isinstance(payload, dict) or not ("messages" in payload or "proxy_server_request" in payload):
        return False
    return "call_type" in payload and sum(key in payload for key in _OWN) >= 2


def _requests(record: Any) -> Iterator[Found]:
    if not _fits(record):
        return
    payload = _payload(record)
    body = _body(payload)
    cut = is_cut(payload.get("messages")) or (body is not None and is_cut(body))
    yield Found(
        body,
        None if body is not None else "cut" if cut else "no body",
        first_time(payload, ("startTime", "start_time")),
        _answer(payload),
        session_in(payload, ("session_id", "litellm_session_id", "trace_id")),
        cut=cut,
        response_id=response_id_in(payload),
    )


def _body(payload: dict[str, Any]) -> dict[str, Any] | None:
    messages = payload.get("messages")
    if isinstance(messages, str):
        messages = parsed(messages)
    if isinstance(messages, dict):
        return body_in(messages)
    if isinstance(messages, list) and messages:
        parameters = payload.get("model_parameters")
        given = parameters if isinstance(parameters, dict) else {}
        body = {key: given[key] for key in ("tools", "thinking", "previous_response_id") if key in given}
        key = "input" if payload.get("call_type") in _RESPONSES else "messages"
        return {"model": payload.get("model"), **body, key: messages}
    return body_in(payload.get("proxy_server_request"))


def _answer(payload: dict[str, Any]) -> Answer | None:
    if payload.get("status") == "success":
        return Answer(200)
    error = payload.get("error_information")
    metadata = payload.get("metadata")
    if isinstance(metadata, str):
        metadata = parsed(metadata)
    if not isinstance(error, dict) and isinstance(metadata, dict):
        error = metadata.get("error_information")
    if isinstance(error, dict):
        found = answer_in({"status_code": error.get("error_code"), "error": error.get("error_message")})
        if found is not None:
            return found
    if isinstance(payload.get("error_str"), str):
        return answer_in({"error": safe_words(payload["error_str"])})
    return None


KIND: Final = kind("litellm", "LiteLLM's log", _fits, _requests)
