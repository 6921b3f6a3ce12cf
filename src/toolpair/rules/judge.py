"""Judging a transcript: every family of rules over one pairing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolpair.rules import (
    arguments,
    chain,
    contents,
    fields,
    ids,
    pairs,
    reasoning,
    records,
    roles,
    server_tools,
    turns,
)
from toolpair.rules.base import Fix, OnResume, Problem
from toolpair.rules.context import Context
from toolpair.rules.error_texts import words_for
from toolpair.rules.profiles import Profile
from toolpair.transcript.edits import Edit, InsertMessage, Remove, SetField
from toolpair.transcript.model import Block, Transcript
from toolpair.transcript.pairing import Pair, Pairing, pair
from toolpair.transcript.words import plural

FAMILIES: Final[tuple[Callable[[Context], None], ...]] = (
    pairs.check,
    roles.check,
    ids.check,
    arguments.check,
    turns.check,
    contents.check,
    server_tools.check,
    reasoning.check,
    fields.check,
    records.check,
    chain.check,
)
"""Every family of rules; a new one is a module and a line here."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What one profile says of one transcript."""

    pairing: Pairing
    problems: tuple[Problem, ...]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return self.pairing.pairs

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "error")


def judge(
    transcript: Transcript,
    profile: Profile,
    on_resume: Callable[[Transcript, Problem], OnResume | None] | None = None,
    own_rules: Callable[[Context], None] | None = None,
) -> Judgement:
    """All problems of a transcript in its own order. `on_resume` is the agent's model, `own_rules` the format's."""
    context = Context(transcript, pair(transcript), profile)
    for check in FAMILIES:
        check(context)
    if own_rules is not None:
        own_rules(context)
    signed = _signed_thinking(transcript)
    problems = [
        _finished(transcript, problem, profile, on_resume, signed)
        for problem in sorted(context.problems, key=lambda found: (found.message or 0, found.block or 0))
    ]
    return Judgement(context.pairing, tuple(problems))


def _finished(
    transcript: Transcript,
    problem: Problem,
    profile: Profile,
    on_resume: Callable[[Transcript, Problem], OnResume | None] | None,
    signed: Sequence[tuple[int, Block]],
) -> Problem:
    """The problem with what its agent does, the impact that follows, the API's words and notes on thinking."""
    resumed = on_resume(transcript, problem) if on_resume is not None else None
    impact = problem.impact
    if resumed is not None:
        if resumed.effect == "rejected" and problem.severity == "error":
            impact = "stops"
        elif resumed.loses is not None:
            impact = "loses"
        else:
            impact = "harmless"
    says = words_for(problem, profile.id) if problem.severity == "error" else None
    fixes = tuple(_with_thinking_note(transcript, fix, signed) for fix in problem.fixes) if signed else problem.fixes
    remedy = _remedy(transcript, fixes, signed) if signed else None
    return replace(
        problem,
        on_resume=resumed,
        impact=impact,
        api_says=says,
        fixes=(*fixes, remedy) if remedy is not None else fixes,
    )


def _signed_thinking(transcript: Transcript) -> list[tuple[int, Block]]:
    """(message, block) of the thinking blocks that carry a signature, in order."""
    return [
        (number, block)
        for number, message in enumerate(transcript.messages)
        for block in message.blocks
        if block.kind == "thinking" and reasoning.signed(block)
    ]


def _first_touched(transcript: Transcript, edits: Sequence[Edit]) -> int | None:
    touched = {
        id(found)
        for edit in edits
        for name in ("block", "call", "result", "message", "after")
        if (found := getattr(edit, name, None)) is not None
    }
    if any(isinstance(edit, InsertMessage) and edit.after is None for edit in edits):
        return 0
    for number, message in enumerate(transcript.messages):
        if id(message) in touched or any(id(block) in touched for block in message.blocks):
            return number
    return None


def _behind(transcript: Transcript, fix: Fix, signed: Sequence[tuple[int, Block]]) -> list[Block]:
    if all(isinstance(edit, SetField) for edit in fix.edits):
        return []
    first = _first_touched(transcript, fix.edits)
    removed = {id(edit.block) for edit in fix.edits if isinstance(edit, Remove)}
    return [block for number, block in signed if first is not None and number > first and id(block) not in removed]


def _with_thinking_note(transcript: Transcript, fix: Fix, signed: Sequence[tuple[int, Block]]) -> Fix:
    if not fix.edits or fix.note:
        return fix
    count = len(_behind(transcript, fix, signed))
    if not count:
        return fix
    return replace(
        fix,
        note=f"changes what stands before {plural(count, 'signed thinking block')}; newer models (from Claude 5.1 on) "
        'may refuse them then: drop them, or send thinking.block_binding.prefix_mismatch_behavior "drop_block"',
    )


def _remedy(transcript: Transcript, fixes: Sequence[Fix], signed: Sequence[tuple[int, Block]]) -> Fix | None:
    """The recommended fix together with removing the thinking that it may invalidate."""
    best = next((fix for fix in fixes if fix.recommended), None)
    if best is None:
        return None
    behind = _behind(transcript, best, signed)
    if not behind:
        return None
    return replace(
        best,
        id=f"{best.id}+drop-thinking",
        title=f"{best.title}, and drop the {plural(len(behind), 'signed thinking block')} behind it",
        edits=(*best.edits, *(Remove(block) for block in behind)),
        recommended=False,
        loses="the model's thinking behind this place",
        note=None,
    )
