"""A fix for a problem, named so that it can be taken again: on another state of the file, or out of the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolpair.rules.named import offered, raised
from toolpair.rules.problem import Fix, Problem
from toolpair.rules.where import NamedPlace
from toolpair.transcript.edits import Edit, InsertResult
from toolpair.transcript.model import PLACEHOLDER, Block

if TYPE_CHECKING:
    from toolpair.history.conversation import Conversation
    from toolpair.recipes.recipe import Options

LONGEST_ID: Final = 200
"""Characters: providers allow 64, and a longer one may hold anything."""
_WHOLE: Final = -1


class Decision(Struct, frozen=True):
    """A fix for a problem, identified so that it can be applied again on another state of the document."""

    rule: str
    record: int | None
    call_id: str
    result_id: str
    fix_id: str
    text: str | None
    options: Options | None = None
    """For a replica of another system, which is one decision: `fix_id` is the recipe's name, these are its options."""
    within: tuple[int, ...] | None = None
    """For a problem only because an error text named it: the block of its message, and the part of that, if named. Of
    the whole conversation `_WHOLE`, with another number where the text says that something is too large."""

    @classmethod
    def of(cls, problem: Problem, fix: Fix, text: str | None) -> Decision:
        within = _within(problem.named) if problem.named is not None else None
        ids = id_of(problem.call), id_of(problem.result)
        return cls(problem.rule, problem.record, *ids, fix.id, text, within=within)

    def has_ids_of(self, problem: Problem) -> bool:
        return (id_of(problem.call), id_of(problem.result)) == (self.call_id, self.result_id)

    def find(self, problems: Sequence[Problem]) -> tuple[Problem, Fix] | None:
        """The problem and the fix in another state of the document, preferring the same record; None when it is not
        there.
        """
        return next((pair for _, pair in found_by([self], problems)), None)

    @property
    def _key(self) -> tuple[object, ...]:
        return (self.rule, self.call_id, self.result_id, self.fix_id)


def standing(decisions: Sequence[Decision], conversation: Conversation) -> Sequence[Problem]:
    """The problems of a conversation, with those of these decisions that it has only because they are named."""
    named: list[Problem] = []
    for decision in decisions:
        if decision.within is not None:
            named += _named(conversation, decision.rule, decision.record, decision.within)
    return [*named, *conversation.problems] if named else conversation.problems


def with_named(named: Sequence[Problem], conversation: Conversation) -> Sequence[Problem]:
    """The problems of a conversation, with those that were named on another state of it as they stand now."""
    found = still_named(named, conversation)
    if not found:
        return conversation.problems
    keys = {problem.key for problem in found}
    rest = (problem for problem in conversation.problems if problem.key not in keys)
    return sorted((*rest, *found), key=lambda problem: (problem.message or 0, problem.block or 0))


def still_named(named: Sequence[Problem], conversation: Conversation) -> Sequence[Problem]:
    """Of the problems that were named on another state of a conversation those that it still has, as they stand now."""
    found: dict[tuple[object, ...], Problem] = {}
    known = {problem.key: problem for problem in conversation.problems} if named else {}
    for problem in named:
        if problem.named is None:
            if (same := known.get(problem.key)) is not None:
                found[problem.key] = raised(same) if problem.severity == "error" else same
            continue
        measured = problem.named.measured
        again = _named(conversation, problem.rule, problem.record, _within(problem.named), measured)
        same = next((one for one in again if one.key == problem.key), None)
        if same is not None:
            found[problem.key, problem.named] = same if problem.severity == "error" else offered(same)
    return tuple(found.values())


def _named(
    conversation: Conversation, rule: str, record: int | None, within: tuple[int, ...], measured: bool = False
) -> Sequence[Problem]:
    if within[:1] == (_WHOLE,):
        return conversation.named((rule,), NamedPlace(measured=measured or len(within) > 1))
    messages = conversation.messages_of({record}) if record is not None else ()
    block, part = (*within, None, None)[:2]
    return conversation.named((rule,), NamedPlace(next(iter(messages), None), block, part, measured))


def _within(place: NamedPlace) -> tuple[int, ...]:
    if place.message is None:
        return (_WHOLE, 1) if place.measured else (_WHOLE,)
    return tuple(number for number in (place.block, place.part) if number is not None)


def found_by(decisions: Sequence[Decision], problems: Sequence[Problem]) -> list[tuple[Decision, tuple[Problem, Fix]]]:
    """The problem and the fix for each decision still there: one of its record, else the first anywhere.

    Decisions that nothing tells apart get one problem after the other; those that are too many are left out.
    """
    wanted = {decision._key for decision in decisions}
    rules = {decision.rule for decision in decisions}
    anywhere: dict[tuple[object, ...], tuple[Problem, Fix]] = {}
    of_record: dict[tuple[object, ...], list[tuple[Problem, Fix]]] = {}
    for problem in problems:
        if problem.rule not in rules:
            continue
        ids = (problem.rule, id_of(problem.call), id_of(problem.result))
        for fix_id, fix in {fix.id: fix for fix in reversed(problem.fixes)}.items():
            key = (*ids, fix_id)
            if key in wanted:
                anywhere.setdefault(key, (problem, fix))
                of_record.setdefault((*key, problem.record), []).append((problem, fix))
    waiting = {key: iter(pairs) for key, pairs in of_record.items()}
    found: list[tuple[Decision, tuple[Problem, Fix]]] = []
    for decision in decisions:
        pairs = waiting.get((*decision._key, decision.record))
        pair = next(pairs, None) if pairs is not None else anywhere.get(decision._key)
        if pair is not None:
            found.append((decision, pair))
    return found


def id_of(block: Block | None) -> str:
    """A block's id, of any type, as a short name: a digest if it may be anything but an id."""
    if block is None:
        return ""
    shown = repr(block.id)
    if len(shown) <= LONGEST_ID and not isinstance(block.id, (dict, list)):
        return shown
    from hashlib import blake2b

    return f"{type(block.id).__name__} {blake2b(shown.encode(errors='backslashreplace'), digest_size=16).hexdigest()}"


class Applied(Protocol):
    """What can be applied again: decisions, and the index of their conversation."""

    @property
    def conversation(self) -> int: ...

    @property
    def decisions(self) -> tuple[Decision, ...]: ...


def edits_of(fix: Fix, text: str | None) -> tuple[Edit, ...]:
    """The fix's edits, with `text` in place of a placeholder's if given."""
    if text is None or not fix.placeholder:
        return fix.edits
    return tuple(
        replace(edit, content=text) if isinstance(edit, InsertResult) and edit.content == PLACEHOLDER else edit
        for edit in fix.edits
    )
