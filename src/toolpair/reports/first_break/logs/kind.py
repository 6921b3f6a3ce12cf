"""What a kind of log is, reading kinds whose records hold whole requests, and texts that a log has shortened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final, Protocol

import orjson
from msgspec import Struct

from toolpair.reports.first_break.request import Answer, Found, Span

Load = Callable[[Span], Any]
"""Gives the value of the record at a span."""


class LateAnswer(Struct, frozen=True):
    """The answer to the request with this `ref`, which an earlier record held."""

    ref: str
    answer: Answer


class Reader(Protocol):
    """Reads the records of one file, from the first to the last."""

    def read(self, record: Any, span: Span) -> Iterable[Found | LateAnswer]:
        """What the next record holds."""

    def again(self, record: Any, span: Span, number: int) -> Found | None:
        """The request with this number, from 0, of a record that was read before."""


class LogKind(Struct, frozen=True):
    """A kind of log: `fits` says of one record whether it is of this kind."""

    id: str
    title: str
    fits: Callable[[Any], bool]
    reader: Callable[[Load], Reader]
    has_wholes: bool = False
    """A document of this kind is one record, even if it is mostly one array."""


class EachAlone:
    """Reads records that need no other."""

    def __init__(self, requests: Callable[[Any], Iterator[Found]]) -> None:
        self._requests = requests

    def read(self, record: Any, span: Span) -> Iterable[Found]:
        return self._requests(record)

    def again(self, record: Any, span: Span, number: int) -> Found | None:
        return next(islice(self._requests(record), number, None), None)


def kind(
    id_: str, title: str, fits: Callable[[Any], bool], requests: Callable[[Any], Iterator[Found]], wholes: bool = False
) -> LogKind:
    """A kind whose records need no other."""
    return LogKind(id_, title, fits, lambda _: EachAlone(requests), wholes)


_MARKS: Final = (b"litellm_truncated", b"redacted-by-litellm", b"...[truncated]", b"\xe2\x80\xa6[truncated]")


def is_cut(value: Any) -> bool:
    """Whether the value has a text that a log shortened or removed, by the mark that it leaves."""
    if not isinstance(value, (str, list, dict)):
        return False
    try:
        text = value.encode("utf-8", "replace") if isinstance(value, str) else orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return any(mark in text for mark in _MARKS)
