"""The one scan: reads a history once, record by record, cuts it into windows and proves which of them are clean.

It knows no format: what a record says comes from the format's `light`. The loop runs once for each record of
histories that have hundreds of thousands, and at the least doubt leaves one to the rules.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from toolpair.formats.engine.reading.light import (
    ANSWERED,
    ANSWERING,
    CALL,
    EXCHANGES,
    HEAD,
    IN_ORDER,
    MODEL,
    ODD,
    RESPONSE,
    RESULT,
    SAME,
    START,
    TEXT,
    THINKING,
    USER,
    WORDS,
    Doubtful,
    Light,
    Odd,
    SoFar,
    Whole,
)
from toolpair.history.outline import LEAST, Outline, OutlineWindow, judged_together
from toolpair.rules.crossed import may_be_crossed
from toolpair.rules.profiles import Profile
from toolpair.transcript.model import KEPT_OUTPUT, Damaged
from toolpair.transcript.placeholders import BEGIN, known_placeholder

_SHOWN: Final = 400
"""Characters of a text of which its line shows something."""
_LONG: Final = 2000
"""No placeholder is so long."""
_NOTHING: Final = (0, 0, 0, 0, 0, 0)


class _Place(NamedTuple):
    """In front of a response: a record's number, and what is counted of the window before it."""

    number: int
    counts: tuple[int, ...]


class Scan:
    """Cuts in front of a response, when all that was called before it has its result."""

    def __init__(
        self,
        light: Light,
        profile: Profile,
        declared: frozenset[str] | None = None,
        least: int = LEAST,
        doubts: Callable[[Any], bool] | None = None,
    ) -> None:
        """`declared`: the tools that the request around the messages declares, where it says.

        `least`: messages in a window. `doubts` says of a record that is left to the rules whether only the whole can
        be judged for it.
        """
        self.light = light
        light.so_far = self._so_far = SoFar()
        self._ids = self._so_far.ids
        pattern = profile.id_pattern
        self._accepts_id = pattern.fullmatch if pattern is not None else None
        self._id_min, self._id_max = max(profile.id_min, 1), profile.id_max or 1 << 30
        self._accepts_name = profile.name_pattern.fullmatch
        self._declared = declared
        self._names: set[str] = set()
        """Names of tools that the provider takes."""
        self._least = least
        self._doubts = doubts
        self.whole = False
        """Only the whole can be judged, whatever comes."""
        self._number = 0
        self._windows: list[OutlineWindow] = []
        self._joined: list[tuple[int, int]] = []
        """Records that share something."""
        self._suspect = not light.clean
        """Something in the window that is being read may be a problem."""
        self._flawed = False
        """A record is no proper JSON, although it can be read."""
        self._cuttable: _Place | None = None
        """In front of the exchange before the one that is being read."""
        self._newest: _Place | None = None
        # What the window holds
        self._messages = self._calls = self._rows = self._silent = self._signed = self._records = 0
        # What is said
        self._state = START
        self._response: Any = None
        self._asked: list[tuple[Any, ...]] = []
        self._texts: list[str] = []
        self._unlinked = 0
        self._hangs = False

    def feed(self, values: Iterable[Any]) -> None:
        """The next records' values."""
        if self.whole:
            return
        values = values if type(values) is list else list(values)
        read, number = self.light.read, self._number
        for value in values:
            try:
                event = read(value, number)
                if event is not None:
                    who, parts, response = event
                    if who == MODEL:
                        self._speak(parts, response, number)
                    elif who == USER:
                        if parts[0][0] == RESULT:
                            self._answer(value, parts)
                        else:
                            self._words(parts)
                    elif who == HEAD:
                        self._head(parts)
                    elif who == EXCHANGES:
                        self._exchanges(parts, response, number)
                    else:
                        self._replace(value, number)
            except Odd:
                self._odd(value, number)
            except IN_ORDER:
                self._odd(value, number)
            except Whole:
                self.whole = True
            number += 1
        self._number = number
        if not self.whole:
            self.light.heard(values)

    # Records that are in order

    def _speak(self, parts: Sequence[tuple[Any, ...]], response: Any, number: int) -> None:
        """Words, thinking and calls of the model's: a response, or more of one."""
        state = self._state
        if response is SAME:
            fresh = state != RESPONSE
        else:
            fresh = response is None or response != self._response
            if state == RESPONSE if fresh else state != RESPONSE:
                raise Odd
        if state in (START, ANSWERING):
            raise Odd
        calls: list[tuple[Any, ...]] = []
        called = not fresh and bool(self._asked)
        last = self.light.calls_last
        rows = signed = 0
        hangs = False
        for part in parts:
            kind = part[0]
            if kind == CALL:
                _, id_, name, _, _ = part
                if (
                    type(id_) is not str
                    or not self._id_min <= len(id_) <= self._id_max
                    or (name not in self._names and not self._takes(name))
                    or (self._accepts_id is not None and not self._accepts_id(id_))
                ):
                    raise Odd
                calls.append(part)
                hangs = False
            elif last and (called or calls):
                raise Odd
            elif kind == TEXT:
                text = part[1]
                if not text or (text[0].isspace() and not text[:_SHOWN].strip()) or text.startswith(KEPT_OUTPUT):
                    raise Odd
                rows += 1
                hangs = False
            elif kind == THINKING:
                signed += part[1]
                hangs = part[2]
            else:
                raise Odd
        if fresh:
            if state != ODD:
                if self._suspect or self._messages >= self._least:
                    self._cut(number)
                else:
                    self._cuttable, self._newest = self._newest, _Place(number, self._counts())
            self._response = response
            self._asked, self._texts, self._unlinked = [], [], 0
            self._messages += 1
        if calls:
            ids = self._ids
            for part in calls:
                known = ids.setdefault(part[1], number)
                if known != number:
                    self._share(known, number)
            if len(calls) > 1 and len({part[1] for part in calls}) < len(calls):
                self._share(number, number)
            self._asked += calls
            self._calls += len(calls)
            self._rows += len(calls)
        self._rows += rows
        self._signed += signed
        self._records += 1
        self._hangs = hangs
        self._state = RESPONSE

    def _share(self, known: int, number: int) -> None:
        """Records have calls with the same id."""
        if known < self._so_far.past:
            raise Whole
        self._suspect = True
        self._joined.append((known, number))

    def _takes(self, name: Any) -> bool:
        """Whether the provider takes the name of a tool."""
        if type(name) is not str or (self._declared is not None and name not in self._declared):
            return False
        if not self._accepts_name(name):
            return False
        self._names.add(name)
        return True

    def _answer(self, value: Any, parts: Sequence[tuple[Any, ...]]) -> None:
        """Results of the calls that were read last, in their order."""
        state, light = self._state, self.light
        if (state != RESPONSE and state != ANSWERING) or self._hangs:
            raise Odd
        texts, asked = self._texts, self._asked
        begins = not texts
        for part in parts:
            if part[0] != RESULT:
                raise Odd
            _, id_, text, family, linked = part
            call = asked[len(texts)]
            if id_ != call[1] or family != call[4]:
                raise Odd
            if _is_silent(text):
                light.silent(value, id_, text)
                self._silent += 1
            texts.append(text)
            if not linked:
                self._unlinked += 1
        if len(texts) == len(asked):
            # A result that names the record of its own call is that call's.
            if self._unlinked > 1 and len(texts) > 1 and may_be_crossed([call[3] for call in asked], texts):
                raise Odd
            self._state = ANSWERED
        elif light.in_one:
            raise Odd
        else:
            self._state = ANSWERING
        if begins or not light.merged:
            self._messages += 1
        self._records += 1

    def _exchanges(
        self, parts: Sequence[tuple[Any, ...]], held: tuple[Sequence[tuple[list[Any], list[str]]], int, bool], n: int
    ) -> None:
        """Responses of one record whose calls hold their results: see `EXCHANGES`."""
        answered, messages, ends = held
        for given, texts in answered:
            if any(map(_is_silent, texts)) or (len(texts) > 1 and may_be_crossed(given, texts)):
                raise Odd
        self._speak(parts, None, n)
        self._asked = []
        self._messages += messages - 1
        if ends:
            self._state = ANSWERED

    def _words(self, parts: Sequence[tuple[Any, ...]]) -> None:
        """What the user says."""
        state, light = self._state, self.light
        if state not in light.words_after or self._hangs or (state == RESPONSE and self._asked):
            raise Odd
        self._said(parts)
        if not light.merged or state in (RESPONSE, START):
            self._messages += 1
        if state != ODD:
            self._state = WORDS

    def _head(self, parts: Sequence[tuple[Any, ...]]) -> None:
        """What stands in front of all that is said."""
        if self._state != START:
            raise Odd
        self._said(parts)
        self._messages += 1

    def _said(self, parts: Sequence[tuple[Any, ...]]) -> None:
        for part in parts:
            text = part[1]
            if part[0] != TEXT or not text or (text[0].isspace() and not text[:_SHOWN].strip()):
                raise Odd
            if text.startswith(KEPT_OUTPUT):
                raise Odd
        self._rows += len(parts)
        self._records += 1

    # Records that may not be

    def _odd(self, value: Any, number: int) -> None:
        place = self._cuttable
        if place is not None and not self._suspect and not self.light.reaches_before(_said_by(value), place.number):
            self._cut_off(place)
        self._cuttable = self._newest = None
        self._suspect = True
        self._state = ODD
        self._hangs = False
        strict = type(value) is not Doubtful or value.strict
        self._flawed = self._flawed or not strict
        value = _said_by(value)
        try:
            if type(value) is Damaged or (self._doubts is not None and self._doubts(value)):
                raise Whole
            ids, signed = self.light.left(value, number, strict)
            self._signed += signed
            for id_ in ids:
                self._note(id_, number)
        except Whole:
            self.whole = True

    def _note(self, id_: Any, number: int) -> None:
        """An id stands in a record that is left to the rules, and may stand elsewhere, too."""
        if not isinstance(id_, str) or not id_:
            return
        known = self._ids.setdefault(id_, number)
        if known < self._so_far.past:
            raise Whole
        if known != number:
            self._joined.append((known, number))

    def _replace(self, value: Any, number: int) -> None:
        """A compaction: the window in which it stands is left to the rules, and begins with what it keeps."""
        so_far = self._so_far
        begins = [*so_far.firsts, so_far.first]
        if any(bisect_right(begins, one) != bisect_right(begins, other) for one, other in self._joined):
            raise Whole  # what stands in front is tied to what is kept, or to what is not
        keeps = self.light.replaced(value, number, self._flawed)
        if keeps < so_far.first:
            so_far.first = so_far.firsts[max(bisect_right(so_far.firsts, keeps) - 1, 0)]
        so_far.past = so_far.first
        self._windows, so_far.firsts, self._joined = [], [], []
        self._cuttable = self._newest = None
        self._messages = self._calls = self._rows = self._silent = self._signed = self._records = 0
        self._asked, self._texts = [], []
        self._suspect, self._state, self._hangs = True, ODD, False

    # The windows

    def _counts(self) -> tuple[int, ...]:
        return self._messages, self._calls, self._rows, self._silent, self._signed, self._records

    def _cut(self, number: int) -> None:
        """End the window that is being read in front of a record."""
        self._close(number, *self._counts())
        self._messages = self._calls = self._rows = self._silent = self._signed = self._records = 0

    def _cut_off(self, place: _Place) -> None:
        """End it in front of an earlier one, so that what is in order there need not be looked at."""
        now = self._counts()
        self._close(place.number, *place.counts)
        since = [count - then for count, then in zip(now, place.counts, strict=True)]
        self._messages, self._calls, self._rows, self._silent, self._signed, self._records = since

    def _close(self, end: int, messages: int, calls: int, rows: int, silent: int, signed: int, records: int) -> None:
        items = records if self.light.as_items else 0
        clean = not self._suspect
        self._windows.append(
            OutlineWindow(self._so_far.first, end, messages, calls, rows, calls - silent, clean, signed, 0, items)
        )
        self._so_far.firsts.append(self._so_far.first)
        self._so_far.first = end
        self._suspect = not self.light.clean
        self._cuttable = self._newest = None

    def outline(self) -> Outline | None:
        """After the last record: the windows. None when only the whole can be judged."""
        if self.whole:
            return None
        state, asked = self._state, self._asked
        waits = state == RESPONSE and (bool(asked) or not self.light.native)
        if waits or self._hangs or state in (START, ODD, ANSWERING):
            if self._cuttable is not None and not self._suspect:
                self._cut_off(self._cuttable)
            self._suspect = True
        if self._number > self._so_far.first:
            self._cut(self._number)
        if not self._windows:
            return None
        try:
            found = self.light.finish()
        except Whole:
            found = None
        if found is None:
            return None
        windows, so_far = self._windows, self._so_far
        for number in found.suspect:
            if number >= so_far.past:
                windows[so_far.window_of(number)].clean = False
        for number in found.shortened:
            if number >= so_far.past:
                windows[so_far.window_of(number)].shortened += 1
        for number in found.passed:
            if number >= so_far.past:
                windows[so_far.window_of(number)].passed += 1
        pairs = [*self._joined, *found.joined]
        ranges = judged_together(windows, [(so_far.window_of(one), so_far.window_of(other)) for one, other in pairs])
        if ranges is None:
            return None
        return Outline(
            tuple(windows), ranges, self._ids, found.head, found.around, found.named, so_far.past, found.inactive
        )


def _is_silent(text: str) -> bool:
    """Whether a result has no real output."""
    if not text:
        return True
    if text[0] not in BEGIN and not text[0].isspace():
        return False
    return text.isspace() or (len(text) < _LONG and known_placeholder(text) is not None)


def _said_by(value: Any) -> Any:
    return value.value if type(value) is Doubtful else value
