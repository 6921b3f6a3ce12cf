"""Leaving out as much as possible of a session, in a limited number of checks: the best so far is always at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from toolpair.history.sent_rows import own_messages
from toolpair.reports.excerpt.oracle import MOST_CHECKS, Chosen, Oracle
from toolpair.reports.excerpt.parts import Block, Parts, members_around
from toolpair.session.session import Session
from toolpair.transcript.model import Message
from toolpair.transcript.pairing import Pair

T = TypeVar("T")
_SMALL: Final = 4_000
"""Bytes of an excerpt that nobody needs smaller."""
_CLOSE: Final = (0, 1, 3)
"""How many messages around those of the problem are tried first: one exchange may hold a thousand of them."""
_AROUND: Final = (0, 1, 3, 10, 50)
"""How many exchanges around those of the problem are tried before the whole session is."""


def smallest(session: Session, chosen: Chosen, oracle: Oracle) -> bytes | None:
    """The smallest part found of a session that shows the problem; None if not even all of it does.

    Where records name the ones before them, those that follow one that is left out are linked to the nearest one that
    is kept. A broken link must not be healed by that: such problems are first cut without.
    """
    about_links = chosen.problem.rule.startswith("chain.")
    best: bytes | None = None
    for relink in (False, True) if about_links else (True,):
        cut = Cut(Parts(session, chosen.conversation, relink), oracle, chosen)
        oracle.limit = MOST_CHECKS // 2 if about_links and not relink else MOST_CHECKS
        found = cut.run()
        if found is not None and (best is None or len(found) < len(best)):
            best = found
        if best is not None and len(best) < _SMALL:
            break
    return best


class Cut:
    """The smallest part of a session that is known to show the problem."""

    def __init__(self, parts: Parts, oracle: Oracle, chosen: Chosen) -> None:
        self._parts = parts
        self._oracle = oracle
        self._conversation = chosen.conversation
        self._problem = chosen.problem
        self._said: dict[int, tuple[_Said, ...]] = {}
        self._kept: frozenset[int] = frozenset(parts.uids)
        self._without: frozenset[Block] = frozenset()
        self.best: bytes | None = None

    def run(self) -> bytes | None:
        """The part, or None if not even all of it shows the problem."""
        if not self._begin():
            return None
        self._parts.narrow(self._kept)
        head = frozenset(self._parts.head())
        groups = [group for group in self._exchanges(self._kept) if not head.issuperset(group)]
        self._leave_out(groups, head)
        self._leave_out(self._together(), head)
        self._leave_out([[uid] for uid in sorted(self._kept)], head)
        self._leave_out_blocks()
        self._leave_out_around()
        return self.best

    def _try(self, kept: frozenset[int], without: frozenset[Block] | None = None) -> bool:
        without = self._without if without is None else without
        data = self._parts.to_bytes(kept, without)
        if data is None or (self.best is not None and len(data) >= len(self.best)) or not self._oracle.shows(data):
            return False
        self._kept, self._without, self.best = kept, without, data
        return True

    # Where it begins

    def _begin(self) -> bool:
        """Start from the exchanges of the problem and its evidence, or else from more of what is around them."""
        evidence = self._evidence()
        head = frozenset(self._parts.head())
        for kept in self._close_to(evidence):
            if len(kept | head) < len(self._parts.uids) and self._try(kept | head):
                return True
        everything = frozenset(self._parts.uids)
        groups = self._exchanges(everything)
        own = [number for number, group in enumerate(groups) if not evidence.isdisjoint(group)]
        sent = {uid for message in self._messages(everything) for uid in message.records}
        for width in _AROUND if own else ():
            near = {number for at in own for number in range(max(at - width, 0), min(at + width + 1, len(groups)))}
            around = frozenset(uid for number in near for uid in groups[number])
            for kept in dict.fromkeys(((around & sent) | evidence | head, around | evidence | head)):
                if len(kept) < len(self._parts.uids) and self._try(kept):
                    return True
            if len(near) == len(groups):
                break
        return self._try(everything)

    def _close_to(self, evidence: frozenset[int]) -> Iterator[frozenset[int]]:
        """The evidence, and with it ever more messages around, and what a person said before."""
        messages = self._messages(evidence, _CLOSE[-1])
        own = [number for number, message in enumerate(messages) if not evidence.isdisjoint(message.records)]
        begins = {self._beginning(messages, number) for number in own}
        known: set[frozenset[int]] = set()
        for width in _CLOSE:
            near = {at for number in own for at in range(number - width, number + width + 1)}
            wanted = {at for at in (near | begins if width else near) if 0 <= at < len(messages)}
            kept = evidence | {uid for at in wanted for uid in messages[at].records}
            if kept and kept not in known:
                known.add(kept)
                yield kept

    def _messages(self, uids: frozenset[int], around: int = 0) -> list[_Said]:
        """What is said in the windows of these records and in some around each, back to where an exchange begins."""
        numbers: set[int] = set()
        for own in self._windows(uids):
            first = max(own - around, 0)
            while around and first and not any(message.begins for message in self._said_in(first)):
                first -= 1
            numbers.update(range(first, min(own + around + 1, len(self._conversation.windows))))
        return [message for number in sorted(numbers) for message in self._said_in(number)]

    def _said_in(self, number: int) -> tuple[_Said, ...]:
        if number not in self._said:
            window = self._conversation.windows[number]
            judged = window.read_again() if window.clean and not window.looked_at else window.judged
            messages = own_messages(judged.transcript)
            self._said[number] = tuple(
                _Said(message.records, message.role == "user" and not message.results) for message in messages
            )
        return self._said[number]

    @staticmethod
    def _beginning(messages: Sequence[_Said], number: int) -> int:
        """The number of the message that its exchange begins with."""
        while number > 0 and not messages[number].begins:
            number -= 1
        return number

    def _evidence(self) -> frozenset[int]:
        """The records that the problem names."""
        problem = self._problem
        found = {block.record for block in (problem.call, problem.result, *problem.others) if block is not None}
        if problem.record is not None:
            found.add(problem.record)
        if problem.about is not None:
            found.update(problem.about.records)
        pairs = self._conversation.pairs
        for index in {*problem.pairs, *((problem.pair,) if problem.pair is not None else ())}:
            pair = pairs[index]
            found.update(block.record for block in (pair.call, *pair.results) if block is not None)
        place = {uid: number for number, uid in enumerate(self._parts.uids)}
        if problem.record in place and problem.until in place:
            found.update(self._parts.uids[place[problem.record] : place[problem.until] + 1])
        return frozenset(uid for uid in found if uid in place)

    def _exchanges(self, within: frozenset[int]) -> list[list[int]]:
        """The records in groups: what a person said and all that follows, with what stands between in the file."""
        said = self._messages(within)
        begins = {message.records[0] for message in said if message.records and message.begins}
        groups: list[list[int]] = []
        for uid in self._parts.uids:
            if uid in begins or not groups:
                groups.append([])
            if uid in within:
                groups[-1].append(uid)
        return [group for group in groups if group]

    # What is kept

    def _windows(self, uids: frozenset[int]) -> list[int]:
        """The numbers of the windows that hold any of these records."""
        return sorted({at for uid in uids if (at := self._conversation.window_of(uid)) is not None})

    def _own(self, number: int) -> Sequence[Message]:
        return own_messages(self._conversation.windows[number].judged.transcript)

    def _pairs(self) -> Iterator[Pair]:
        """The pairs that stand near it."""
        first = self._conversation.numbering.pairs
        for number in self._windows(self._kept):
            yield from self._conversation.pairs[first[number] : first[number + 1]]

    # Leaving out

    def _together(self) -> list[list[int]]:
        """Records that go together: those of a call and of its own result, unless they are the problem."""
        problem = self._problem
        own = {*problem.pairs, problem.pair}
        group = {uid: [uid] for uid in sorted(self._kept)}
        for pair in self._pairs():
            if pair.index in own or pair.call is None:
                continue
            for block in pair.results:
                one, other = group.get(pair.call.record), group.get(block.record)
                if one is not None and other is not None and one is not other:
                    one += other
                    for uid in other:
                        group[uid] = one
        return [found for uid, found in group.items() if found[0] == uid]

    def _leave_out(self, groups: Sequence[Sequence[int]], head: frozenset[int]) -> None:
        def without(out: Iterable[Sequence[int]]) -> bool:
            gone = {uid for group in out for uid in group} - head
            return bool(gone & self._kept) and self._try(self._kept - gone)

        _reduce(groups, without, lambda: self._oracle.used_up)

    def _leave_out_blocks(self) -> None:
        """Blocks of messages that have more than one; a call and its own result at once."""
        blocks: dict[Block, list[Block]] = {}
        for message in (message for number in self._windows(self._kept) for message in self._own(number)):
            for block in message.blocks:
                if block.record in self._kept and block.slot and isinstance(block.slot[-1], int):
                    blocks[block.key] = [block.key]
        own = {*self._problem.pairs, self._problem.pair}
        for pair in self._pairs():
            if pair.index not in own and pair.call is not None and pair.call.key in blocks:
                for result in pair.results:
                    blocks[pair.call.key].append(result.key)
                    blocks.pop(result.key, None)

        def without(out: Iterable[Sequence[Block]]) -> bool:
            return self._try(self._kept, self._without | {block for group in out for block in group})

        _reduce(list(blocks.values()), without, lambda: self._oracle.used_up)

    def _leave_out_around(self) -> None:
        """What stands around the messages of a request body."""
        if self.best is None or self.best.lstrip()[:1] != b"{" or self._conversation.source.outer is None:
            return
        at = 0
        while not self._oracle.used_up:
            stretches = list(members_around(self.best))
            if at >= len(stretches):
                return
            start, end = stretches[at]
            data = self.best[:start] + self.best[end:]
            if self._oracle.shows(data):
                self.best = data
            else:
                at += 1


def _reduce(
    groups: Sequence[Sequence[T]], without: Callable[[Iterable[Sequence[T]]], bool], stop: Callable[[], bool]
) -> None:
    """Leave out groups, many at once first; `without` says whether it was possible, and does it."""
    left = list(groups)
    size = len(left)
    while size and left and not stop():
        at = 0
        while at < len(left) and not stop():
            if without(left[at : at + size]):
                del left[at : at + size]
            else:
                at += size
        size //= 2


class _Said(NamedTuple):
    """What is kept of a message: a long session has many."""

    records: tuple[int, ...]
    begins: bool
    """A person begins an exchange with it."""
