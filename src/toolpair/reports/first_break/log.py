"""The requests of a log, of a file or in memory: each can be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct

from toolpair.reports.first_break.logs.bodies import KIND as BODIES
from toolpair.reports.first_break.logs.kind import LateAnswer, LogKind, Reader
from toolpair.reports.first_break.logs.kinds import UNDERSTOOD, kind_of
from toolpair.reports.first_break.logs.records import LogRecord, Records
from toolpair.reports.first_break.request import Found, Span
from toolpair.source.errors import UnreadableFile
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.model import Damaged


class Entry(Struct, frozen=True):
    """A request where it stands: its record, its line, and which of the record's requests it is."""

    found: Found
    span: Span
    line: int
    place: int


class Tally(Struct):
    """What else is in a log."""

    lines: int = 0
    broken: int = 0
    """Lines that cannot be read."""
    others: int = 0
    """Records without a request."""


class Log(Protocol):
    """The requests of a log in its order."""

    kind: LogKind
    tally: Tally

    def entries(self) -> Iterator[Entry | LateAnswer]: ...

    def again(self, span: Span, place: int) -> Found | None:
        """A request that `entries` gave."""


class FileLog:
    """A log in a file."""

    def __init__(self, snapshot: Snapshot, progress: Callable[[int], None] | None = None) -> None:
        """Raises UnreadableFile with one sentence when it is no log of a kind that is understood."""
        self._records = Records(snapshot)
        self._progress = progress
        kind = kind_of(self._records.beginning())
        if kind is None:
            raise UnreadableFile(
                f"{snapshot.shown} is no log of requests that toolpair understands: give {UNDERSTOOD}."
            )
        self.kind = kind
        self.tally = Tally()
        self._reader: Reader = kind.reader(self._records.load)
        self._last: tuple[Span, Any] | None = None

    def entries(self) -> Iterator[Entry | LateAnswer]:
        for record in self._records:
            self.tally.lines += record.lines
            if isinstance(record.value, Damaged):
                self.tally.broken += record.lines
                continue
            yield from self._of(record)
            if self._progress is not None:
                self._progress(record.span[1])

    def _of(self, record: LogRecord) -> Iterator[Entry | LateAnswer]:
        place = 0
        for found in self._reader.read(record.value, record.span):
            if isinstance(found, LateAnswer):
                yield found
            else:
                yield Entry(found, record.span, record.line, place)
                place += 1
        if not place:
            self.tally.others += 1

    def again(self, span: Span, place: int) -> Found | None:
        if self._last is None or self._last[0] != span:
            self._last = span, self._records.load(span)
        return self._reader.again(self._last[1], span, place)


class ListLog:
    """Request bodies in memory, or records that have them under a key."""

    kind = BODIES

    def __init__(self, requests: Sequence[Any]) -> None:
        self._requests = requests
        self._reader = BODIES.reader(lambda span: requests[span[0]])
        self.tally = Tally()

    def entries(self) -> Iterator[Entry]:
        for number, value in enumerate(self._requests):
            span = (number, number + 1)
            found: Iterable[Any] = self._reader.read(value, span)
            self.tally.lines += 1
            for place, one in enumerate(found):
                yield Entry(one, span, number + 1, place)

    def again(self, span: Span, place: int) -> Found | None:
        return self._reader.again(self._requests[span[0]], span, place)
