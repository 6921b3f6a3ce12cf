"""One pass through all messages of a conversation, window by window: what is read for it is not kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from toolpair.formats.format import Item
from toolpair.history.conversation import Conversation
from toolpair.history.window import Window
from toolpair.transcript.model import Message
from toolpair.transcript.pairing import Pair, pair


class Passage(Struct, frozen=True, eq=False, dict=True):
    """The messages of a window, with its pairs. Numbers of messages and pairs inside are its own."""

    messages: Sequence[Message]
    pairs: Sequence[Pair]
    items: Sequence[Item]
    first: int
    """What to add to the number of a message for its number in the conversation."""
    first_pair: int
    """The same for pairs."""
    lead: int
    end: int
    """The messages from `lead` to before `end` are the window's own, the others stand for what is around it."""

    @cached_property
    def values(self) -> Mapping[int, Any]:
        """The values of its records, by uid."""
        return {item.uid: item.value for item in self.items}


def passages(conversation: Conversation) -> Iterator[Passage]:
    """The conversation from its beginning to its end."""
    numbering = conversation.numbering
    for number, window in enumerate(conversation.windows):
        yield _passage(window, numbering.messages[number], numbering.pairs[number], numbering.messages[number + 1])


def _passage(window: Window, first: int, first_pair: int, end: int) -> Passage:
    if window.looked_at or not window.clean:
        checked = window.judged
        pairs: Sequence[Pair] = checked.pairs
    else:
        # Nothing in it is a problem, so its pairs need not be checked.
        unread = window.unread
        checked = unread.reading.judged(unread.document, unread.edges)
        pairs = pair(checked.transcript).pairs
    transcript = checked.transcript
    lead = transcript.lead
    return Passage(transcript.messages, pairs, checked.items, first - lead, first_pair, lead, lead + end - first)
