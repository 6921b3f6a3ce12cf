"""The one scan: reads a history once, record by record, and proves which of its windows are clean.

It knows no format: what a record says comes from the format's `light`. The loop runs once for each record of
histories that have hundreds of thousands, and at the least doubt leaves one to the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, Final

from toolpair.formats.engine.reading.light import (
    ANSWERED,
    ANSWERING,
    BEGINS,
    BEGUN,
    CALL,
    EXCHANGES,
    HEAD,
    HELD,
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
from toolpair.formats.engine.reading.typed_records import TypedRecord
from toolpair.history.outline import LEAST, Outline, judged_together
from toolpair.history.window_cutter import WindowCutter
from toolpair.rules.crossed import may_be_crossed
from toolpair.rules.profiles import Profile
from toolpair.rules.wire import wire_of
from toolpair.source.record_values import parse
from toolpair.transcript.model import KEPT_OUTPUT, Damaged
from toolpair.transcript.placeholders import BEGIN, known_placeholder

_SHOWN: Final = 400
"""Characters of a text of which its line shows something."""
_LONG: Final = 2000
"""No placeholder is so long."""


class Scan:
    """Reads what records say, in order; what is not certainly in order is left to the rules."""

    def __init__(
        self,
        light: Light,
        profile: Profile,
        declared: frozenset[str] | None = None,
        least: int = LEAST,
        doubts: Callable[[Any], bool] | None = None,
        reporting: bool = False,
    ) -> None:
        """`declared`: the tools that the request around the messages declares, where it says.

        `least`: messages in a window. `doubts` says of a record that is left to the rules whether only the whole can
        be judged for it. `reporting`: see `View`.
        """
        self.light = light
        light.so_far = so_far = SoFar()
        light.profile = profile
        self._ids = so_far.ids
        self._cutter = WindowCutter(light, so_far, least, suspect=not light.clean)
        pattern = profile.id_pattern
        self._accepts_id = pattern.fullmatch if pattern is not None else None
        self._id_min, self._id_max = max(profile.id_min, 1), profile.id_max or 1 << 30
        self._accepts_name = profile.name_pattern.fullmatch
        self._declared = declared
        self._names: set[str] = set()
        """Names of tools that the provider takes."""
        self._doubts = doubts
        self._reporting = reporting
        cell = profile.cell("content.mixed_with_tool")
        self._parts_text = cell is not None and cell.severity is not None
        """The provider wants text and calls in messages of their own."""
        self._wants_signed = wire_of(profile.base) in ("anthropic", "bedrock")
        """Thinking without a signature is a problem."""
        self._mixed: int | None = None
        """The first record with both."""
        self.whole = False
        """Only the whole can be judged, whatever comes."""
        self._number = self._size = 0
        self._flawed = False
        """A record is no proper JSON, although it can be read."""
        # What is said
        self._state = START
        self._response: Any = None
        self._asked: list[tuple[Any, ...]] = []
        self._texts: list[str] = []
        self._unlinked = 0
        self._hangs = self._holds = False

    def forked(self) -> Scan:
        """A scan that goes on from here without this one, of a list: its light collects nothing but evidence."""
        made, light = copy(self), copy(self.light)
        so_far = light.so_far
        made.light, light.so_far = light, SoFar({**so_far.ids}, so_far.first, [*so_far.firsts], so_far.past)
        made._ids = light.so_far.ids
        made._cutter = self._cutter.forked(light, light.so_far)
        made._asked, made._texts = [*self._asked], [*self._texts]
        return made

    def feed(self, values: Iterable[Any], size: int = 0, bodies: Sequence[Any] = ()) -> None:
        """The next records' values; `size`: their bytes; `bodies`: the bytes of each, where the values are Structs."""
        if self.whole:
            return
        self._size += size
        self._cutter.size += size
        values = values if type(values) is list else list(values)
        read, number = self.light.read, self._number
        first = number
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
                    elif who == BEGINS:
                        self._begins(response, number)
                    elif who == HELD:
                        self._held(value, parts, response, number)
                    elif who == EXCHANGES:
                        self._exchanges(parts, response, number)
                    else:
                        self._replace(value, number)
            except Odd:
                self._odd(_written(value, bodies, number - first), number)
            except IN_ORDER:
                self._odd(_written(value, bodies, number - first), number)
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
                if not part[1] and self._wants_signed:
                    raise Odd
                signed += part[1]
                hangs = part[2]
            else:
                raise Odd
        mixed = rows and calls and self._parts_text
        if mixed:
            self._mix(number)
        cutter = self._cutter
        if fresh:
            if state != ODD and state != BEGUN:
                cutter.before_response(number)
            self._holds = False
            self._response = response
            self._asked, self._texts, self._unlinked = [], [], 0
            cutter.messages += 1
        if calls:
            ids = self._ids
            for part in calls:
                known = ids.setdefault(part[1], number)
                if known != number:
                    cutter.share(known, number)
            if len(calls) > 1 and len({part[1] for part in calls}) < len(calls):
                cutter.share(number, number)
            self._asked += calls
            if mixed:
                cutter.mixed.append(range(cutter.calls, cutter.calls + len(calls)))
            cutter.calls += len(calls)
            cutter.rows += len(calls)
        cutter.rows += rows
        cutter.signed += signed
        cutter.records += 1
        self._hangs = hangs
        self._state = RESPONSE

    def _mix(self, number: int) -> None:
        """Text and calls in one message: the rules report all such as one problem, of which a fix changes them all."""
        if self._mixed is None:
            self._mixed = number
            raise Odd
        if not self._reporting:
            raise Whole

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
        state, light, cutter = self._state, self.light, self._cutter
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
                cutter.silent += 1
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
            cutter.messages += 1
        cutter.records += 1

    def _exchanges(self, parts: Sequence[tuple[Any, ...]], held: tuple[Any, ...], number: int) -> None:
        """Responses of one record whose calls hold their results: see `EXCHANGES`."""
        answered, messages, ends, *response = held
        for given, texts in answered:
            for text in filter(_is_silent, texts):
                self.light.silent(None, "", text)
                self._cutter.silent += 1
            if len(texts) > 1 and may_be_crossed(given, texts):
                raise Odd
        self._speak(parts, response[0] if response else None, number)
        self._asked = []
        self._cutter.messages += messages - 1
        if ends:
            self._state = ANSWERED

    def _begins(self, may_cut: bool, number: int) -> None:
        """A response, or a step of one, that says nothing yet."""
        state = self._state
        if state in (START, ANSWERING) or (state == RESPONSE and not self._holds) or self._hangs:
            raise Odd
        if state != ODD:
            if may_cut and state != BEGUN:
                self._cutter.before_response(number)
            self._state = BEGUN
        self._cutter.records += 1

    def _held(self, value: Any, parts: Sequence[tuple[Any, ...]], text: str, number: int) -> None:
        """A call and its result, which are one record; those of one response are two messages."""
        self._speak(parts, SAME, number)
        self._asked = []
        if _is_silent(text):
            self.light.silent(value, parts[0][1], text)
            self._cutter.silent += 1
        if not self._holds:
            self._holds = True
            self._cutter.messages += 1

    def _words(self, parts: Sequence[tuple[Any, ...]]) -> None:
        """What the user says."""
        state, light = self._state, self.light
        if state not in light.words_after or self._hangs or (state == RESPONSE and self._asked):
            raise Odd
        self._said(parts)
        if not light.merged or state in (RESPONSE, START) or (light.results_apart and state == ANSWERED):
            self._cutter.messages += 1
        if state != ODD:
            self._state = WORDS

    def _head(self, parts: Sequence[tuple[Any, ...]]) -> None:
        """What stands in front of all that is said."""
        if self._state != START:
            raise Odd
        self._said(parts)
        self._cutter.messages += 1

    def _said(self, parts: Sequence[tuple[Any, ...]]) -> None:
        for part in parts:
            text = part[1]
            if part[0] != TEXT or not text or (text[0].isspace() and not text[:_SHOWN].strip()):
                raise Odd
            self._cutter.kept += text.startswith(KEPT_OUTPUT)
        self._cutter.rows += len(parts)
        self._cutter.records += 1

    # Records that may not be

    def _odd(self, value: Any, number: int) -> None:
        self._cutter.leave(_said_by(value))
        self._state = ODD
        self._hangs = False
        strict = type(value) is not Doubtful or value.strict
        self._flawed = self._flawed or not strict
        value = _said_by(value)
        try:
            if type(value) is Damaged or (self._doubts is not None and self._doubts(value)):
                raise Whole
            ids, signed = self.light.left(value, number, strict)
            self._cutter.signed += signed
            for id_ in ids:
                self._note(id_, number)
        except (Whole, *IN_ORDER):  # nor can it be told what is in it
            self.whole = True

    def _note(self, id_: Any, number: int) -> None:
        """An id stands in a record that is left to the rules, and may stand elsewhere, too."""
        if not isinstance(id_, str) or not id_:
            return
        self._cutter.mention(self._ids.setdefault(id_, number), number)

    def _replace(self, value: Any, number: int) -> None:
        """A compaction."""
        self._cutter.replace(value, number, self._flawed)
        self._asked, self._texts = [], []
        self._state, self._hangs = ODD, False

    def outline(self) -> Outline | None:
        """After the last record: the windows. None when only the whole can be judged."""
        if self.whole:
            return None
        state, asked = self._state, self._asked
        waits = state == RESPONSE and (bool(asked) or not self.light.native)
        cutter = self._cutter
        cutter.end(self._number, waits or self._hangs or state in (START, ODD, ANSWERING, BEGUN))
        windows, so_far = cutter.windows, cutter.so_far
        if not windows:
            return None
        try:
            found = self.light.finish()
        except Whole:
            found = None
        if found is None:
            return None
        for number in found.suspect:
            if number >= so_far.past:
                windows[so_far.window_of(number)].clean = False
        for number in found.shortened:
            if number >= so_far.past:
                windows[so_far.window_of(number)].shortened += 1
        for number in found.passed:
            if number >= so_far.past:
                windows[so_far.window_of(number)].passed += 1
        for number in found.superseded:
            if number >= so_far.past:
                windows[so_far.window_of(number)].superseded += 1
        pairs = [*cutter.joined, *found.joined]
        joined = [(so_far.window_of(one), so_far.window_of(other)) for one, other in pairs]
        ranges = judged_together(windows, joined, self._size)
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


def _written(value: Any, bodies: Sequence[Any], place: int) -> Any:
    """The value of a record as it stands, where it was read as a Struct."""
    return parse(bytes(bodies[place])) if isinstance(value, TypedRecord) else value


def _said_by(value: Any) -> Any:
    return value.value if type(value) is Doubtful else value
