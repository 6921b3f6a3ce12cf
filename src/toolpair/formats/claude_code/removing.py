"""Removing records from the chain, and from the file: their children link to the record before.

What was a result and becomes words is put on the chain: beside it the agent finds only results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from toolpair.formats.claude_code import compaction
from toolpair.formats.claude_code.responses import Responses
from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage


class Removing:
    def __init__(self, work: Working, responses: Responses) -> None:
        self._work = work
        self._responses = responses
        self.heirs: dict[str, str] = {}
        """uuid of a removed record -> uuid of the one before it."""

    def unchain(self, line: DraftMessage) -> None:
        """Remove it from the chain: its children link to its parent."""
        work = self._work
        parent = work.parent_of(line)
        for child in work.chain_children_of(line):
            work.link(child, self._heir(line, child, parent))
        work.on_chain.discard(line.uid)

    def remove(self, line: DraftMessage) -> None:
        """Remove the record from the file."""
        work = self._work
        if not work.is_there(line):
            return
        own, parent = work.id_of(line), work.parent_of(line)
        passed = {own}
        while parent in self.heirs and parent not in passed:  # the agent took it for a lost parent
            passed.add(parent)
            parent = self.heirs[parent]
        heirs = []
        for child in work.children_of(line):
            heirs.append(self._heir(line, child, parent))
            work.link(child, heirs[-1])
        work.take_out(line)
        work.on_chain.discard(line.uid)
        if own is not None and parent is not None:
            self.heirs[own] = parent
        for heir in heirs:
            above = work.named(heir)
            while above is not None and above.uid not in work.on_chain and work.is_there(above):
                work.on_chain.add(above.uid)
                above = work.named(work.parent_of(above))
        for double in work.doubles_of(line):
            work.take_out(double)
        compaction.forget(work, line, parent)

    def _heir(self, line: DraftMessage, child: DraftMessage, parent: str | None) -> str | None:
        """The new parent for a child of `line`: that of `line`, unless the rest of a response would be lost."""
        work, responses = self._work, self._responses
        number = responses.message_of.get(line.uid)
        if number is None or child.uid not in work.on_chain:
            return parent
        if responses.messages[number].role == "user":
            number -= 1
        if number < 0 or responses.messages[number].role != "assistant":
            return parent

        def is_left(other: DraftMessage) -> bool:
            """Of the response or its results, and there without `line`."""
            return responses.has(number, other) and work.is_there(other) and other is not line

        if is_left(child):
            return parent
        above = work.named(parent)
        if above is None or is_left(above):
            return parent
        group = responses.group(number)
        of_results = responses.message_of.get(line.uid) != number
        if of_results and any(is_left(other) and other.uid in work.on_chain for other in group):
            return parent
        answers = [other for other in responses.answers.of(number) if is_left(other)]
        heirs = [other for other in (answers or filter(is_left, group)) if work.id_of(other) is not None]
        return work.id_of(max(heirs, key=work.place)) if heirs else parent


def keep_words_in_chain(work: Working, responses: Responses, removing: Removing, lines: Iterable[DraftMessage]) -> None:
    """Put those of the lines that hold only words on the chain, after their response and all its results."""
    last_of: dict[int, int] = {}
    turns: dict[int, _Turn] = {}
    for line in lines:
        if not work.is_there(line) or work.get(line, "type") != "user" or work.id_of(line) is None:
            continue
        if work.has_result(line) or not work.values(line):
            continue
        number = responses.message_of.get(line.uid)
        if number is None or number == 0 or responses.messages[number - 1].role != "assistant":
            continue
        group = responses.group(number - 1)
        if number not in last_of:
            last_of[number] = max((work.chain_index.get(other.uid, -1) for other in group), default=-1)
        wedged = last_of[number] > work.chain_index.get(line.uid, -1)
        if line.uid in work.on_chain and not wedged:
            continue
        if line.uid in work.on_chain:
            removing.unchain(line)
        if number not in turns:
            turns[number] = _Turn(work, (*group, *responses.group(number)))
        _put_after_all(work, line, turns[number])


def _put_after_all(work: Working, line: DraftMessage, turn: _Turn) -> None:
    tail = turn.last_beside(line)
    if tail is None:
        return
    tail = work.last_new_after(tail)
    followers = work.chain_children_of(tail)
    work.link(line, work.id_of(tail))
    work.lead_through(line, followers)
    work.put_after(line, tail)
    turn.put_in(line)


class _Turn:
    """The lines of a response and of its results, by their place on the chain."""

    def __init__(self, work: Working, lines: Sequence[DraftMessage]) -> None:
        self._work = work
        self._entries = {
            line.uid: (-work.chain_index.get(line.uid, -1), number, line)
            for number, line in reversed(list(enumerate(lines)))
        }
        self._waiting = list(self._entries.values())
        heapify(self._waiting)

    def last_beside(self, line: DraftMessage) -> DraftMessage | None:
        """The last of those on the chain, except `line`."""
        work = self._work
        while self._waiting:
            found = self._waiting[0][2]
            there = work.is_there(found) and found.uid in work.on_chain and work.id_of(found) is not None
            if found is not line and there:
                return found
            heappop(self._waiting)
        return None

    def put_in(self, line: DraftMessage) -> None:
        """The line is on the chain now."""
        if line.uid in self._entries:
            heappush(self._waiting, self._entries[line.uid])
