"""What windows hold, in a row: numbered as in the whole, and made when it is asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeVar, overload

from toolpair.history.window import NumberedWindow, Offsets, Window
from toolpair.source.offsets import shift_offsets
from toolpair.transcript.model import Block, Scope

if TYPE_CHECKING:
    from toolpair.history.conversation import Conversation

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


class PlacesInWindows:
    """Where pairs, records and messages stand in the rows: asked of the window that they stand in."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def of_pair(self, index: int) -> int | None:
        conversation = self._conversation
        begins = conversation.numbering.pairs
        if not 0 <= index < begins[-1]:
            return None
        number = bisect_right(begins, index) - 1
        return self._row(number, conversation.windows[number].places.of_pair(index - begins[number]))

    def of_record(self, record: int) -> int | None:
        number = self._conversation.window_of(record)
        if number is None:
            return None
        return self._row(number, self._conversation.windows[number].places.of_record(record))

    def of_part(self, record: int) -> int | None:
        number = self._conversation.window_of(record)
        if number is None:
            return None
        return self._row(number, self._conversation.windows[number].places.of_part(record))

    def of_message(self, number: int) -> int:
        conversation = self._conversation
        at = min(max(bisect_right(conversation.numbering.messages, number) - 1, 0), len(conversation.windows) - 1)
        while at >= 0:
            window = conversation.windows[at]
            local = number - conversation.numbering.messages[at] + window.checked.lead
            row = window.places.of_message_or_before(local)
            if row is not None:
                return conversation.numbering.rows[at] + row
            at -= 1
        return 0

    def _row(self, number: int, row: int | None) -> int | None:
        return None if row is None else self._conversation.numbering.rows[number] + row


class ScopesOfWindows(Mapping[int, Scope]):
    """The scopes of the records that are not active, looked for in the window that the record stands in."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def __getitem__(self, uid: int) -> Scope:
        number = self._conversation.window_of(uid)
        if number is None:
            raise KeyError(uid)
        return self._conversation.windows[number].judged.transcript.scopes[uid]

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(window.judged.transcript.scopes for window in self._conversation.windows)

    def __len__(self) -> int:
        return sum(len(window.judged.transcript.scopes) for window in self._conversation.windows)


class BlocksInWindows(Mapping[str, Sequence[Block]]):
    """The blocks by id, looked for in the window that the id stands in."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def __getitem__(self, id_: str) -> Sequence[Block]:
        windows = self._conversation.windows
        blocks = [block for at in self._conversation.windows_with(id_) for block in windows[at].by_id.get(id_, ())]
        if not blocks:
            raise KeyError(id_)
        return blocks

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(id_ for window in self._conversation.windows for id_ in window.by_id))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Joined(Sequence[T]):
    """What windows hold, in a row, made when it is asked for."""

    def __init__(
        self, conversation: Conversation, starts: Sequence[int], get: Callable[[NumberedWindow, int], T]
    ) -> None:
        self._conversation = conversation
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
        return self._get(self._conversation.numbered(number), place - self._starts[number])

    def __iter__(self) -> Iterator[T]:
        for number, start in enumerate(self._starts[:-1]):
            window = self._conversation.numbered(number)
            for place in range(self._starts[number + 1] - start):
                yield self._get(window, place)
