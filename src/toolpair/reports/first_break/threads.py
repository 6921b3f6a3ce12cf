"""Which request continues which. Logs mix conversations, retry, trim and compact; each request holds its whole history.

A request continues the one with which it shares the longest beginning: at least two messages, or all of a request with
one. Otherwise the ids of its calls decide, otherwise its messages; what occurs in several conversations decides
nothing. What shares nothing begins a conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from toolpair.reports.first_break.request import Request

_LEAST: Final = 2
"""Messages at the beginning that two requests of one conversation share, unless one of them has only one."""
_SHARE: Final = 4
"""One in so many of its messages must be known for these to decide: people say "Yes, please." in all conversations."""
_SURE: Final = 4
"""A beginning that is a whole earlier request of so many messages needs no other evidence."""


class Threads:
    """Takes the requests of a log in the order in which they were sent."""

    def __init__(self) -> None:
        self._begins: dict[int, Request] = {}
        """Hash of the first messages -> the last request that begins so."""
        self._with_id: dict[int, Request] = {}
        self._with_message: dict[int, Request] = {}
        self._shared_ids: set[int] = set()
        """Ids that occur in several conversations."""
        self._shared_messages: set[int] = set()
        self._answered: dict[str, Request] = {}
        self._steps: list[int] = []
        """How many requests each conversation has."""

    def add(self, request: Request) -> None:
        """Find the request that it continues, and its conversation."""
        salt = hash(request.apart)
        begins = list(accumulate(request.hashes, _and_then, initial=salt))[1:]
        ids = [hash((salt, id_)) for id_ in request.ids] if request.apart is not None else request.ids
        messages = [hash((salt, one)) for one in request.hashes] if request.apart is not None else request.hashes
        request.before = before = self._before(request, begins, ids, messages)
        if before is None:
            self._steps.append(0)
            request.conversation = len(self._steps)
        else:
            request.conversation = before.conversation
        self._steps[request.conversation - 1] += 1
        request.step = self._steps[request.conversation - 1]
        _note(request, ids, self._with_id, self._shared_ids)
        _note(request, messages, self._with_message, self._shared_messages)
        self._begins.update(dict.fromkeys(begins, request))
        if request.response_id is not None:
            self._answered[request.response_id] = request

    @property
    def conversations(self) -> int:
        return len(self._steps)

    def _before(
        self, request: Request, begins: Sequence[int], ids: Sequence[int], messages: Sequence[int]
    ) -> Request | None:
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
                other = self._by_votes(ids, self._with_id, self._shared_ids)
                if other is None or (whole and other.conversation == owner.conversation):
                    return owner
                return other
        return self._by_votes(ids, self._with_id, self._shared_ids) or self._by_votes(
            messages, self._with_message, self._shared_messages, len(messages) / _SHARE
        )

    @staticmethod
    def _by_votes(
        keys: Iterable[int], holders: dict[int, Request], shared: set[int], least: float = 0
    ) -> Request | None:
        """The last request, of the conversation that most of the keys are known from, that has one of them.

        None where fewer than `least` are.
        """
        found = [holder for key in keys if key not in shared and (holder := holders.get(key)) is not None]
        if not found:
            return None
        best, count = Counter(holder.conversation for holder in found).most_common(1)[0]
        if count < least:
            return None
        return max((holder for holder in found if holder.conversation == best), key=_step)


def _and_then(so_far: int, message: int) -> int:
    return hash((so_far, message))


def _step(request: Request) -> int:
    return request.step


def _note(request: Request, keys: Sequence[int], holders: dict[int, Request], shared: set[int]) -> None:
    for key in keys:
        holder = holders.get(key)
        if holder is not None and holder.conversation != request.conversation:
            shared.add(key)
    holders.update(dict.fromkeys(keys, request))
