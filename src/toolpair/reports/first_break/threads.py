"""Which request continues which. Logs mix conversations, retry, trim and compact; each request holds its whole history.

A request continues the one with which it shares the longest beginning: at least two messages, or all of a request with
one. Otherwise its calls and results decide, then their ids, then its other messages; what occurs in several
conversations decides nothing. What shares nothing begins a conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

from toolpair.reports.first_break.request import Request

_LEAST: Final = 2
"""Messages at the beginning that two requests of one conversation share, unless one of them has only one."""
_IDS: Final = 2
"""One in so many of its ids must be known for these to decide: some clients make ids that repeat."""
_MESSAGES: Final = 4
"""The same for messages: people say "Yes, please." in all conversations."""
_SURE: Final = 4
"""A beginning that is a whole earlier request of so many messages needs no other evidence."""


class Threads:
    """Takes the requests of a log in the order in which they were sent."""

    def __init__(self) -> None:
        self._begins: dict[int, Request] = {}
        """Hash of the first messages -> the last request that begins so."""
        self._ids = _Holders()
        self._messages = _Holders()
        self._answered: dict[str, Request] = {}
        self._steps: list[int] = []
        """How many requests each conversation has."""

    def add(self, request: Request) -> None:
        """Find the request that it continues, and its conversation."""
        begins = list(accumulate(request.hashes, lambda *both: hash(both), initial=hash(request.apart)))[1:]
        keys = _Keys(*(_salted(of, request.apart) for of in (request.paired, request.ids, request.hashes)))
        request.before = before = self._before(request, begins, keys)
        if before is None:
            self._steps.append(0)
            request.conversation = len(self._steps)
        else:
            request.conversation = before.conversation
        self._steps[request.conversation - 1] += 1
        request.step = self._steps[request.conversation - 1]
        self._ids.note(request, keys.ids)
        self._messages.note(request, keys.messages)
        self._begins.update(dict.fromkeys(begins, request))
        if request.response_id is not None:
            self._answered[request.response_id] = request

    @property
    def conversations(self) -> int:
        return len(self._steps)

    def _before(self, request: Request, begins: Sequence[int], keys: _Keys) -> Request | None:
        if request.continues is not None and request.continues in self._answered:
            return self._answered[request.continues]
        shared = len(begins)
        while shared and begins[shared - 1] not in self._begins:
            shared -= 1
        owner = self._begins[begins[shared - 1]] if shared else None
        if owner is not None:
            whole = shared == len(owner.hashes)
            if whole and shared >= _SURE:
                return owner
            if shared >= _LEAST or len(owner.hashes) == 1 or len(begins) == 1:
                other = self._by_pairs(keys)
                if other is None or (whole and other.conversation == owner.conversation):
                    return owner
                return other
        return self._by_pairs(keys) or self._messages.vote(keys.messages, len(keys.messages) / _MESSAGES)

    def _by_pairs(self, keys: _Keys) -> Request | None:
        """A call or a result that is the same with its id says more than the id alone."""
        return self._messages.vote(keys.paired, 0) or self._ids.vote(keys.ids, len(keys.ids) / _IDS)


class _Keys(NamedTuple):
    """By what a request can be known."""

    paired: Sequence[int]
    ids: Sequence[int]
    messages: Sequence[int]


class _Holders:
    """Who has a key: the last request, and whether several conversations do."""

    def __init__(self) -> None:
        self._last: dict[int, Request] = {}
        self._shared: set[int] = set()

    def note(self, request: Request, keys: Sequence[int]) -> None:
        for key in keys:
            holder = self._last.get(key)
            if holder is not None and holder.conversation != request.conversation:
                self._shared.add(key)
        self._last.update(dict.fromkeys(keys, request))

    def vote(self, keys: Sequence[int], least: float) -> Request | None:
        """The last request, of the conversation that most of the keys are known from, that has one of them.

        None where fewer than `least` are.
        """
        found = [holder for key in keys if key not in self._shared and (holder := self._last.get(key)) is not None]
        if not found:
            return None
        best, count = Counter(holder.conversation for holder in found).most_common(1)[0]
        if count < least:
            return None
        return max((holder for holder in found if holder.conversation == best), key=attrgetter("step"))


def _salted(keys: Sequence[int], apart: str | None) -> Sequence[int]:
    """The keys of requests that are surely of other conversations are others."""
    return keys if apart is None else [hash((apart, key)) for key in keys]
