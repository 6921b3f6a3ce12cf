"""Problems that an error text makes acute: what a rule only warns of, or cannot see by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from toolpair.rules.binding import SignedThinking
from toolpair.rules.context import Context
from toolpair.rules.pair_states import set_states
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import Profile
from toolpair.rules.registry import RULES
from toolpair.rules.where import NamedPlace
from toolpair.transcript.model import Transcript
from toolpair.transcript.pairing import Pairing

_ARTICLES: Final = ("A", "An", "The", "This")


def raised(problem: Problem) -> Problem:
    """The problem as an error: its own fix is recommended, else the first that is no guess."""
    if problem.guess or problem.severity == "error":
        return problem
    best = problem.without_guessing or next((fix for fix in problem.fixes if fix.certain), None)
    fixes = tuple(replace(fix, recommended=fix is best) for fix in problem.fixes)
    return replace(problem, severity="error", own_impact="stops", fixes=fixes)


def offered(problem: Problem) -> Problem:
    """The problem where no error names it: its fixes are there to be chosen."""
    fixes = tuple(replace(fix, recommended=False) for fix in problem.fixes)
    first, _, rest = problem.text.partition(" ")
    text = f"If an API says so: {first.lower() if first in _ARTICLES else first} {rest}"
    return replace(problem, severity="info", own_impact="harmless", text=text, cause=None, fixes=fixes)


def named_problems(
    transcript: Transcript, pairing: Pairing, profile: Profile, rules: Iterable[str], place: NamedPlace
) -> tuple[Problem, ...]:
    """What these rules find at a place only because it was named."""
    checks = dict.fromkeys(
        check for name in rules if (rule := RULES.get(name)) is not None and (check := rule.named) is not None
    )
    if not checks:
        return ()
    context = Context(transcript, pairing, profile)
    set_states(context)
    for check in checks:
        check(context, place)
    context.make_fixes()
    # What a rule finds elsewhere is not what was named, unless it reports all its places as one.
    found = [one for one in context.problems if place.message in (None, one.message) or RULES[one.rule].whole_history]
    thinking = SignedThinking(transcript if context.wire in ("anthropic", "bedrock") else Transcript(()))
    return tuple(replace(problem, fixes=thinking.note(problem.fixes), named=place) for problem in found)
