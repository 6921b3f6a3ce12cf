"""What a provider answered, wherever a log writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from toolpair.reports.first_break.request import Answer

_STATUS_KEYS: Final = (
    *("status_code", "statusCode", "http_status", "httpStatus", "response_status", "responseStatus", "status"),
    *("apiErrorStatus", "error_code", "code"),
)
_STATUS: Final = re.compile(r"(?<![\w.])([45]\d\d)(?![\w.]*\d)")
_LONGEST: Final = 600
_SECRET: Final = re.compile(
    r"(?i:bearer|basic)\s+[\w.~+/=-]{8,}"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|glpat|pplx|r8|AIza|AKIA|ASIA)[-_]?[\w*-]{8,}(?:\.[\w-]+)*"
    r"|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+"
)
_DEEPEST: Final = 4


def answer_in(record: Mapping[str, Any]) -> Answer | None:
    """The answer beside a request: a status, an error, or a response that has one of them."""
    for holder in (record, record.get("response"), record.get("error")):
        if isinstance(holder, Mapping) and (status := status_in(holder)) is not None:
            break
    else:
        status = None
    words = error_words(record)
    if status is None and words is not None:
        status = status_named(words)
    return None if status is None and words is None else Answer(status, words)


def status_in(holder: Mapping[str, Any]) -> int | None:
    """The HTTP status that one of the usual keys holds."""
    for key in _STATUS_KEYS:
        value = holder.get(key)
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            value = int(value) if len(value) == 3 else None
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
            return value
    return None


def status_named(words: str) -> int | None:
    """The status that an error text names: "Error code: 400 - …"."""
    found = _STATUS.search(words[:200])
    return int(found.group(1)) if found is not None else None


def error_words(record: Any) -> str | None:
    """The text of the error in a record, or in the response in it."""
    if not isinstance(record, Mapping):
        return None
    for key in ("error", "errors", "error_message", "errorMessage", "exception"):
        if (said := _words(record.get(key))) is not None:
            return safe_words(said)
    for key in ("response", "body", "response_body"):
        inner = record.get(key)
        if isinstance(inner, str):
            inner = parsed(inner)
        if isinstance(inner, Mapping):
            if inner.get("type") == "error" or "error" in inner:
                said = _words(inner.get("error"))
                if said is not None:
                    return safe_words(said)
            elif key == "response" and (found := error_words({"body": inner.get("body")})) is not None:
                return found
    return None


def _words(error: Any, depth: int = 0) -> str | None:
    if isinstance(error, str):
        inner = parsed(error)
        return (_words(inner, depth + 1) if isinstance(inner, Mapping) and depth < _DEEPEST else None) or error or None
    if isinstance(error, list):
        return next((said for one in error if (said := _words(one, depth + 1)) is not None), None)
    if isinstance(error, Mapping) and depth < _DEEPEST:
        for key in ("message", "error_message", "error", "detail", "msg"):
            if (said := _words(error.get(key), depth + 1)) is not None:
                return said
    return None


def safe_words(words: str) -> str:
    """An error text of bearable length, without anything that looks like a key or a token."""
    short = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    return _SECRET.sub("(key removed)", short)


def parsed(text: str) -> Any:
    """The object or array that a string holds as JSON; None for any other string."""
    if text.lstrip(" \t\r\n")[:1] not in ("{", "["):
        return None
    try:
        return orjson.loads(text)
    except (ValueError, RecursionError):
        return None
