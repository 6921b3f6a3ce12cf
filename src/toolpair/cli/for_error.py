"""`fix --for-error`: what a pasted error asks for, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from toolpair.cli.exits import UsageError
from toolpair.cli.terminal import say
from toolpair.rules.errors.texts import title_of
from toolpair.rules.registry import RULES
from toolpair.rules.rule import family_of
from toolpair.session.decisions import Decision, found_by, standing
from toolpair.session.session import Conversation, Fix, Found, Problem, Refused, Session, Target
from toolpair.shell.program import command
from toolpair.text.shell import shell_word

Wanted = tuple[int, Problem, Fix]
"""A conversation's index, a problem in it, and the fix to take."""


def stage_for_error(session: Session, text: str, choices: Mapping[str, str]) -> int:
    """Stage what each error in the text asks for, or the fix that was chosen for its rule. Returns how many of them
    nothing was found to do about.

    Raises UsageError where it is not known what is meant, and Refused where nothing can be done about it.
    """
    targets = session.find_all(text)
    if not targets:
        raise UsageError("For which error? Give its text, or - to read it from standard input.")
    own = session.profile.id
    answers: list[tuple[str, list[Wanted]]] = []
    failed: list[UsageError | Refused] = []
    for target in targets:
        by = target.profile or own
        try:
            _judge(session, by)
            answers.append((by, _wanted(session, target, choices)))
            known = target.recognised
            named = known is not None and not known.read_like
            say(f"{title_of(known.provider)}: {target.text}" if known is not None and named else target.text)
        except (UsageError, Refused) as error:
            failed.append(error)
    if not answers:
        raise failed[0]
    for other in failed:
        say(str(other))
    current = session.current
    for by, wanted in answers:
        _judge(session, by)
        session.current = wanted[0][0]
        _stage(session, wanted)
    session.current = current
    if not session.staged:
        raise Refused("What this error asks for cannot be done here; nothing was changed.")
    return len(failed)


def _judge(session: Session, profile: str) -> None:
    """Judge the session by the rules of the provider that answered: each error of a paste may be from another one."""
    if session.profile.id != profile:
        session.set_profile(profile)


def _stage(session: Session, wanted: Sequence[Wanted]) -> None:
    if len(wanted) > 1:
        ways = {problem.key: fix.id for _, problem, fix in wanted}

        def pick(problem: Problem) -> Fix | None:
            way = next((fix for fix in problem.fixes if fix.id == ways.get(problem.key)), None)
            return None if way is None else replace(way, recommended=False)  # asked for by name

        session.stage_where(pick)
        return
    decision = Decision.of(wanted[0][1], wanted[0][2], None)
    # What was staged before may have read the block anew, or have put it right.
    for _, (problem, fix) in found_by([decision], standing([decision], session.conversation)):
        session.stage(problem, fix)


def _wanted(session: Session, target: Target, choices: Mapping[str, str]) -> list[Wanted]:
    """What is to be staged for one error; says what the error is."""
    number = target.conversation if target.conversation is not None else session.current
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
    if target.recognised is None and not is_meant(target):
        raise UsageError(f"{target.text}{_choices(about)}")
    problem = target.problem
    if problem is None or not is_meant(target):
        known = target.recognised
        # Where rules look for it and find nothing, nothing is to be done.
        untold = known is not None and problem is None and not known.error.rules
        remedy = f" What to do: {known.error.remedy}" if known is not None and untold else ""
        if known is not None and known.error.command:
            file = shell_word(str(session.path)) if session.path is not None else "FILE"
            remedy += f" Run: {command(known.error.command.replace('FILE', file, 1))}"
        if problem is None:
            raise UsageError(f"{target.text}{remedy}")
        unsure = f"{problem.text} It is not certain that the error means this, so nothing was changed."
        raise UsageError(f"{target.text}{remedy} {unsure}{_choices(about)}")
    fix = problem.recommended
    if fix is None:
        why = problem.no_fix or "No fix of it is recommended."
        raise Refused(f"{target.text} {problem.text} {why}{_choices([problem])}")
    if target.found.is_placed or problem.named is not None:
        return [(number, problem, fix)]
    # It is about any such block: the request is refused until none is left.
    rules = target.recognised.error.rules if target.recognised is not None else ()
    found = _all_of(session.conversations[number], problem, rules)
    read_like = target.recognised is not None and target.recognised.read_like
    return [
        (number, one, way) for one in found if (way := _same(one, fix)) is not None and not (read_like and way.loses)
    ]


def _choices(about: Sequence[Problem]) -> str:
    ways = dict.fromkeys(f"--choose {problem.rule}={fix.id}" for problem in about for fix in problem.fixes)
    return f" What can be done there: {', '.join(ways)}." if ways else ""


def is_meant(target: Target) -> bool:
    """Whether the problem that was found is what the error is about, and not only the nearest thing in the file."""
    known, problem = target.recognised, target.problem
    if known is None or problem is None:
        return problem is not None and target.found is Found.INDEX
    placed = target.found.is_placed
    best = problem.recommended
    if known.read_like and not placed and (best is None or best.loses):
        return False  # too little is known to lose something for it
    alike = {like for rule in known.error.rules for like in RULES[rule].alike}
    if problem.named is not None or problem.rule in (*known.error.rules, *alike):
        return placed or not known.names_a_place
    # A result without an id breaks the pair as well, which is the one problem that is told.
    of_ids = any(family_of(rule) == "id" for rule in known.error.rules)
    return placed and of_ids and problem.result is not None and not problem.result.id


def _is_of(problem: Problem, rule: str) -> bool:
    return problem.rule == rule or problem.rule.startswith(f"{rule}.")


def _all_of(conversation: Conversation, problem: Problem, rules: Sequence[str]) -> Sequence[Problem]:
    """The problem, the others that break its rule, and those that break another rule that the text is about."""
    others = (one for one in conversation.problems if one.key != problem.key and not one.guess)
    return [
        problem,
        *(one for one in others if one.rule == problem.rule or (one.rule in rules and one.severity != "info")),
    ]


def _same(problem: Problem, fix: Fix) -> Fix | None:
    own = next((one for one in problem.fixes if one.id == fix.id), None)
    return own or problem.without_guessing
