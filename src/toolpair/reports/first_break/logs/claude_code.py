"""Claude Code's session files, which record the agent's own requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.reports.first_break.answers import safe_words
from toolpair.reports.first_break.logs.kind import LateAnswer, Load, LogKind
from toolpair.reports.first_break.request import Answer, Found, Span
from toolpair.reports.first_break.times import seconds
from toolpair.reports.requests.claude_code_log import REQUEST, RecordedRequest, RecordedRequests


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
