"""Words are sent only if they are on the chain; results are found beside it, too. What was a result is put on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from toolpair.formats.claude_code.removing import Removing
from toolpair.formats.claude_code.responses import Responses
from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage


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
