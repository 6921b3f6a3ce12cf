"""One pass through all messages of a conversation, window by window: what is read for it is not kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.format import Item
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.conversation import Conversation
from toolpair.history.summary import PairRow, rows_across
from toolpair.history.window import Window
from toolpair.history.window_checks import ReportedWindow
from toolpair.rules.judge import Judgement
from toolpair.transcript.model import Message
from toolpair.transcript.pairing import Pair, Pairing, pair


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
    for number, window in enumerate(conversation.windows):
        yield _passage(window, numbering.messages[number], numbering.pairs[number], numbering.messages[number + 1])


def _passage(window: Window, first: int, first_pair: int, end: int) -> Passage:
    if window.looked_at or not window.clean:
        checked = window.judged
        pairs: Sequence[Pair] = checked.pairs
        if isinstance(window.checked, ReportedWindow):
            # Only its problems are kept. What they were found in is read again, and is paired alike.
            content = window.read_again()
            found = pair(content.transcript).pairs
            for each, known in zip(found, pairs, strict=True):
                each.state = known.state
            pairs = found
            checked = replace(content, as_judged=Judgement(Pairing(found, {}), tuple(checked.problems)))
    else:
        # Nothing in it is a problem, so its pairs need not be checked.
        checked = window.read_again()
        pairs = pair(checked.transcript).pairs
    transcript = checked.transcript
    lead = transcript.lead
    return Passage(
        transcript.messages,
        pairs,
        checked.items,
        first - lead,
        first_pair,
        checked,
        window.clean,
        lead,
        lead + end - first,
    )
