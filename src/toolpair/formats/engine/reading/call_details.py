"""What the records of a call and of its result say beside what is sent, for all formats."""

from __future__ import annotations

from typing import Any, Final, Protocol

from msgspec import Struct

from toolpair.formats.format import Format, KeepsMore, Patch, Timed

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
        self.timed: Final = format if isinstance(format, Timed) else None
        self._keeps = format if isinstance(format, KeepsMore) else None

    def details(self, call: HasValue | None, result: HasValue) -> CallDetails:
        patch = self._keeps.patch_of(result.value) if self._keeps is not None else ()
        return CallDetails(self.seconds(call.value if call is not None else None, result.value), patch)

    def seconds(self, call: Any, result: Any) -> float | None:
        """How long a call took, by the values of the two records: as the agent says, else the time between them."""
        said = self._keeps.seconds_of(result) if self._keeps is not None else None
        if said is not None or self.timed is None:
            return said
        begun, ended = self.timed.time_of(call), self.timed.time_of(result)
        if begun is None or ended is None or not 0 <= ended - begun < _LONGEST:
            return None
        return ended - begun
