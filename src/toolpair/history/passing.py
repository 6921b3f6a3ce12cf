"""One pass through all messages of a conversation, window by window: what is read for it is not kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from toolpair.formats.format import Item
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.conversation import Conversation
from toolpair.history.summary import PairRow, rows_across
from toolpair.history.window import stretches
from toolpair.history.window_checks import ReportedWindow
from toolpair.rules.problem import Problem
from toolpair.transcript.model import Message
from toolpair.transcript.pairing import Pair


class Passage(Struct, frozen=True, eq=False, dict=True):
    """The messages of a window, with its pairs. Numbers of messages and pairs inside are its own."""

    messages: Sequence[Message]
    pairs: Sequence[Pair]
    items: Sequence[Item]
    first: int
    """What to add to the number of a message for its number in the conversation."""
    first_pair: int
    """The same for pairs."""
    read: CheckedRecords
    sound: bool
    """Whether it is known to have no problem."""
    again: Sequence[tuple[Problem, Problem]]
    """Where only what was found is kept of the window: each of its problems, and the same with all that it is about."""
    lead: int
    end: int
    """The messages from `lead` to before `end` are the window's own, the others stand for what is around it."""

    @cached_property
    def values(self) -> Mapping[int, Any]:
        """The values of its records, by uid."""
        return {item.uid: item.value for item in self.items}

    @property
    def across(self) -> Iterator[tuple[int, PairRow]]:
        """The rows that are no part of a message, each with the number of the message that follows it."""
        document = self.read.document
        order = None
        if not self.sound and document is not None:
            order = {record.uid: number for number, record in enumerate(document.records)}
        for number, row in rows_across(self.read, order):
            if row.record != -1:  # else it stands for what is around the window
                yield number, row


def passages(conversation: Conversation) -> Iterator[Passage]:
    """The conversation from its beginning to its end."""
    numbering = conversation.numbering
    for numbers, window in stretches(conversation.windows):
        number = numbers.start
        again: Sequence[tuple[Problem, Problem]] = ()
        if window.looked_at or not window.clean:
            checked = window.judged
            if isinstance(window.checked, ReportedWindow):
                # Only what was found is kept of it: it is read, and checked, once more.
                checked = window.read_again()
                known = conversation.problems_by_window.get(number, ())
                there = {problem.rule for problem in known}
                own = [one for one in checked.problems if one.rule in there]  # one may stand with another window's
                again = tuple(zip(known, conversation.as_in_the_whole(number, own), strict=True))
            pairs: Sequence[Pair] = checked.pairs
        else:
            # Nothing in it is a problem, so its pairs need not be checked.
            checked = window.read_again()
            pairs = checked.pairing.pairs
        lead = checked.transcript.lead
        first, first_pair = numbering.messages[number] - lead, numbering.pairs[number]
        yield Passage(
            checked.transcript.messages,
            pairs,
            checked.items,
            first,
            first_pair,
            checked,
            window.clean,
            again,
            lead,
            numbering.messages[numbers.stop] - first,
        )
