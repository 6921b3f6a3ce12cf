"""Claude Code's session files, which record the agent's own requests: these are rebuilt as they were sent.

An `api-request` record names its messages by hash: the first `keep` of an earlier request (`base`), then `tail`. User
messages stand in `api-request-blob` records; an answer is the content of all records with its `message.id`. System
prompt and tools stand in `api-request-shape` records, cache marks are paths into the body.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

import orjson
from msgspec import Struct

from toolpair.dialects.anthropic import CACHE_MARK
from toolpair.reports.first_break.answers import safe_words
from toolpair.reports.first_break.logs.kind import LateAnswer, Load, LogKind
from toolpair.reports.first_break.request import Answer, Found, Span
from toolpair.reports.first_break.times import seconds

REQUEST: Final = "api-request"
BLOB: Final = "api-request-blob"
SHAPE: Final = "api-request-shape"
_HEADERS: Final = frozenset({"betas"})
"""Parameters that are sent as a header."""


class RecordedRequest(Struct, frozen=True):
    """One `api-request` record. `messages` are hashes, `None` where the request it builds on is not in the file."""

    id: str
    params: dict[str, Any]
    shape: str | None
    messages: tuple[str, ...] | None
    cache_control: tuple[Any, ...]
    source: str | None
    """What asked for it: the main conversation, a sub-agent, a title."""


class RecordedRequests:
    """Takes the records of a session file in their order. Keeps hashes and places, and no content."""

    def __init__(self, load: Load) -> None:
        """`load` gives the record at a place again."""
        self._load = load
        self._messages: dict[str, tuple[Span, ...]] = {}
        """Hash -> the records of the message."""
        self._shapes: dict[str, Span] = {}
        self._requests: dict[str, tuple[str, ...]] = {}
        self._answers: dict[str, list[Span]] = {}
        """Message id -> its records, of answers that are not hashed yet."""

    def take(self, record: Any, place: Span) -> RecordedRequest | None:
        """The next record; the request if it is one."""
        if not isinstance(record, dict):
            return None
        kind = record.get("type")
        if kind == "assistant":
            message = record.get("message")
            id_ = message.get("id") if isinstance(message, dict) else None
            if isinstance(id_, str):
                self._answers.setdefault(id_, []).append(place)
        elif kind == BLOB and isinstance(hash_ := record.get("hash"), str):
            self._messages[hash_] = (place,)
        elif kind == SHAPE and isinstance(hash_ := record.get("shapeHash"), str):
            self._shapes[hash_] = place
        elif kind == REQUEST:
            return self._take_request(record)
        return None

    def body(self, request: RecordedRequest) -> dict[str, Any] | None:
        """The request's body; None when a message or the system prompt of it is not in the file."""
        hashes = request.messages
        if hashes is None or request.shape not in self._shapes or not self._messages.keys() >= set(hashes):
            return None
        messages = [self._message(hash_) for hash_ in hashes]
        shape = self._load(self._shapes[request.shape]).get("shape")
        if any(message is None for message in messages) or not isinstance(shape, dict):
            return None
        params = {key: value for key, value in request.params.items() if key not in _HEADERS}
        body = {**params, **shape, "messages": messages}
        for mark in request.cache_control:
            _mark(body, mark)
        return body

    def _take_request(self, record: dict[str, Any]) -> RecordedRequest:
        self._hash_answers()
        tail = record.get("tail")
        given = tuple(hash_ for hash_ in tail if isinstance(hash_, str)) if isinstance(tail, list) else ()
        base, keep = record.get("base"), record.get("keep")
        before: tuple[str, ...] | None = ()
        if isinstance(base, str):
            before = self._requests.get(base)
        elif keep:
            before = None
        hashes = None
        if before is not None:
            hashes = (*before[: keep if isinstance(keep, int) and keep >= 0 else 0], *given)
        id_ = record.get("id")
        if isinstance(id_, str) and hashes is not None:
            self._requests[id_] = hashes
        params, shape, source = record.get("params"), record.get("shapeHash"), record.get("querySource")
        marks = record.get("cacheControl")
        return RecordedRequest(
            id_ if isinstance(id_, str) else "",
            params if isinstance(params, dict) else {},
            shape if isinstance(shape, str) else None,
            hashes,
            tuple(marks) if isinstance(marks, list) else (),
            source if isinstance(source, str) else None,
        )

    def _hash_answers(self) -> None:
        for places in self._answers.values():
            answer = _joined([self._load(place) for place in places])
            self._messages.setdefault(message_hash(answer), tuple(places))
        self._answers.clear()

    def _message(self, hash_: str) -> Any:
        records = [self._load(place) for place in self._messages[hash_]]
        if len(records) == 1 and isinstance(records[0], dict) and records[0].get("type") == BLOB:
            return records[0].get("message")
        return _joined(records)


def _joined(records: Sequence[Any]) -> dict[str, Any]:
    """The answer that these records hold, one or more blocks in each."""
    content: list[Any] = []
    for record in records:
        message = record.get("message") if isinstance(record, dict) else None
        blocks = message.get("content") if isinstance(message, dict) else None
        content += blocks if isinstance(blocks, list) else []
    return {"role": "assistant", "content": content}


def message_hash(message: Any) -> str:
    """The hash by which requests name a message."""
    try:
        text = orjson.dumps(message, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError, RecursionError):  # a lone surrogate, or nested deeply
        try:
            text = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(
                "utf-8", "surrogatepass"
            )
        except (TypeError, ValueError, RecursionError):
            return ""
    return sha256(text).hexdigest()


def _mark(body: dict[str, Any], mark: Any) -> None:
    """Put a cache mark where it was. The dicts on the way are copied: messages may be shared."""
    path = mark.get("path") if isinstance(mark, dict) else None
    if not isinstance(path, list) or not path:
        return
    holder: Any = body
    for step in path:
        try:
            inner = holder[step]
        except (KeyError, IndexError, TypeError):
            return
        if not isinstance(inner, (dict, list)):
            return
        holder[step] = inner = inner.copy()
        holder = inner
    if isinstance(holder, dict):
        holder[CACHE_MARK] = mark.get("value")


def _fits(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    return isinstance(kind, str) and kind.startswith(REQUEST) and "sessionId" in record


class _Reader:
    """Reads one session file. An answer stands in a later record than its request."""

    def __init__(self, load: Load) -> None:
        self._recorded = RecordedRequests(load)
        self._requests: dict[Span, RecordedRequest] = {}
        self._last: str | None = None

    def read(self, record: Any, span: Span) -> Iterator[Found | LateAnswer]:
        request = self._recorded.take(record, span)
        if request is not None:
            self._requests[span] = request
            self._last = request.id
            yield self._found(record, request)
        elif isinstance(record, dict) and record.get("type") == "assistant":
            ref = record.get("requestRef")
            if record.get("isApiErrorMessage") is True:
                if self._last is not None:
                    yield LateAnswer(self._last, _error(record))
            elif isinstance(ref, str):
                yield LateAnswer(ref, Answer(200))

    def again(self, record: Any, span: Span, number: int) -> Found | None:
        request = self._requests.get(span)
        return self._found(record, request) if request is not None and number == 0 else None

    def _found(self, record: Any, request: RecordedRequest) -> Found:
        body = self._recorded.body(request)
        return Found(
            body,
            None if body is not None else "not rebuilt",
            seconds(record.get("timestamp")),
            session=request.source,
            profile="anthropic",
            ref=request.id,
        )


def _error(record: dict[str, Any]) -> Answer:
    status = record.get("apiErrorStatus")
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    texts = [
        part["text"]
        for part in (content if isinstance(content, list) else ())
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
    return Answer(status if isinstance(status, int) else None, safe_words(" ".join(texts)) if texts else None)


KIND: Final = LogKind("claude-code", "Claude Code's own requests", _fits, _Reader)
