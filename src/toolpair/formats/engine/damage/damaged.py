"""Damaged records: finding them, explaining them through their format's agent, and offering repairs of their bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.engine.damage.found import flawed, unreadable
from toolpair.formats.engine.damage.lost import held_in, held_in_part, ids_in
from toolpair.formats.engine.damage.words import (
    FoundDamage,
    cause_of,
    no_fix_of,
    repairs_for,
    severity_of,
    text_of_flaw,
    text_of_unreadable,
)
from toolpair.formats.format import Format, Item, ResumeEffect
from toolpair.rules.context import Context
from toolpair.rules.elsewhere import COPY
from toolpair.rules.problem import Fix, OnResume, Problem
from toolpair.rules.unreadable import UnreadablePart, UnreadableParts, repair
from toolpair.rules.where import Where
from toolpair.source.document import Document
from toolpair.transcript.edits import MendBytes
from toolpair.transcript.model import Block, Damaged, Transcript

_IT: Final = re.compile(r"\bit\b")
_OF_MANY: Final = (
    ("skips it", "skips them"),
    ("skips the line", "skips the lines"),
    ("still reads the record", "still reads the records"),
    ("reads only the first of them", "reads only the first record of each"),
)
_LOST: Final = {
    "the record": "the records",
    "the record, and the history before it": "the records, and the history before them",
    "what it says": "what they say",
}


class DamagedRecords:
    """All damaged records of a file."""

    def __init__(
        self,
        format: Format,
        items: Sequence[Item],
        transcript: Transcript,
        document: Document,
        without: Callable[[Set[int]], tuple[Sequence[Item], Transcript]],
    ) -> None:
        """`without` gives the records, and their transcript, as an agent has them that cannot read some of them."""
        self._format = format
        self._items = items
        self._agent = transcript.agent
        candidates = [*unreadable(items, document), *flawed(transcript, document, format)]
        damages = [found.damage for found in candidates]
        # An agent whose sessions these are, and of which it is known what it sends, reads nothing but JSON.
        strict = transcript.native and format.sees is not None and not format.reads_nan
        no_json = {found.damage.record for found in candidates if strict and found.is_no_number}
        if no_json:
            items, transcript = without(no_json)
            damages = [
                replace(found.damage, readable=False) if strict and found.is_no_number else found.damage
                for found in candidates
            ]
        effects = format.damage(items, transcript, damages) if candidates else ()
        self.found: tuple[FoundDamage, ...] = tuple(
            FoundDamage(candidate.damage, effect_on_resume, candidate.reason, repairs_for(candidate, effect_on_resume))
            for candidate, effect_on_resume in zip(candidates, effects, strict=True)
            if effect_on_resume is not None
        )
        self._ranges = {(found.damage.record, found.damage.rule): DamagedRange((found,)) for found in self.found}
        """(record uid, rule) of a problem -> the damage it is about."""

    def unreadable(self) -> UnreadableParts:
        """The calls and results in unreadable records, by id."""
        results: dict[str, UnreadablePart] = {}
        calls: dict[str, UnreadablePart] = {}
        outputs: list[UnreadablePart] = []
        for found in self.found:
            damage = found.damage
            if damage.readable:
                continue
            for held in held_in(damage.values):
                lost = UnreadablePart(damage.record, damage.line, found.reason, found.restores)
                (results if held.is_result else calls).setdefault(held.id, lost)
            partly = list(held_in_part(damage.partial))
            is_one_of_several = sum(held.is_result for held in partly) > 1
            for held in partly:
                # Keeping one sets the record aside, and what is left of the others with it.
                content = held.content if held.real and not is_one_of_several else None
                lost = UnreadablePart(
                    damage.record, damage.line, found.reason, found.closes_after, content, held.is_error
                )
                (results if held.is_result else calls).setdefault(held.id, lost)
            named, called = ids_in(damage.named)
            # Something else may be wrong with it as well, which shows when it can be read.
            lost = UnreadablePart(damage.record, damage.line, found.reason, found.restores if damage.values else None)
            for id_ in named:
                results.setdefault(id_, lost)
            for id_ in called - named:
                calls.setdefault(id_, lost)
            if found.effect_on_resume.holds_output or is_one_of_several:
                outputs.append(lost)
        return UnreadableParts(results, calls, tuple(outputs))

    def check(self, context: Context) -> None:
        """Add a problem for each range of damaged records."""
        self._drop_repaired_links(context)
        waiting = _waiting(context) if self.found else {}
        known = _known_elsewhere(context) if self.found else {}
        told = {(problem.record, problem.rule) for problem in context.problems if problem.rule.startswith("record.")}
        untold = [found for found in self.found if (found.damage.record, found.damage.rule) not in told]
        kept = {id(found): _kept_results(context, found, waiting, known) for found in untold}
        for range_ in in_ranges((found, not kept[id(found)]) for found in untold):
            found, effect_on_resume = range_.first, range_.effect_on_resume
            damage = found.damage
            text = (
                text_of_flaw(found)
                if damage.readable
                else text_of_unreadable(range_.lines, range_.reason, effect_on_resume)
            )
            self._ranges[damage.record, damage.rule] = range_
            fixes = _one_recommended([*kept[id(found)], *range_.fixes])
            severity = severity_of(damage, effect_on_resume)
            context.add(
                damage.rule,
                text,
                Where(record=damage.record, until=range_.until),
                severity=severity,
                impact=effect_on_resume.impact,
                cause=cause_of(found),
                fixes=fixes,
                no_fix=no_fix_of(damage.rule, severity, fixes),
            )

    def on_resume(self, problem: Problem) -> OnResume | None:
        """What the agent does about a damaged record; None for others, and without an agent. No version is named."""
        told = self._ranges.get((problem.record, problem.rule)) if problem.record is not None else None
        if told is None or self._agent is None:
            return None
        effect_on_resume = told.effect_on_resume
        lost = (
            f" Lost without telling you: {effect_on_resume.loses}."
            if effect_on_resume.loses and effect_on_resume.effect == "dropped"
            else ""
        )
        return OnResume(
            self._agent,
            None,
            effect_on_resume.effect,
            effect_on_resume.loses,
            f"{effect_on_resume.says}.{lost}",
            effect_on_resume.outputs,
        )

    @property
    def skipped(self) -> frozenset[int]:
        """uids of the records that toolpair can read but the agent skips."""
        if self._agent is None:
            return frozenset()
        return frozenset(
            found.damage.record
            for found in self.found
            if found.damage.readable
            and found.effect_on_resume.effect == "dropped"
            and not found.effect_on_resume.begins_anew
        )

    @property
    def refused(self) -> str | None:
        """Why the agent does not resume the file at all, as a sentence; None if it does."""
        if self._agent is None:
            return None
        return next(
            (
                f"{_IT.sub('a damaged record', found.effect_on_resume.says, count=1)}."
                for found in self.found
                if found.effect_on_resume.impact == "stops" or found.effect_on_resume.begins_anew
            ),
            None,
        )

    @property
    def reasons(self) -> dict[int, str]:
        """uid of the first record of each range -> what is wrong with its lines."""
        return {record: told.reason for (record, _), told in self._ranges.items()}

    @property
    def outputs(self) -> int:
        """How many real outputs the model does not see because they are in damaged records."""
        return sum(found.effect_on_resume.outputs for found in self.found if not found.damage.readable)

    def _drop_repaired_links(self, context: Context) -> None:
        """A link to a record on a damaged line is fixed by repairing the line."""
        key = self._format.id_key
        if key is None:
            return
        there = {
            value[key]
            for found in self.found
            if found.restores is not None or found.closes
            for value in (*found.damage.values, found.damage.partial)
            if isinstance(value, dict) and isinstance(value.get(key), str)
        }
        there -= {
            id_
            for item in self._items
            if isinstance(item.value, Damaged) and isinstance(item.value.first, dict)
            if isinstance(id_ := item.value.first.get(key), str)
        }
        if not there:
            return
        cut = {problem.record for problem in context.problems if problem.rule.startswith("chain.")}
        mended_by_line = {
            item.uid
            for item in self._items
            if item.uid in cut
            and isinstance(item.value, dict)
            and not there.isdisjoint(_named_by(item.value, tuple(self._format.links)))
        }
        context.problems[:] = [
            problem
            for problem in context.problems
            if not (problem.rule.startswith("chain.") and problem.record in mended_by_line)
        ]


def _named_by(value: dict[str, Any], links: tuple[str, ...]) -> Iterator[str]:
    """The records that a record refers to: its parent, and those that a compaction kept."""
    todo: list[Any] = [value.get(key) for key in links]
    while todo:
        found = todo.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, (dict, list)):
            todo.extend(found.values() if isinstance(found, dict) else found)


def _waiting(context: Context) -> dict[str, list[Block]]:
    """The calls without results, by id."""
    found: dict[str, list[Block]] = {}
    for pair in context.pairing.pairs:
        if pair.call is not None and not pair.results and isinstance(pair.call.id, str):
            found.setdefault(pair.call.id, []).append(pair.call)
    return found


def _known_elsewhere(context: Context) -> dict[Any, tuple[Problem, Fix]]:
    """Call key -> the problem that offers the whole output from elsewhere, and its fix."""
    found: dict[Any, tuple[Problem, Fix]] = {}
    for problem in context.problems:
        fix = next((fix for fix in problem.fixes if fix.id.startswith(COPY) and fix.recommended), None)
        if problem.call is not None and fix is not None:
            found[problem.call.key] = problem, fix
    return found


def _kept_results(
    context: Context,
    found: FoundDamage,
    waiting: Mapping[str, Sequence[Block]],
    known: Mapping[Any, tuple[Problem, Fix]],
) -> list[Fix]:
    """For a cut-off record with a result: fixes that give its readable part to the call that waits for it.

    The whole output is better, if it is known from elsewhere.
    """
    if found.damage.readable or found.restores is not None or found.damage.partial is None:
        return []
    for held in held_in_part(found.damage.partial):
        for call in waiting.get(held.id, ()) if held.real else ():
            lost = context.unreadable.of_call(call)
            if lost is None or lost.fix is not None or lost.record != found.damage.record:
                continue
            elsewhere = known.get(call.key)
            fixes = repair(lost, call, recommended=elsewhere is None)
            if fixes and elsewhere is not None and elsewhere[0].severity != "error":
                aside = MendBytes(found.damage.record, "aside")
                whole = replace(elsewhere[1], edits=(*elsewhere[1].edits, aside), note=fixes[0].note)
                return [whole, fixes[0]]
            if fixes:
                return list(fixes[:1])
    return []


def _one_recommended(fixes: Sequence[Fix]) -> list[Fix]:
    """The fixes with only the first one recommended."""
    first = next((fix for fix in fixes if fix.recommended), None)
    return [fix if fix is first or not fix.recommended else replace(fix, recommended=False) for fix in fixes]


# --- neighbouring lines that are damaged alike -----------------------------------------------------------------


class DamagedRange(Struct, frozen=True):
    """Consecutive damaged records, usually one."""

    members: tuple[FoundDamage, ...]

    @property
    def first(self) -> FoundDamage:
        return self.members[0]

    @property
    def until(self) -> int | None:
        """The uid of the last record, if it is not the first one."""
        last = self.members[-1].damage
        uid = last.after[-1] if last.after else last.record
        return uid if uid != self.first.damage.record else None

    @property
    def several(self) -> bool:
        """Whether it is more than one damaged record. A single one may span several lines."""
        return len(self.members) > 1 or self.first.damage.lines > 1

    @property
    def lines(self) -> tuple[int, int] | None:
        """(first line, last line); for a single record the line where it begins."""
        first, last = self.first.damage, self.members[-1].damage
        if first.line is None or last.line is None:
            return None
        return first.line, last.line + last.lines - 1 + (len(last.after) if self.several else 0)

    @property
    def reason(self) -> str:
        """What is wrong with all of them."""
        reasons = dict.fromkeys(found.reason for found in self.members)
        kinds = dict.fromkeys(reason.partition(":")[0] for reason in reasons)
        return next(iter(reasons)) if len(reasons) == 1 else " or ".join(list(kinds)[:2])

    @property
    def effect_on_resume(self) -> ResumeEffect:
        """What the agent does about them, in the plural if there are several."""
        effect_on_resume = self.first.effect_on_resume
        if not self.several:
            return effect_on_resume
        says = effect_on_resume.says
        for one, many in _OF_MANY:
            says = says.replace(one, many)
        return replace(
            effect_on_resume, says=says, loses=_LOST.get(effect_on_resume.loses or "", effect_on_resume.loses)
        )

    @property
    def fixes(self) -> list[Fix]:
        """The fixes; each one fixes the whole range."""
        if not self.several:
            return list(self.first.ways)
        return [_for_all([found.ways[number] for found in self.members]) for number in range(len(self.first.ways))]


def in_ranges(found: Iterable[tuple[FoundDamage, bool]]) -> Iterator[DamagedRange]:
    """The ranges in file order. Each record comes with whether it may be reported together with its neighbours."""
    members: list[FoundDamage] = []
    alike: Hashable = None
    next_at = -1
    """The position after the last of `members`."""
    for one, joins in found:
        kind = _kind(one) if joins else None
        if members and (kind is None or kind != alike or one.damage.at != next_at):
            yield DamagedRange(tuple(members))
            members = []
        members.append(one)
        alike, next_at = kind, one.damage.at + 1 + len(one.damage.after)
    if members:
        yield DamagedRange(tuple(members))


def _kind(found: FoundDamage) -> Hashable:
    """A key that records with the same damage share; None for a record that is reported alone."""
    damage, effect_on_resume = found.damage, found.effect_on_resume
    if damage.readable or effect_on_resume.outputs:
        return None
    ways = tuple((way.id, way.recommended, way.loses) for way in found.ways)
    return (
        damage.rule,
        effect_on_resume.impact,
        effect_on_resume.says,
        effect_on_resume.effect,
        effect_on_resume.loses,
        effect_on_resume.complete,
        ways,
    )


def _for_all(fixes: Sequence[Fix]) -> Fix:
    """One fix in place of several of the same kind."""
    first = fixes[0]
    return replace(
        first,
        title=first.several or first.title,
        edits=tuple(edit for fix in fixes for edit in fix.edits),
        loses="what can be read in them" if first.loses == "what can be read in it" else first.loses,
    )
