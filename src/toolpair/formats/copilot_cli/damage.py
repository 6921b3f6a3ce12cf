"""What Copilot CLI does about damaged lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from toolpair.dialects import copilot as dialect
from toolpair.formats.copilot_cli.detection import ABORT, ASKED, RESUME, START, data_of, kind_of
from toolpair.formats.copilot_cli.events import NEEDS, lacks_id
from toolpair.formats.copilot_cli.history import NOT_LOADED, TITLE, History
from toolpair.formats.engine.damage.lost import effect_on_readers, held_in, held_in_part, ids_in
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.format import Damage, Item, ResumeEffect
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Transcript

_TELLING: Final = frozenset({*dialect.ROLES, dialect.SUMMARY, START, ASKED, ABORT, RESUME})
"""Types of events by which what is sent may change."""


def _damage(history: History, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    blocks = [block for turn in history.turns for block in turn.blocks]
    answers: dict[str, set[int]] = {}
    for block in blocks:
        if block.kind == "result" and isinstance(block.id, str):
            answers.setdefault(block.id, set()).add(block.record)
    called = {block.id for block in blocks if block.kind == "call" and isinstance(block.id, str)}
    for damage in found:
        if damage.rule == "record.bom":
            yield ResumeEffect("harmless", f"{TITLE} ignores it", "healed") if damage.front else None
        elif damage.readable and damage.rule != "record.bad_utf8":
            yield effect_on_readers(damage, TITLE)
        elif damage.rule == "record.nul" and not damage.values and not damage.partial:
            yield ResumeEffect("harmless", f"{TITLE} skips it", "healed")
        elif damage.first:
            yield ResumeEffect("stops", NOT_LOADED, "rejected", complete=_is_complete(damage))
        else:
            yield _deleted(damage, answers, called)


def _deleted(damage: Damage, answers: Mapping[str, Collection[int]], called: Collection[str]) -> ResumeEffect:
    """The agent writes the file again without the line when it resumes it.

    `answers`: id -> the records with its results.
    """
    held = [*held_in(damage.values), *held_in_part(damage.partial)]
    ids = {one.id for one in held if one.real}
    if not ids and dialect.RESULT.encode() in damage.raw:
        ids = ids_in(damage.raw)[0].intersection(called)
    outputs = sum(not any(record != damage.record for record in answers.get(id_, ())) for id_ in ids)
    says, complete = f"{TITLE} deletes it from the file", _is_complete(damage)
    kinds = [kind_of(value) for value in (*damage.values, damage.partial) if value is not None]
    if not outputs and kinds and all(kind in NEEDS and kind not in _TELLING for kind in kinds):
        return ResumeEffect("harmless", says, "dropped", complete=complete)
    loses = "its output" if outputs == 1 else plural(outputs, "output") if outputs else "the record"
    return ResumeEffect("loses", says, "dropped", loses, outputs, complete)


def _is_complete(damage: Damage) -> bool:
    """Whether an event says enough once its end is written. What is cut off of its envelope, a fix writes again."""
    if damage.rule != "record.torn":
        return True
    value = damage.values[0] if damage.values else damage.partial
    kind, data = kind_of(value), data_of(value)
    whole = bool(damage.values) or (bool(data) and next(reversed(value)) != "data")
    if kind == dialect.RESULT:
        last = next(reversed(data), "") if not whole else ""
        says = bool(dialect.output_of(data)) and isinstance(data.get("success"), bool) and last != "toolCallId"
        return says and not lacks_id(value)
    if kind == dialect.USER:
        return isinstance(data.get("content"), str)
    return whole and (kind in dialect.ROLES or kind == START) and not lacks_id(value)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return list(_damage(facts_of(transcript, History), found))
