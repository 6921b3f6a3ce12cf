"""What the model sees, as rows to print: the parts of the request, interleaved with what is left out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.anthropic import STAND_INS
from toolpair.dialects.sent_parts import part_id, part_media, part_text, part_type
from toolpair.formats.format import SentMessage, SentPart, SentRequest
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.conversation import Conversation
from toolpair.history.window import Window, stretches
from toolpair.transcript.model import Block, Message, Transcript

T = TypeVar("T")
RowFate = Literal["sent", "changed", "shortened", "added", "inherited", "dropped", "replaced"]
"""What happens to a block of the file; "added": created by the agent, "inherited": from another file."""


UNKNOWN_SENDER: Final = (
    "It is not known which program sends this history, or what it changes. Sent as the file has it, the model sees "
    "this:"
)


class SeenRow(Struct, frozen=True, eq=False):
    """One block of the request, or one that is left out of it."""

    message: int | None
    """The message of the request, from 0; None for what is left out."""
    role: str
    value: Any
    block: Block | None
    """Its place in the file; None when the agent adds it, or takes it from another file."""
    fate: RowFate

    @property
    def text(self) -> str:
        """What the model reads in it."""
        return part_text(self.value, self.block)

    @property
    def id(self) -> str | None:
        return part_id(self.value, self.block)

    @property
    def type(self) -> str:
        return part_type(self.value, self.block)

    @property
    def media(self) -> str:
        """Of an image its data, or its address."""
        return part_media(self.value)


def messages_sent(judged: CheckedRecords) -> tuple[SentMessage, ...]:
    """The messages of the request; those of the file itself if no known agent changes them."""
    if judged.seen is not None:
        return judged.seen.messages
    return tuple(
        SentMessage(str(message.role), tuple(map(SentPart.of, message.blocks)))
        for message in own_messages(judged.transcript)
    )


def request_sent(conversation: Conversation) -> SentRequest | None:
    """The request that is sent; of a long conversation its messages are those of one window. None: nobody is known."""
    windows = [window for window in conversation.windows if not window.replaced]
    refused = next((window for window in windows if window.refuses is not None), None)
    return _of_window(conversation, refused or windows[0]).seen if windows else None


def _of_window(conversation: Conversation, window: Window) -> CheckedRecords:
    # Where problems are to be reported alone, nothing else is kept of a window.
    known = window.looked_at and not conversation.reading.view.reporting
    return window.judged if known else window.read_again()


def sent_by_window(conversation: Conversation) -> Iterator[tuple[CheckedRecords, Sequence[SentMessage] | None]]:
    """Of each window what is sent of its records, one after the other; what is read for it is not kept.

    None: it runs together with what is around it, which only the whole shows.
    """
    if not conversation.fixes_are_local:
        yield conversation.judged, messages_sent(conversation.judged)
        return
    for _, window in stretches(conversation.windows):
        if not window.replaced:
            judged = _of_window(conversation, window)
            yield judged, _own(judged)


def rows_sent(conversation: Conversation) -> Iterator[SeenRow]:
    """All rows of a conversation in order."""
    for first, row in made_of_rows(conversation, lambda row: row):
        yield row if row.message is None or not first else replace(row, message=row.message + first)


Known = dict[tuple[object, ...], tuple[int, list[T]]]
"""By what windows say: how many messages are sent of them, and what was made of their rows."""


def made_of_rows(
    conversation: Conversation, make: Callable[[SeenRow], T], known: Known[T] | None = None
) -> Iterator[tuple[int, T]]:
    """What is made of each row in order, with what to add to the number of its message.

    `known` is filled. What it has of another state of the conversation, before or after fixes, is not read again.
    """
    if not conversation.fixes_are_local:
        yield from ((0, make(row)) for row in seen_rows(conversation.judged))
        return
    first = count = 0
    for numbers, window in stretches(conversation.windows):
        if window.replaced:
            continue
        says = tuple(one.origin for one in conversation.windows[numbers.start : numbers.stop])
        found: tuple[int, Iterable[T]] | None = known.get(says) if known is not None else None
        if found is None:
            judged = _of_window(conversation, window)
            own = _own(judged)
            if own is None:
                yield from ((0, make(row)) for row in islice(seen_rows(conversation.judged), count, None))
                return
            found = len(own), map(make, seen_rows(judged, own))
            if known is not None:
                found = known[says] = found[0], [*found[1]]
        for row in found[1]:
            yield first, row
            count += 1
        first += found[0]


def _own(judged: CheckedRecords) -> Sequence[SentMessage] | None:
    """What is sent of the records of a window, without what stands for its surroundings; None if that is not known."""
    seen, transcript = judged.seen, judged.transcript
    if seen is None or transcript.edges is None:
        return messages_sent(judged)
    return transcript.frame.theirs(seen.messages) if transcript.frame is not None else None


def own_messages(transcript: Transcript) -> Sequence[Message]:
    """The messages of the records themselves."""
    edges = transcript.edges
    tail = len(STAND_INS.after) if edges is not None and edges.after else 0
    return transcript.messages[transcript.lead : len(transcript.messages) - tail]


def seen_rows(judged: CheckedRecords, sent: Sequence[SentMessage] | None = None) -> Iterator[SeenRow]:
    """All rows in order. What is left out is where the file has it.

    `sent`: the messages of the request that are theirs, where not all are, whose numbers begin at 0.
    """
    fates = judged.seen.fates if judged.seen is not None else {}
    messages = own_messages(judged.transcript)
    home = {
        id(block): (number, place)
        for number, message in enumerate(messages)
        for place, block in enumerate(message.blocks)
    }
    left_out = [
        (number, place, str(message.role), block)
        for number, message in enumerate(messages)
        for place, block in enumerate(message.blocks)
        if fates.get(id(block)) in ("dropped", "replaced")
    ]
    next_lost = 0
    shortened = judged.seen.shortened if judged.seen is not None else frozenset()
    for number, message in enumerate(messages_sent(judged) if sent is None else sent):
        for part in message.parts:
            if message.inherited:
                yield SeenRow(number, message.role, part.value, None, "inherited")
                continue
            at = home.get(id(part.block)) if part.block is not None else None
            while at is not None and next_lost < len(left_out) and left_out[next_lost][:2] < at:
                yield _lost(left_out[next_lost], fates)
                next_lost += 1
            fate: RowFate = "sent"
            if part.block is None:
                fate = "added"
            elif id(part.block) in shortened:
                fate = "shortened"
            elif fates.get(id(part.block)) == "changed":
                fate = "changed"
            yield SeenRow(number, message.role, part.value, part.block, fate)
    for lost in left_out[next_lost:]:
        yield _lost(lost, fates)


def _lost(found: tuple[int, int, str, Block], fates: Any) -> SeenRow:
    _, _, role, block = found
    fate: RowFate = "replaced" if fates.get(id(block)) == "replaced" else "dropped"
    return SeenRow(None, role, SentPart.of(block).value, block, fate)
