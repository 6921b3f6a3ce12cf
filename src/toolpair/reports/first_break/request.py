"""What is kept of a request when its body is gone: hashes of its messages and ids, and where to read it again."""

from __future__ import annotations

from array import array

from msgspec import Struct, field

from toolpair.reports.first_break.found import Answer, Unread
from toolpair.reports.first_break.logs.kind import Span


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
