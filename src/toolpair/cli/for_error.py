"""`fix --for-error`: what a pasted error asks for, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolpair.cli.exits import UsageError
from toolpair.cli.terminal import say
from toolpair.rules.errors.texts import title_of
from toolpair.session.decisions import Decision, found_by, standing
from toolpair.session.session import Fix, Problem, Refused, Session, Target

Wanted = tuple[int, Problem, Fix]
"""A conversation's index, a problem in it, and the fix to take."""


def stage_for_error(session: Session, text: str, choices: Mapping[str, str]) -> None:
    """Stage what each error in the text asks for, or the fix that was chosen for its rule.

    Raises UsageError where it is not known what is meant, and Refused where nothing can be done about it.
    """
    targets = session.find_all(text)
    if not targets:
        raise UsageError("For which error? Give its text, or - to read it from standard input.")
    wanted: list[Wanted] = []
    for target in targets:
        wanted += _wanted(session, target, choices)
    current = session.current
    for number, problem, fix in wanted:
        session.current = number
        decision = Decision.of(problem, fix, None)
        # What was staged before may have read the block anew, or have put it right.
        found = found_by([decision], standing([decision], session.conversation))
        for _, (now, way) in found:
            session.stage(now, way)
    session.current = current


def _wanted(session: Session, target: Target, choices: Mapping[str, str]) -> list[Wanted]:
    """What is to be staged for one error; says what the error is."""
    number = target.conversation if target.conversation is not None else session.current
    if target.recognised is not None:
        say(f"{title_of(target.recognised.provider)}: {target.recognised.error.meaning}")
    if target.profile is not None:
        session.set_profile(target.profile)
    about = [problem for problem in (target.problem, *target.offers) if problem is not None]
    if choices:
        chosen = [
            (number, problem, fix)
            for problem in about
            for fix in problem.fixes
            if any(fix.id == id_ and _is_of(problem, rule) for rule, id_ in choices.items())
        ]
        if not chosen:
            ways = sorted({f"{problem.rule}={fix.id}" for problem in about for fix in problem.fixes})
            there = f"; there are {', '.join(ways)}" if ways else ""
            raise UsageError(f"{target.text} No such fix is offered there{there}.")
        return chosen[:1]
    if target.recognised is None:
        ways = [f"--choose {problem.rule}={fix.id}" for problem in about for fix in problem.fixes]
        offered = f" What can be done there: {', '.join(ways)}." if ways else ""
        raise UsageError(f"{target.text}{offered}")
    problem = target.problem
    if problem is None or not is_meant(target):
        raise UsageError(f"{target.text} Nothing was changed.")
    fix = problem.recommended
    if fix is None:
        raise Refused(f"{target.text} {problem.no_fix or 'No fix of it is recommended.'} Nothing was changed.")
    if (target.how or "").startswith("by ") or problem.named is not None:
        return [(number, problem, fix)]
    # It is about any such block: the request is refused until none is left.
    return [(number, one, way) for one in _all_of(session, number, problem) if (way := _same(one, fix)) is not None]


def is_meant(target: Target) -> bool:
    """Whether the problem that was found is what the error is about, and not only the nearest thing in the file."""
    known, problem = target.recognised, target.problem
    if known is None or problem is None:
        return False
    if problem.rule in known.error.rules or problem.named is not None:
        return not known.names_a_place or (target.how or "").startswith("by ")
    return problem.severity == "error" and (target.how or "").startswith("by ")


def _is_of(problem: Problem, rule: str) -> bool:
    return problem.rule == rule or problem.rule.startswith(f"{rule}.")


def _all_of(session: Session, number: int, problem: Problem) -> Sequence[Problem]:
    others = [one for one in session.conversations[number].problems if one.rule == problem.rule]
    return [problem, *(one for one in others if one.key != problem.key and not one.guess)]


def _same(problem: Problem, fix: Fix) -> Fix | None:
    own = next((one for one in problem.fixes if one.id == fix.id), None)
    return own or problem.without_guessing
