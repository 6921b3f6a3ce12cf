"""Sequences over all windows, built on access and numbered as in the whole history."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from operator import attrgetter
from typing import Final, Protocol, TypeVar, overload

from msgspec.structs import replace

from toolpair.history.row_index import RowIndex
from toolpair.history.summary import PairRow
from toolpair.history.window import NumberedWindow, Offsets, Reading, Window
from toolpair.source.document import Document
from toolpair.source.joined import JoinedDocument, shift_offsets
from toolpair.transcript.model import Block, Message, Scope, Transcript
from toolpair.transcript.pairing import Pair

T = TypeVar("T")
Changed = Sequence[tuple[int, Window, Window]]
"""Windows before and after a change, by their numbers, which are in order."""


class Numbering:
    """In what numbers windows begin, and in the end how many there are of each, as far as that is asked."""

    def __init__(self, windows: Sequence[Window], known: Mapping[str, list[int]] | None = None) -> None:
        self._windows = windows
        self._known = known or {}

    @cached_property
    def messages(self) -> list[int]:
        return self._begins("messages")

    @cached_property
    def pairs(self) -> list[int]:
        return self._begins("pairs")

    @cached_property
    def counted(self) -> list[int]:
        """Messages as the provider counts them."""
        return self._begins("counted")

    @cached_property
    def unsent(self) -> list[int]:
        """The same if all of them were sent as they stand."""
        return self._begins("unsent")

    @cached_property
    def rows(self) -> list[int]:
        return self._begins("row_count")

    def _begins(self, name: str) -> list[int]:
        return self._known.get(name) or [0, *accumulate(map(attrgetter(name), self._windows))]

    def offsets(self, number: int) -> Offsets:
        """What stands before a window."""
        if not number:
            return Offsets()
        return Offsets(self.messages[number], self.pairs[number], self.counted[number], self.unsent[number])

    def after(self, windows: Sequence[Window], changed: Changed) -> Numbering:
        """What comes after windows that have grown begins later. A list in which nothing moves stays the same.

        Rows are only counted again where they have been counted.
        """
        now = {name: getattr(self, name) for name in _PROBLEMS_BY}
        if "rows" in vars(self):
            now["row_count"] = self.rows
        for name, begins in now.items():
            count = attrgetter(name)
            now[name] = shift_offsets(begins, ((number, count(new) - count(old)) for number, old, new in changed))
        return Numbering(windows, now)

    def renumbers(self, after: Numbering) -> bool:
        """Whether problems behind what changed have other numbers after it."""
        return any(getattr(self, name) is not getattr(after, name) for name in _PROBLEMS_BY)


_PROBLEMS_BY: Final = ("messages", "pairs", "counted", "unsent")
"""What problems are numbered by."""


class RowPrefilter(Protocol):
    """Skips rows that cannot contain what is searched for."""

    def about(self, row: int) -> tuple[range, bool]:
        """A range of rows around this one, and whether any of them may match. Raises Unreadable."""


class WindowRow:
    """The windows of a conversation, and what is in all of them, built on access.

    It knows no conversation: one that holds what is below would otherwise wait for the garbage collector.
    """

    def __init__(
        self,
        windows: tuple[Window, ...],
        reading: Reading,
        numbering: Numbering | None = None,
        before: Document | None = None,
    ) -> None:
        """`numbering`, if it is known already. `before`: the document of another state of these windows."""
        self.windows = windows
        self._reading = reading
        self._known = numbering
        earlier = before if isinstance(before, JoinedDocument) else None
        self._joined = JoinedDocument(reading.document, [window.document for window in windows], earlier)

    @property
    def document(self) -> Document:
        """All records, with the changes."""
        return self._joined

    @property
    def head(self) -> Transcript:
        """Whose history it is."""
        return self._reading.head

    @property
    def transcript(self) -> Transcript:
        messages: Sequence[Message] = Joined(self, self.numbering.messages, NumberedWindow.message)
        return replace(self.head, messages=messages, scopes=ScopesOfWindows(self))

    @property
    def pairs(self) -> Sequence[Pair]:
        return Joined(self, self.numbering.pairs, NumberedWindow.pair)

    @property
    def rows(self) -> Sequence[PairRow]:
        return Joined(self, self.numbering.rows, NumberedWindow.row)

    def passing_rows(self) -> Sequence[PairRow]:
        """The rows, for a pass through all of them: what is read for it is not kept."""
        from toolpair.history.row_text_search import PassingRows

        return PassingRows(self.windows, self.numbering.rows, self.numbering.offsets)

    def row_filter(self, texts: Sequence[str]) -> RowPrefilter | None:
        """A filter for rows that need not be searched for these texts; None: each row may contain all of them."""
        from toolpair.history.row_text_search import TextFilter
        from toolpair.history.text_prefilter import ByteQuery

        wanted = ByteQuery(texts)
        return TextFilter(self.windows, self.numbering.rows, wanted) if wanted.is_useful else None

    @property
    def places(self) -> RowIndex:
        """The positions of pairs, records and messages in `rows`."""
        return PlacesInWindows(self)

    @property
    def by_id(self) -> Mapping[str, Sequence[Block]]:
        """Id -> the blocks of the active history that have it."""
        return BlocksInWindows(self)

    @cached_property
    def numbering(self) -> Numbering:
        """In what numbers the windows begin."""
        return self._known or Numbering(self.windows)

    def numbered(self, number: int) -> NumberedWindow:
        """A window at its place."""
        return self.windows[number].numbered(self.numbering.offsets(number))

    def window_of(self, record: int) -> int | None:
        """The number of the window that a record (its uid) stands in."""
        try:
            return self._joined.part_of(record)
        except KeyError:
            return None

    def windows_with(self, id_: str) -> Iterable[int]:
        """The numbers of the windows in whose messages an id may stand."""
        numbers = {number for number, window in enumerate(self.windows) if window.document.changed}
        known = self._reading.ids.get(id_)
        firsts = [window.document.first for window in self.windows]
        for record in self._reading.named(id_) if known is None else (known,):
            numbers.add(max(bisect_right(firsts, record) - 1, 0))
        return sorted(numbers)


class WholeRow(WindowRow):
    """One window that is all of the conversation: everything is at hand, and is numbered as it stands."""

    def __init__(self, window: Window) -> None:
        self.windows = (window,)
        self.window: Final = window
        self._known = None

    @property
    def document(self) -> Document:
        return self.window.document.now

    def window_of(self, record: int) -> int | None:
        return 0 if record in self.document else None

    @property
    def head(self) -> Transcript:
        return self.transcript

    @property
    def transcript(self) -> Transcript:
        return self.window.judged.transcript

    @property
    def pairs(self) -> Sequence[Pair]:
        return self.window.judged.pairs

    @property
    def rows(self) -> Sequence[PairRow]:
        return self.window.rows

    def passing_rows(self) -> Sequence[PairRow]:
        return self.rows

    def row_filter(self, texts: Sequence[str]) -> RowPrefilter | None:
        return None

    @property
    def places(self) -> RowIndex:
        return self.window.places

    @property
    def by_id(self) -> Mapping[str, Sequence[Block]]:
        return self.window.by_id


class PlacesInWindows:
    """Where pairs, records and messages stand in the rows: asked of the window that they stand in."""

    def __init__(self, row: WindowRow) -> None:
        self._row = row

    def of_pair(self, index: int) -> int | None:
        begins = self._row.numbering.pairs
        if not 0 <= index < begins[-1]:
            return None
        number = bisect_right(begins, index) - 1
        return self._in_all(number, self._row.windows[number].places.of_pair(index - begins[number]))

    def of_record(self, record: int) -> int | None:
        number = self._row.window_of(record)
        if number is None:
            return None
        return self._in_all(number, self._row.windows[number].places.of_record(record))

    def of_part(self, record: int) -> int | None:
        number = self._row.window_of(record)
        if number is None:
            return None
        return self._in_all(number, self._row.windows[number].places.of_part(record))

    def of_message(self, number: int) -> int:
        windows, numbering = self._row.windows, self._row.numbering
        at = min(max(bisect_right(numbering.messages, number) - 1, 0), len(windows) - 1)
        while at >= 0:
            window = windows[at]
            local = number - numbering.messages[at] + window.checked.lead
            row = window.places.of_message_or_before(local)
            if row is not None:
                return numbering.rows[at] + row
            at -= 1
        return 0

    def _in_all(self, number: int, row: int | None) -> int | None:
        return None if row is None else self._row.numbering.rows[number] + row


class ScopesOfWindows(Mapping[int, Scope]):
    """The scopes of the records that are not active, looked for in the window that the record stands in."""

    def __init__(self, row: WindowRow) -> None:
        self._row = row

    def __getitem__(self, uid: int) -> Scope:
        number = self._row.window_of(uid)
        if number is None:
            raise KeyError(uid)
        return self._row.windows[number].judged.transcript.scopes[uid]

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(window.judged.transcript.scopes for window in self._row.windows)

    def __len__(self) -> int:
        return sum(len(window.judged.transcript.scopes) for window in self._row.windows)


class BlocksInWindows(Mapping[str, Sequence[Block]]):
    """The blocks by id, looked for in the window that the id stands in."""

    def __init__(self, row: WindowRow) -> None:
        self._row = row

    def __getitem__(self, id_: str) -> Sequence[Block]:
        windows = self._row.windows
        blocks = [block for at in self._row.windows_with(id_) for block in windows[at].by_id.get(id_, ())]
        if not blocks:
            raise KeyError(id_)
        return blocks

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(id_ for window in self._row.windows for id_ in window.by_id))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Joined(Sequence[T]):
    """What windows hold, in a row, made when it is asked for."""

    def __init__(self, row: WindowRow, starts: Sequence[int], get: Callable[[NumberedWindow, int], T]) -> None:
        self._row = row
        self._starts = starts
        self._get = get

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T, ...]: ...
    def __getitem__(self, key: int | slice) -> T | tuple[T, ...]:
        if isinstance(key, slice):
            return tuple(self[place] for place in range(*key.indices(len(self))))
        place = key + len(self) if key < 0 else key
        if not 0 <= place < len(self):
            raise IndexError("there is nothing at this place")
        number = bisect_right(self._starts, place) - 1
        return self._get(self._row.numbered(number), place - self._starts[number])

    def __iter__(self) -> Iterator[T]:
        for number, start in enumerate(self._starts[:-1]):
            window = self._row.numbered(number)
            for place in range(self._starts[number + 1] - start):
                yield self._get(window, place)
