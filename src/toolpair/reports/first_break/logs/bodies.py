"""Request bodies, one a record: as they are, or under a key of a record that says more (time, status, error)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.reports.first_break.answers import answer_in
from toolpair.reports.first_break.bodies import body_in, is_body
from toolpair.reports.first_break.logs.kind import kind
from toolpair.reports.first_break.request import Found
from toolpair.reports.first_break.times import first_time

TIMES: Final = (
    *("start_time", "startTime", "started_at", "startedAt", "started", "request_time", "requestTime"),
    *("timestamp", "time", "ts", "@timestamp", "created_at", "createdAt", "created", "date"),
)
SESSIONS: Final = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "threadId")


def session_in(record: dict[str, Any], keys: tuple[str, ...] = SESSIONS) -> str | None:
    """What the record calls its conversation."""
    return next((found for key in keys if isinstance(found := record.get(key), str) and found), None)


def response_id_in(record: dict[str, Any]) -> str | None:
    """The id of the answer beside a request, where a later request can name it."""
    holders = [record.get(key) for key in ("response", "output", "response_body")]
    holders += [holder.get("body") for holder in holders if isinstance(holder, dict)]
    ids = (holder.get("id") for holder in holders if isinstance(holder, dict))
    return next((id_ for id_ in ids if isinstance(id_, str) and id_.startswith("resp_")), None)


def _requests(record: Any) -> Iterator[Found]:
    body = body_in(record)
    if body is None:
        return
    if body is record:
        yield Found(body)
        return
    yield Found(
        body,
        time=first_time(record, TIMES),
        answer=answer_in(record),
        session=session_in(record),
        response_id=response_id_in(record),
        cut=False,
    )


def _fits(record: Any) -> bool:
    return is_body(record) or body_in(record) is not None


KIND: Final = kind("bodies", "request bodies", _fits, _requests)
