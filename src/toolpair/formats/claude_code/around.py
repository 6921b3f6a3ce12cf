"""What surrounds a window of Claude Code's records, as far as reading the window needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.claude_code.frames import LogFacts
from toolpair.formats.engine.reading.id_index import IdIndex
from toolpair.formats.format import FileFacts, Item, Read
from toolpair.transcript.model import Transcript

_TAIL: Final = 8
"""Records at the end of a file that are asked first for how it ends."""
_BACK: Final = 4
"""Records in front of a window among which its last response nearly always stands."""


class Around:
    """Facts remembered about a whole file."""

    def __init__(self, *, heals: bool) -> None:
        """`heals`: calls left open in the last turn are only sent if the turn breaks off there."""
        self._heals = heals
        self.words_at = -1
        """The last record with user text."""
        self.leaf_elsewhere = False
        """The last prompt names a record outside of the last window."""
        self.first_uuids: list[str] = []
        self.past = 0
        """How many records a compaction replaced."""
        self.head = Transcript(())
        self.copies = IdIndex()
        """Records that may hold a copy of a call's output."""
        self._breaks_off: bool | None = None

    def note_copy(self, id_: Any, number: int) -> None:
        """Note that a record may hold a copy of the output of the call with this id."""
        if isinstance(id_, str):
            self.copies.note(id_, number)

    def has_copy(self, id_: str) -> bool:
        """Whether any record may hold a copy of the output of the call with this id."""
        return bool(self.copies.of([id_]))

    def facts(self, first: int, end: int, count: int, read: Read) -> FileFacts:
        """What surrounds the records in [first, end)."""
        on_results = self._heals and self.words_at < end and self._ends_open(count, read)
        leaf_before = end == count and first > self.past and self.leaf_elsewhere
        return FileFacts(
            head=self.head,
            before=_back_to_response(read, first) if first > self.past else (),
            after=None if end == count else read(end, end + 1)[0],
            ties_to_end=on_results,
            agent_facts=LogFacts(on_results, leaf_before, tuple(self.first_uuids)),
            copies=lambda ids: self.copies.items(ids, read, first, end),
        )

    def _ends_open(self, count: int, read: Read) -> bool:
        """Whether the file's last turn breaks off, so that what is open in it stays."""
        if self._breaks_off is None:
            from toolpair.formats.claude_code.sending import ends_open

            size = _TAIL
            found = ends_open(read(max(count - size, 0), count))
            while found is None and size < count:
                size *= 4
                found = ends_open(read(max(count - size, 0), count))
            self._breaks_off = found or False
        return self._breaks_off


def _back_to_response(read: Read, first: int) -> Sequence[Item]:
    """The records before `first`, back to the last response."""
    found: list[Item] = []
    step = _BACK
    while first > 0:
        start, step = max(first - step, 0), step * 2
        items = read(start, first)
        for at in range(len(items) - 1, -1, -1):
            value = items[at].value
            if isinstance(value, dict) and value.get("type") == "assistant":
                return [*items[at + 1 :], *found]
        found[:0] = items
        first = start
    return found
