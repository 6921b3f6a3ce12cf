"""Judging a transcript: every family of rules over one pairing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
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
    responses_items,
    roles,
    server_tools,
    turns,
)
from toolpair.rules.base import OnResume, Problem
from toolpair.rules.binding import SignedThinking
from toolpair.rules.context import Context
from toolpair.rules.error_texts import words_for
from toolpair.rules.profiles import Profile
from toolpair.rules.unreadable import Unreadable
from toolpair.transcript.model import Transcript
from toolpair.transcript.pairing import Pair, Pairing, pair

FAMILIES: Final[tuple[Callable[[Context], None], ...]] = (
    pairs.check,
    roles.check,
    ids.check,
    arguments.check,
    turns.check,
    contents.check,
    server_tools.check,
    reasoning.check,
    responses_items.check,
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
    unreadable: Unreadable | None = None,
) -> Judgement:
    """All problems of a transcript in its own order. `on_resume` is the agent's model, `own_rules` the format's.

    `unreadable` are the calls and results in records that cannot be read.
    """
    context = Context(transcript, pair(transcript), profile, unreadable or Unreadable())
    for check in FAMILIES:
        check(context)
    if own_rules is not None:
        own_rules(context)
    thinking = SignedThinking(transcript)
    starts = [0, *accumulate(len(message.blocks) for message in transcript.messages)]
    problems = [
        _finished(transcript, problem, profile, on_resume, thinking, starts)
        for problem in sorted(context.problems, key=lambda found: (found.message or 0, found.block or 0))
    ]
    return Judgement(context.pairing, tuple(problems))


def _finished(
    transcript: Transcript,
    problem: Problem,
    profile: Profile,
    on_resume: Callable[[Transcript, Problem], OnResume | None] | None,
    thinking: SignedThinking,
    starts: Sequence[int],
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
    item = starts[problem.message] + (problem.block or 0) if problem.message is not None else None
    says = words_for(problem, profile.id, item) if problem.severity == "error" else None
    return replace(
        problem,
        on_resume=resumed,
        impact=impact,
        api_says=says,
        fixes=thinking.note(problem.fixes),
    )
