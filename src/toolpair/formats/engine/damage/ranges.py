"""Consecutive lines with the same damage form one problem: its range, its text, its fixes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.engine.damage.words import FoundDamage
from toolpair.formats.format import ResumeEffect
from toolpair.rules.problem import Fix

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
