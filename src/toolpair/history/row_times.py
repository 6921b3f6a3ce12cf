"""When rows were written, how long their calls took, and how many tokens their responses have."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Final

from toolpair.formats.engine.reading.call_details import DetailReader
from toolpair.history.conversation import Conversation
from toolpair.history.summary import PairRow

_KEPT: Final = 1024
"""Records whose facts are remembered."""
_FIRST: Final = 50
"""Records that are asked whether the file has times, and tokens."""
_NEAR: Final = 16
"""Records after a call among which the count of its tokens may stand."""
_SMALL: Final = 64_000
"""Bytes. A larger record is no count of tokens."""

_Facts = tuple[float | None, int | None]
"""When a record was written, and the tokens of its response."""


class RowTimes:
    """Reads the records of the rows that it is asked about, and remembers the last ones. For one thread."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._details = DetailReader(conversation.format)
        self._timed = self._details.timed
        self._known: OrderedDict[int, _Facts] = OrderedDict()
        self._took: OrderedDict[tuple[int, int], float | None] = OrderedDict()

    @cached_property
    def any(self) -> bool:
        """Whether the file has times, judging by its beginning."""
        return self._timed and any(self._details.time_of(value) is not None for value in self._beginning())

    @cached_property
    def has_tokens(self) -> bool:
        """Whether the file counts the tokens of responses, judging by the same."""
        usages = (self._details.usage_of(value) for value in self._beginning())
        return self._timed and any(usage is not None and usage.written is not None for usage in usages)

    def _beginning(self) -> Iterator[Any]:
        records = self._conversation.document.records
        few = (records[n] for n in range(min(_FIRST, len(records))))
        return (record.value for record in few if record.size < _SMALL)

    def written(self, row: PairRow) -> float | None:
        """When the call was made, or the message written, in seconds since the epoch."""
        return next((time for uid in _records(row) if (time := self._facts(uid)[0]) is not None), None)

    def seconds(self, row: PairRow) -> float | None:
        """How long the call took until this result."""
        if row.pair is None or row.pair.call is None or row.result is None:
            return None
        both = row.pair.call.record, row.result.record
        if both not in self._took:
            self._took[both] = self._details.seconds(*map(self._value, both))
            if len(self._took) > _KEPT:
                self._took.popitem(last=False)
        return self._took[both]

    def tokens(self, row: PairRow) -> int | None:
        """How many tokens the model wrote in the response with this call."""
        if not self._timed or row.pair is None or row.pair.call is None:
            return None
        uid = row.pair.call.record
        written = self._facts(uid)[1]
        if written is None:
            after = (self._facts(other)[1] for other in self._until_next_response(row, uid))
            written = next((count for count in after if count is not None), None)
        return written

    def _until_next_response(self, row: PairRow, uid: int) -> Iterator[int]:
        """The small records after a call's, up to those of the next response: some agents count tokens there."""
        document, messages = self._conversation.document, self._conversation.transcript.messages
        assert row.pair is not None
        end: int | None = None
        if row.pair.call_message is not None:
            later = range(row.pair.call_message + 1, min(row.pair.call_message + _NEAR, len(messages)))
            answer = next((messages[n] for n in later if messages[n].role == "assistant"), None)
            end = next(iter(answer.records), None) if answer is not None else None
        try:
            first = document.index(uid) + 1
        except LookupError:
            return
        for n in islice(range(first, len(document.records)), _NEAR):
            record = document.records[n]
            if record.uid == end:
                return
            if record.size < _SMALL:
                yield record.uid

    def _facts(self, uid: int) -> _Facts:
        known = self._known.get(uid)
        if known is None:
            known = self._known[uid] = self._read(uid)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known

    def _read(self, uid: int) -> _Facts:
        if not self._timed:
            return None, None
        value = self._value(uid)
        usage = self._details.usage_of(value)
        return self._details.time_of(value), usage.written if usage is not None else None

    def _value(self, uid: int) -> Any:
        try:
            return self._conversation.document.record(uid).value
        except LookupError:
            return None


def _records(row: PairRow) -> Iterator[int]:
    """The records that may say when a row was written, the best first."""
    pair = row.pair
    if pair is None:
        if row.record is not None:
            yield row.record
        return
    is_first = row.result is None or not pair.results or row.result is pair.results[0]
    if pair.call is not None and is_first:
        yield pair.call.record
    if row.result is not None:
        yield row.result.record
