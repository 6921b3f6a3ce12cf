"""Checking the ranges of an outline one by one, with the same result as checking the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects.anthropic import STAND_INS, is_signed
from toolpair.history.checked_records import CheckedRecords
from toolpair.history.outline import Outline, Range, ranges_of
from toolpair.history.summary import tally_of
from toolpair.history.verdict_text import Tally
from toolpair.rules.problem import Problem
from toolpair.rules.registry import RULES, place_of
from toolpair.rules.rule import Rule
from toolpair.transcript.edits import Edit, KeepAside, Remove, RemoveThinking, messages_of, records_of
from toolpair.transcript.id_shapes import SPELLINGS, sanitised, usable
from toolpair.transcript.model import WindowEdges

_COUNTED_CAUSES: Final = frozenset({"duplicate.on_resume", "provider_switch"})
TOGETHER: Final = 8
"""Windows beside each other that are judged as one where nothing is changed: each takes less time so."""
_ROUNDS: Final = 20
"""How often ranges may be joined before the whole is checked instead."""
Load = Callable[[Range, WindowEdges], "CheckedWindow | ReportedWindow"]
"""Reads the records of a range and judges them as a window."""


class CheckedWindow(Struct, eq=False, dict=True):
    """What is judged of a window, and what it has to do with others."""

    judged: CheckedRecords

    @property
    def lead(self) -> int:
        """Sentinel messages before its own."""
        return self.judged.transcript.lead

    @property
    def tail(self) -> int:
        """Sentinel messages after its own."""
        edges = self.judged.edges
        return len(STAND_INS.after) if edges is not None and edges.after else 0

    @cached_property
    def messages(self) -> int:
        return len(self.judged.transcript.messages) - self.lead - self.tail

    @cached_property
    def counted(self) -> int:
        """How many messages the provider counts in it, if known; else all of them."""
        transcript, base = self.judged.transcript, self.judged.profile.base
        sent = self._sent
        if sent is not None:
            return sent
        from toolpair.rules.errors.message_counting import counted_transcript

        stand_ins = len(
            counted_transcript(replace(transcript, messages=(*STAND_INS.before[: self.lead],)), base).messages
        )
        stand_ins += len(
            counted_transcript(replace(transcript, messages=(*STAND_INS.after[: self.tail],)), base).messages
        )
        return len(counted_transcript(transcript, base).messages) - stand_ins

    @cached_property
    def unsent(self) -> int:
        """How many messages the provider would count in it if all were sent as they are."""
        transcript = self.judged.transcript
        if transcript.frame is None or not transcript.frame.by_block:
            return self.messages
        own = transcript.messages[self.lead : self.lead + self.messages]
        return sum(len(message.blocks) for message in own)

    @cached_property
    def tally(self) -> Tally:
        return tally_of(self.judged)

    @cached_property
    def signed(self) -> int:
        """Signed thinking blocks in it."""
        blocks = (block for message in self.judged.transcript.messages for block in message.blocks)
        return sum(block.kind == "thinking" and is_signed(block) for block in blocks)

    @property
    def _own(self) -> Sequence[Problem]:
        """Its problems without those that a report adds up."""
        problems = self.judged.judgement.problems
        return [one for one in problems if not RULES[one.rule].sums] if self.judged.view.reporting else problems

    @property
    def _sent(self) -> int | None:
        """How many of its messages its agent sends, if it has one."""
        seen, frame = self.judged.seen, self.judged.transcript.frame
        own = frame.theirs(seen.messages) if seen is not None and frame is not None else None
        return None if own is None else len(own)

    @cached_property
    def spills(self) -> bool:
        """Whether reading it depends on what is beyond it, so that only the whole is right."""
        frame = self.judged.transcript.frame
        if frame is None:
            return False
        edges = self.judged.edges
        alone = edges is None or not (edges.before or edges.after)
        # What its agent refuses to resume is sent nowhere else either.
        refused = self.judged.seen is None or self.judged.sends_nothing
        return frame.spills or refused or (alone and self._sent is None)

    @cached_property
    def needs_whole(self) -> bool:
        """Whether the evidence for a cause is counted over the whole history."""
        causes = (problem.cause for problem in self.judged.judgement.problems)
        return any(cause is not None and cause.id in _COUNTED_CAUSES for cause in causes)

    @cached_property
    def claims(self) -> frozenset[str]:
        """What only one range may have: another with the same must be checked together with it."""
        wide = (f"rule {problem.rule}" for problem in self._own if RULES[problem.rule].whole_history)
        made = (f"id {id_}" for id_ in self.judged.judgement.new_ids)
        calls = [pair.call.id for pair in self.judged.pairs if pair.call is not None and usable(pair.call.id)]
        repeated = ("ids of several calls",) if len(set(calls)) < len(calls) else ()
        return frozenset((*wide, *made, *repeated))

    @cached_property
    def open(self) -> frozenset[str]:
        """The spellings of the ids of calls that wait for a result."""
        pairs = self.judged.pairs
        return frozenset(
            spelt for pair in pairs if pair.call is not None and not pair.results for spelt in _spelt(pair.call.id)
        )

    @cached_property
    def loose(self) -> frozenset[str]:
        """The spellings of the ids of results without a call."""
        pairs = (pair for pair in self.judged.pairs if pair.call is None or pair.evidence == "guess")
        return frozenset(spelt for pair in pairs for result in pair.results for spelt in _spelt(result.id))

    @cached_property
    def cleaned(self) -> frozenset[str]:
        """What the ids of its results would be if sanitised."""
        ids = (result.id for pair in self.judged.pairs for result in pair.results)
        return frozenset(clean for id_ in ids if usable(id_) and (clean := sanitised(id_)) != id_)

    @cached_property
    def touches_edges(self) -> tuple[bool, bool]:
        """Whether a problem or a fix concerns what is at or before its first record, and at or after its last.

        A record that goes, or comes, at an end would change what stands beside the next window.
        """
        messages = self.judged.transcript.messages
        # What is sent of it may run together with what is around it, as what is around it does if it says nothing.
        front = back = not self.messages or (self.judged.transcript.frame is not None and self._sent is None)
        first = set(map(id, messages[: self.lead]))
        last = set(map(id, messages[self.lead + self.messages :]))
        own = messages[self.lead : self.lead + self.messages]
        ends = [message.records for message in (*own[:1], *own[-1:])] or [(), ()]
        for problem in self._own:
            edits = [edit for fix in problem.fixes for edit in fix.edits if not _takes_thinking_out(edit)]
            about = {id(problem.about), *(id(message) for edit in edits for message in messages_of(edit))}
            records = {record for edit in edits for record in records_of(edit)}
            front = front or not about.isdisjoint(first) or not records.isdisjoint(ends[0])
            back = back or not about.isdisjoint(last) or not records.isdisjoint(ends[1])
            if problem.message is not None and not self.lead <= problem.message < self.lead + self.messages:
                front, back = front or problem.message < self.lead, back or problem.message >= self.lead
        edges = self.judged.edges
        return front and edges is not None and edges.before, back and edges is not None and edges.after


class ReportedWindow(Struct, eq=False):
    """A checked window of which only what was found out is left."""

    judged: CheckedRecords
    lead: int
    tail: int
    messages: int
    counted: int
    unsent: int
    tally: Tally
    signed: int
    spills: bool
    needs_whole: bool
    claims: frozenset[str]
    open: frozenset[str]
    loose: frozenset[str]
    cleaned: frozenset[str]
    touches_edges: tuple[bool, bool]


class CheckedRange(Struct, frozen=True, eq=False):
    """A range of an outline, with its checked window."""

    range: Range
    found: CheckedWindow | ReportedWindow


def _spelt(id_: Any) -> Iterator[str]:
    if usable(id_):
        yield from (f"{number} {spelt}" for number, (_, form) in enumerate(SPELLINGS) if (spelt := form(id_)))


def _takes_thinking_out(edit: Edit) -> bool:
    """Whether the edit removes only thinking: the record that holds it stays."""
    return isinstance(edit, (RemoveThinking, KeepAside)) or (isinstance(edit, Remove) and edit.block.kind == "thinking")


def judge_ranges(outline: Outline, load: Load, most: int, together: int = 1) -> list[CheckedRange] | None:
    """Each range checked; ranges that turn out to be connected as one. None when that is too much.

    `most` is the maximum number of records checked together. Up to `together` windows beside each other are one range.
    """
    if not outline.ranges:
        return []
    answered = sum(found.calls for found in outline.windows)
    last = len(outline.windows)
    thinking = [*accumulate((found.signed for found in reversed(outline.windows)), initial=0)]
    known: dict[tuple[int, int], CheckedRange] = {}
    ranges: Sequence[Range] = _beside_each_other(outline.ranges, together)
    for _ in range(_ROUNDS):
        judged: list[CheckedRange] = []
        for found in ranges:
            key = (found.start, found.stop)
            if key not in known:
                inside = outline.windows[found.start : found.stop]
                if inside[-1].end - inside[0].first > most:
                    return None
                elsewhere = answered - sum(window.calls for window in inside)
                edges = WindowEdges(
                    found.start > 0, found.stop < last, outline.ids, elsewhere, thinking[last - found.stop]
                )
                known[key] = CheckedRange(found, load(found, edges))
                if known[key].found.spills or known[key].found.needs_whole:
                    return None
            judged.append(known[key])
        joined = _connected(judged, outline)
        if not joined:
            return judged
        merged = ranges_of((), [*((found.start, found.stop - 1) for found in ranges), *joined])
        if [(found.start, found.stop) for found in merged] == [(found.start, found.stop) for found in ranges]:
            return judged
        ranges = merged
        wanted = {(found.start, found.stop) for found in ranges}
        known = {key: found for key, found in known.items() if key in wanted}
    return None


def _beside_each_other(ranges: Sequence[Range], together: int) -> Sequence[Range]:
    found: list[Range] = []
    for one in ranges:
        if found and found[-1].stop == one.start and one.stop - found[-1].start <= together:
            found[-1] = Range(found[-1].start, one.stop)
        else:
            found.append(one)
    return found


def are_connected(outline: Outline, judged: Sequence[CheckedRange]) -> bool:
    """Whether what is judged of a range depends on what is outside of it."""
    return bool(_connected(judged, outline))


def _connected(judged: Sequence[CheckedRange], outline: Outline) -> list[tuple[int, int]]:
    return [*_together(judged), *_touching(judged, len(outline.windows)), *_named_elsewhere(judged, outline)]


def _together(judged: Sequence[CheckedRange]) -> Iterator[tuple[int, int]]:
    """Windows of ranges with the same claim, or with a call in one that a result in the other may answer."""
    claimed: dict[str, int] = {}
    calls: dict[str, set[int]] = {}
    for number, found in enumerate(judged):
        for claim in found.found.claims:
            other = claimed.setdefault(claim, number)
            if other != number:
                yield judged[other].range.start, found.range.start
        for spelt in found.found.open:
            calls.setdefault(spelt, set()).add(number)
    for number, found in enumerate(judged):
        for spelt in found.found.loose:
            for other in calls.get(spelt, ()):
                if other != number:
                    yield judged[other].range.start, found.range.start


def _touching(judged: Iterable[CheckedRange], last: int) -> Iterator[tuple[int, int]]:
    for found in judged:
        front, back = found.found.touches_edges
        if front:
            yield found.range.start - 1, found.range.start
        if back and found.range.stop < last:
            yield found.range.stop - 1, found.range.stop


def _named_elsewhere(judged: Iterable[CheckedRange], outline: Outline) -> Iterator[tuple[int, int]]:
    for found in judged:
        for clean in found.found.cleaned:
            other = at = outline.ids.get(clean)
            if at is None or at < outline.past:
                continue
            other = outline.window_of(at)
            if not found.range.start <= other < found.range.stop:
                yield other, found.range.start


def problems_of(outline: Outline, judged: Sequence[CheckedRange]) -> Sequence[Problem]:
    """All problems, numbered as in the whole."""
    problems: list[Problem] = []
    for found, *counts in placed(outline, judged):
        problems += [renumbered(problem, *counts) for problem in found.found.judged.problems]
    return in_order(problems)


def placed(outline: Outline, judged: Sequence[CheckedRange]) -> Iterator[tuple[CheckedRange, int, int, int, int]]:
    """Each range with what is in front of what is judged of it, as `renumbered` is given it."""
    windows = outline.windows
    messages = pairs = counted = unsent = at = 0
    for found in judged:
        for window in windows[at : found.range.start]:
            messages, pairs = messages + window.messages, pairs + window.calls
            counted, unsent = counted + window.counted, unsent + window.counted
        seen = found.found
        before = counted - min(seen.lead, 1)
        yield found, messages - seen.lead, pairs, before, unsent - seen.lead
        messages, pairs = messages + seen.messages, pairs + len(seen.judged.pairs)
        counted, unsent = counted + seen.counted, unsent + seen.unsent
        at = found.range.stop


def in_order(problems: Sequence[Problem]) -> Sequence[Problem]:
    """The problems of consecutive ranges in the order of the whole: first those that concern no message."""
    if not any(problem.message is None for problem in problems):
        return problems
    return sorted(problems, key=lambda problem: (problem.message or 0, problem.block or 0, _place(problem)))


def _place(problem: Problem) -> int:
    """The position of a problem without a message among the first ones: after all others, family by family."""
    return -1 if problem.message is not None else place_of(problem.rule)


def renumbered(problem: Problem, messages: int, pairs: int, counted: int, others: int) -> Problem:
    """The problem with this many messages and pairs before it; `counted` is how many of them the provider counts.

    `others` is how many it would count if all were sent as they are.
    """
    if not messages and not pairs and not counted and not others:
        return problem
    says, of = problem.says, problem.pairs
    # Done for all problems after an inserted message; `replace` takes three times as long.
    return Problem(
        problem.rule,
        problem.severity,
        problem.own_impact,
        problem.evidence,
        problem.text,
        None if problem.message is None else problem.message + messages,
        problem.block,
        None if problem.pair is None else problem.pair + pairs,
        problem.record,
        problem.call,
        problem.result,
        problem.others,
        problem.about,
        problem.cause,
        problem.resumes,
        problem.scope,
        problem.fixes,
        problem.no_fix,
        None if says is None else lambda _, /, first=0, unsent=None: says(problem, counted, others),
        problem.guess,
        tuple([pair + pairs for pair in of]) if of else of,
        problem.until,
        problem.count,
    )


def summed(
    found: Mapping[int, Sequence[Problem]], rule: Rule, count: int, pairs: Iterable[int]
) -> Mapping[int, Sequence[Problem]]:
    """The problems of windows with one for all that break a rule: where the first of them is.

    `count`, `pairs`: how many messages break it, and of which pairs, where nothing else is wrong.
    """
    parts = [problem for number in sorted(found) for problem in found[number] if problem.rule == rule.name]
    if not parts or rule.sums is None:
        return found
    others = set(map(id, parts[1:]))
    count += sum(problem.count for problem in parts)
    every = {*pairs, *(pair for problem in parts for pair in problem.pairs)}
    one = replace(parts[0], text=rule.sums(count), count=count, pairs=tuple(sorted(every)))
    return {
        number: [one if problem is parts[0] else problem for problem in problems if id(problem) not in others]
        for number, problems in found.items()
    }
