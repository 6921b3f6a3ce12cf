"""Reading lists of messages stretch by stretch: what is the same for all shapes.

The loop runs once for each message of histories that have hundreds of thousands: it looks at what is there, makes no
object of its own, and at the least doubt leaves a message to the rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final, NamedTuple

from msgspec.structs import replace

from toolpair.dialects.block_texts import says_something_real
from toolpair.formats.list_evidence import ListEvidence
from toolpair.history.outline import LEAST, Cutter, Doubtful, Outline
from toolpair.history.scans.plain_keys import TEXT_KEYS
from toolpair.rules.profiles import Profile
from toolpair.transcript.model import KEPT_OUTPUT, Damaged
from toolpair.transcript.placeholders import BEGIN

_KINDS: Final = 7
START, ODD, ASKS, SAYS, CALLS, ANSWERING, ANSWERS = range(_KINDS)
"""What a message is: odd, the user's words, the assistant's, calls, some or the last of their results."""
ANSWERED: Final = frozenset({ASKS, ANSWERS})
"""Behind these the assistant may respond."""
_RESPONDS: Final = frozenset({SAYS, CALLS})
_SHOWN: Final = 400
_IMAGES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")


class _Place(NamedTuple):
    """Where a stretch can be cut: a message's number, and how many of each are before it."""

    number: int
    calls: int
    rows: int
    outputs: int
    signed: int
    ids: int


class ListScan(Cutter[_Place], ABC):
    """Cuts in front of the assistant's messages before which nothing waits for a result."""

    def __init__(
        self,
        profile: Profile,
        declared: frozenset[str] | None = None,
        least: int = LEAST,
        *,
        count_outputs: bool = True,
    ) -> None:
        """`declared`: the tools that the request around the messages declares, where it says."""
        super().__init__(profile, least)
        self._declared = declared
        self._count = count_outputs
        self.asked: list[str] = []
        """The ids of the calls that were read last, and what they were given."""
        self.given: list[Any] = []
        self.doubts: Callable[[Any], bool] | None = None
        """Says of a message that is left to the rules whether only the whole can be judged for it."""
        self.listed = False
        """The content of a message in order is a list."""
        self.thought = 0
        """Messages in order that think and call nothing."""
        self._heard = ListEvidence()
        self._kinds = [0] * _KINDS
        """How many messages are of each kind."""
        self._rows = 0
        self._outputs = 0
        self._calls = 0
        self.signed = 0
        """Signed thinking blocks in the stretch that is being read."""
        self._first = 0
        self._number = 0
        self._before = START

    shape: ClassVar[str]
    """The API whose messages it takes for plain."""

    @property
    def evidence(self) -> ListEvidence:
        """What all messages tell of the API that they are written for."""
        kinds = self._kinds
        evidence = replace(self._heard, by=dict(self._heard.by))
        evident = kinds[CALLS] + kinds[ANSWERING] + kinds[ANSWERS] + self.thought
        evidence.add_plain(self.shape, sum(kinds) - kinds[ODD], kinds[CALLS], evident, listed=self.listed)
        return evidence

    @abstractmethod
    def kind(self, value: Any, before: int) -> int:
        """What the message is, as far as it is in order behind one of the kind `before`; ODD when it may not be."""

    @abstractmethod
    def note_all(self, value: Any) -> None:
        """Note all ids of a message that is left to the rules."""

    def feed(self, values: Iterable[Any]) -> None:
        number, first, before = self._number, self._first, self._before
        rows, calls, signed = self._rows, self._calls, self.signed
        kinds = self._kinds
        for value in values:
            kind = self.kind(value, before)
            kinds[kind] += 1
            if kind in _RESPONDS:
                if before in ANSWERED:
                    place = _Place(number, calls, rows, self._outputs, signed, len(self.ids))
                    if self.suspect or number - first >= self.least:
                        first = self._cut(first, place)
                    else:
                        self.mark(place)
                if kind == CALLS:
                    ids, here = self.ids, len(self.done)
                    for id_ in self.asked:
                        if id_ in ids:
                            self.suspect = True
                            self.joined.append((ids[id_], here))
                        else:
                            ids[id_] = here
            elif kind == ODD:
                first = self._part_with_plain(first)
                self.suspect = True
                if type(value) is Doubtful:
                    value = value.value
                    self.whole = self.whole or type(value) is Damaged  # what stands in it only the whole can tell
                self._heard.hear(value)
                if self.doubts is not None and self.doubts(value):
                    self.whole = True
                self.note_all(value)
            if kind in ANSWERED:
                rows, calls, signed = self._rows, self._calls, self.signed
            before = kind
            number += 1
        self._number, self._first, self._before = number, first, before

    def _cut(self, first: int, place: _Place) -> int:
        number, calls, rows, outputs, signed, _ = place
        self.close(first, number, number - first, calls, rows, outputs, signed)
        self._calls, self._rows = self._calls - calls, self._rows - rows
        self._outputs, self.signed = self._outputs - outputs, self.signed - signed
        return number

    def _part_with_plain(self, first: int) -> int:
        """Cut off what is in order in front of the exchange before an odd message."""
        place = self.unmark()
        if place is None:
            return first
        first = self._cut(first, place)
        self.move_ids(place.ids)
        return first

    def outline(self) -> Outline | None:
        if self._before not in (ASKS, ANSWERS):
            self._first = self._part_with_plain(self._first)
            self.suspect = True
        first, end = self._first, self._number
        if end > first:
            self.close(first, end, end - first, self._calls, self._rows, self._outputs, self.signed)
            self._first = end
        return super().outline()

    # What messages are made of

    def words(self, content: Any) -> bool:
        """Whether a user's words can be no problem."""
        if type(content) is str:
            return self.said(content)
        if type(content) is not list or not content:
            return False
        self.listed = True
        return all(type(part) is dict and part.get("type") == "text" and self.text(part) for part in content)

    def said(self, text: str) -> bool:
        if not text or (text[0].isspace() and not text[:_SHOWN].strip()) or text.startswith(KEPT_OUTPUT):
            return False
        self._rows += 1
        return True

    def text(self, part: dict[str, Any]) -> bool:
        text = part.get("text")
        return type(text) is str and (len(part) == 2 or part.keys() <= TEXT_KEYS) and self.said(text)

    def fits(self, id_: Any, name: Any) -> bool:
        """Whether the provider takes the id and the name of a call."""
        if type(id_) is not str or not self.id_min <= len(id_) <= self.id_max or not self.takes(name):
            return False
        if self.accepts_id is not None and not self.accepts_id(id_):
            return False
        return self._declared is None or name in self._declared

    def calling(self, asked: list[str], given: list[Any]) -> int:
        self.asked, self.given = asked, given
        self._rows += len(asked)
        self._calls += len(asked)
        return CALLS

    def output(self, said: Any, *, may_be_empty: bool, images: bool = False) -> str | None:
        """What a result says, None where that may be a problem."""
        if type(said) is str:
            text = said
            if not text and not may_be_empty:
                return None
        elif type(said) is list and said:
            texts = []
            for one in said:
                if type(one) is not dict:
                    return None
                words = one.get("text")
                if one.get("type") == "text" and type(words) is str and words and one.keys() <= TEXT_KEYS:
                    texts.append(words)
                elif images and _is_image(one):
                    texts.append("[image]")
                else:
                    return None
            text = "\n".join(texts)
        else:
            return None
        if self._count:
            surely = bool(text) and text[0] not in BEGIN and not text[0].isspace()
            self._outputs += surely or says_something_real(text)
        return text


def _is_image(part: dict[str, Any]) -> bool:
    """Whether it is an image in the form that Anthropic takes in a result that is no error."""
    source = part.get("source")
    return (
        len(part) == 2
        and part.get("type") == "image"
        and type(source) is dict
        and len(source) == 3
        and source.get("type") == "base64"
        and type(source.get("data")) is str
        and source.get("media_type") in _IMAGES
    )
