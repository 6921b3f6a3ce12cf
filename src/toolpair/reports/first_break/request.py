"""What a log says of one request, and what is kept of it: hashes of messages and ids, and where to read it again."""

from __future__ import annotations

import re
from array import array
from typing import Any, Final, Literal

from msgspec import Struct, field

Span = tuple[int, int]
"""First byte of a record, and the one after its last."""
_REFUSALS: Final = frozenset({400, 413, 422})
"""Statuses by which an API refuses what was sent, not who sends it, how often or where to."""

_REFUSED: Final = re.compile(r"invalid_request|invalid request|bad ?request", re.IGNORECASE)
Unread = Literal["cut", "compressed", "no body", "not rebuilt"]
"""Why the body of a request cannot be read: the log cut it, or holds it compressed, has none, or only parts of it."""


class Answer(Struct, frozen=True):
    """What the provider answered."""

    status: int | None = None
    words: str | None = None
    """The text of the error."""

    @property
    def refused(self) -> bool:
        """Whether what was sent was refused."""
        if self.status is None and self.words is not None:
            return _REFUSED.search(self.words) is not None
        return self.status in _REFUSALS

    @property
    def taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class Found(Struct, frozen=True):
    """One request. `body` is None when it cannot be read, with the reason in `unread`."""

    body: Any
    unread: Unread | None = None
    time: float | None = None
    """Seconds since 1970 when it was sent."""
    answer: Answer | None = None
    session: str | None = None
    """What the log calls its conversation."""
    apart: str | None = None
    """Requests with another value here are surely of other conversations."""
    profile: str | None = None
    """The provider it was sent to, where the log's own form of messages does not show it."""
    cut: bool = False
    """The log shortened texts in it."""
    ref: str | None = None
    """The name by which a later record answers it."""
    response_id: str | None = None
    """The id of the answer, by which a later request can continue it."""


def _none() -> array[int]:
    return array("q")


class Request(Struct):
    """One request of a log."""

    number: int
    """From 1, in the order of the log."""
    line: int
    span: Span
    place: int
    """Which request of its record it is, from 0."""
    time: float | None
    answer: Answer | None
    session: str | None
    apart: str | None
    unread: Unread | None = None
    cut: bool = False
    profile: str = ""
    """The profile that it was checked against."""
    length: int = 0
    """How many messages it has."""
    lead: int = 0
    """How many of the first are system messages."""
    hashes: array[int] = field(default_factory=_none)
    """One for each message after those."""
    paired: array[int] = field(default_factory=_none)
    """Those of the messages with calls or results."""
    ids: array[int] = field(default_factory=_none)
    """The ids of its calls and results."""
    total: int = 0
    """A hash of all of it."""
    errors: array[int] = field(default_factory=_none)
    """What is wrong with it, as hashes of what is broken."""
    continues: str | None = None
    """The id of the response that it says it continues."""
    response_id: str | None = None
    conversation: int = 0
    """From 1, in the order in which they begin."""
    step: int = 0
    """Which request of its conversation it is, from 1."""
    before: Request | None = None
    """The request that it continues."""

    def __repr__(self) -> str:
        return f"<request {self.number} of conversation {self.conversation}>"  # the chain of those before may be long
