"""What a log says of one request."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from msgspec import Struct

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
