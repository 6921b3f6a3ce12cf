"""What only the whole session shows. Each question is answered once, in one walk."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cached_property
from typing import Final

from toolpair.rules.causes.makers import Maker, maker_of
from toolpair.rules.problem import Cause
from toolpair.transcript.content import arguments, output_key
from toolpair.transcript.id_shapes import sanitised, usable
from toolpair.transcript.model import Block, Boundary, Transcript
from toolpair.transcript.pairing import Pair, Pairing

_MOST: Final = 0.8
"""Of the answered calls: "every" result was written twice when as many were."""
_COUNTER: Final = re.compile(r"(?:(?:^|[_:.-])\d{1,4}|^call_\d\d_\w*)$")


class Whole:
    """Facts of one transcript that causes are told by."""

    def __init__(self, transcript: Transcript, pairing: Pairing) -> None:
        self._transcript = transcript
        self._pairing = pairing
        self.interruptions: dict[int, Cause | None] = {}
        """By the message of calls: what of those behind it says that they were interrupted, as far as it was asked."""
        self.rejections: dict[int, bool] = {}
        """By the message of calls: whether a result of one of the first says that it was rejected, likewise."""

    @cached_property
    def doubled(self) -> tuple[int, int]:
        """(calls with the same result several times, answered calls)."""
        answered = [pair for pair in self._pairing.pairs if pair.call is not None and pair.results]
        beyond = self._transcript.edges
        return sum(map(_has_copies, answered)), len(answered) + (beyond.answered if beyond is not None else 0)

    @property
    def doubled_on_resume(self) -> bool:
        """Three or more calls have their result twice, and most of all calls do."""
        doubled, answered = self.doubled
        return doubled >= 3 and doubled >= _MOST * answered

    @cached_property
    def calls_in(self) -> Counter[int]:
        """By the number of a message: how many calls it has."""
        return Counter(pair.call_at[0] for pair in self._pairing.pairs if pair.call_at is not None)

    @cached_property
    def answered_in(self) -> Counter[int]:
        """By the number of a message: how many of its calls have a result."""
        return Counter(pair.call_at[0] for pair in self._pairing.pairs if pair.call_at is not None and pair.results)

    @cached_property
    def made_by(self) -> dict[str, tuple[Maker, int, str]]:
        """By the maker's name: how many calls have ids of its shape, and the first of these ids."""
        found: dict[str, tuple[Maker, int, str]] = {}
        for pair in self._pairing.pairs:
            maker = maker_of(pair.call.id) if pair.call is not None else None
            if maker is not None and pair.call is not None:
                _, count, first = found.get(maker.name, (maker, 0, pair.call.id))
                found[maker.name] = (maker, count + 1, first)
        return found

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The ids of calls that come back with the same name, input and results."""
        seen: dict[str, list[tuple[str | None, str, tuple[object, ...]]]] = {}
        for pair in self._pairing.pairs:
            if pair.call is not None and usable(pair.call.id):
                results = tuple(map(output_key, pair.results))
                seen.setdefault(pair.call.id, []).append((pair.call.name, given(pair.call), results))
        return frozenset(
            id_ for id_, uses in seen.items() if len(uses) > 1 and uses[0][2] and all(use == uses[0] for use in uses)
        )

    @cached_property
    def counters(self) -> int:
        """How many ids that end in a counter several calls have."""
        counts = Counter(pair.call.id for pair in self._pairing.pairs if pair.call is not None and usable(pair.call.id))
        return sum(count > 1 and is_counter(id_) for id_, count in counts.items())

    @cached_property
    def spellings(self) -> dict[str, tuple[str, ...]]:
        """By the id of a call: the different ids of results that become it when they are cleaned."""
        calls = {pair.call.id for pair in self._pairing.pairs if pair.call is not None and usable(pair.call.id)}
        found: dict[str, dict[str, None]] = {}
        for pair in self._pairing.pairs:
            for result in pair.results:
                if usable(result.id) and (clean := sanitised(result.id)) in calls:
                    found.setdefault(clean, {})[result.id] = None
        return {clean: tuple(ids) for clean, ids in found.items()}

    @cached_property
    def boundaries(self) -> dict[int, Boundary]:
        """By the message that each stands before."""
        return {boundary.message: boundary for boundary in reversed(self._transcript.boundaries)}

    @cached_property
    def first_compaction(self) -> int | None:
        """The message before which the first compaction stands."""
        return min((found.message for found in self._transcript.boundaries if found.kind == "compaction"), default=None)

    @cached_property
    def inactive_calls(self) -> frozenset[str]:
        return self._inactive("call")

    @cached_property
    def inactive_results(self) -> frozenset[str]:
        return self._inactive("result")

    @cached_property
    def first_spoken(self) -> int:
        """The first message that is neither a summary nor the system's."""
        messages = self._transcript.messages
        spoken = (
            number
            for number, message in enumerate(messages)
            if message.note != "summary" and message.role not in ("system", "developer")
        )
        return next(spoken, len(messages))

    @cached_property
    def last_spoken(self) -> int:
        """The last message that holds something else than results; -1 when none does."""
        messages = self._transcript.messages
        spoken = (
            number
            for number in range(len(messages) - 1, -1, -1)
            if any(block.kind != "result" for block in messages[number].blocks)
        )
        return next(spoken, -1)

    def _inactive(self, kind: str) -> frozenset[str]:
        blocks = self._transcript.inactive_blocks
        return frozenset(block.id for block in blocks if block.kind == kind and usable(block.id))


def is_counter(id_: str) -> bool:
    """Whether the id is a number within a turn: `Bash:0`, `call_0`, `call_00_…`."""
    return _COUNTER.search(id_) is not None


def given(call: Block) -> str:
    """The call's input, as text to compare by."""
    return json.dumps(arguments(call), ensure_ascii=False, sort_keys=True, default=str)


def _has_copies(pair: Pair) -> bool:
    return len(pair.results) > 1 and len(set(map(output_key, pair.results))) == 1
