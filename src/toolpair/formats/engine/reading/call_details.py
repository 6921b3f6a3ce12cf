"""What the records of a call and of its result say beside what is sent, for all formats."""

from __future__ import annotations

from typing import Any, Final, Protocol

from msgspec import Struct

from toolpair.formats.format import Format, Patch, Usage

_LONGEST: Final = 10_000_000
"""Seconds. A longer time between two records says nothing about the call."""


class HasValue(Protocol):
    """A record, of a document or of a transcript."""

    @property
    def value(self) -> Any: ...


class CallDetails(Struct, frozen=True):
    """`seconds`: how long the call took. `patch`: what an edit changed in its file."""

    seconds: float | None = None
    patch: Patch = ()


class DetailReader:
    """Reads the details of a format's records."""

    def __init__(self, format: Format) -> None:
        self._format = format
        self.timed: Final = format.time_of is not None or format.usage_of is not None
        """Whether its records say when they were written, or what a response has cost."""

    def time_of(self, value: Any) -> float | None:
        """When a record was written, in seconds since the epoch."""
        return self._format.time_of(value) if self._format.time_of is not None else None

    def usage_of(self, value: Any) -> Usage | None:
        """The cost of the response that a record belongs to, or reports on."""
        return self._format.usage_of(value) if self._format.usage_of is not None else None

    def details(self, call: HasValue | None, result: HasValue) -> CallDetails:
        patch = self._format.patch_of(result.value) if self._format.patch_of is not None else ()
        return CallDetails(self.seconds(call.value if call is not None else None, result.value), patch)

    def seconds(self, call: Any, result: Any) -> float | None:
        """How long a call took, by the values of the two records: as the agent says, else the time between them."""
        said = self._format.seconds_of(result) if self._format.seconds_of is not None else None
        if said is not None:
            return said
        begun, ended = self.time_of(call), self.time_of(result)
        if begun is None or ended is None or not 0 <= ended - begun < _LONGEST:
            return None
        return ended - begun
