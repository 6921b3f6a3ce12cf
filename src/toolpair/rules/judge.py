"""Running all rules over one transcript: every check shares one pairing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.rules.context import Context
from toolpair.rules.pair_states import set_states
from toolpair.rules.problem import AnswerLookup, OnResume, Problem, Severity
from toolpair.rules.profiles import Profile
from toolpair.rules.registry import CHECKS
from toolpair.rules.rule import Check
from toolpair.rules.unreadable import UnreadableParts
from toolpair.transcript.model import Transcript
from toolpair.transcript.pairing import Pair, Pairing, pair

if TYPE_CHECKING:
    from toolpair.rules.binding import SignedThinking
    from toolpair.rules.errors.message_counting import Counted, Source

_NOTHING: Final = Transcript(())


class Judgement(Struct, frozen=True, eq=False):
    """The problems of one transcript under one profile."""

    pairing: Pairing
    problems: tuple[Problem, ...]
    new_ids: frozenset[str] = frozenset()
    """The new ids that its fixes would hand out."""

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
    unreadable: UnreadableParts | None = None,
    sent: Callable[[], Iterable[Source] | None] | None = None,
    own_provider: bool = True,
) -> Judgement:
    """All problems of a transcript, in its own order. `on_resume` models the agent; `own_rules` are the rules of the
    file and its format, which run after the transcript's checks and see their problems.

    `unreadable` are the calls and results in unreadable records. `sent` returns what the agent would send, which is
    what the API counts; None when it sends the transcript as it is. `own_provider`: the profile is of the kind that the
    agent sends to, so what it leaves out is not an error.
    """
    context = Context(transcript, pair(transcript), profile, unreadable or UnreadableParts())
    set_states(context)
    _run(context, CHECKS)
    if own_rules is not None:
        own_rules(context)
    if not context.problems:
        return Judgement(context.pairing, ())
    from toolpair.rules.binding import SignedThinking

    thinking = SignedThinking(transcript if context.wire in ("anthropic", "bedrock") else _NOTHING)

    @cache
    def count() -> Counted:
        from toolpair.rules.errors.message_counting import counted_as_sent, counted_transcript

        messages = sent() if sent is not None else None
        if messages is None:
            return counted_transcript(transcript, profile.base)
        return counted_as_sent(transcript, messages, profile.base)

    def says(problem: Problem, /, first: int = 0, unsent: int | None = None) -> str | None:
        from toolpair.rules.errors.quotes import words_for

        return words_for(problem, profile.base, count, first, unsent)

    problems = [
        _finished(transcript, problem, on_resume, thinking, says, own_provider)
        for problem in sorted(context.problems, key=lambda found: (found.message or 0, found.block or 0))
    ]
    return Judgement(context.pairing, tuple(problems), context.handed_out)


def _run(context: Context, checks: Iterable[Check]) -> None:
    """Run the checks in the given order, which makes no difference: problems are listed in registry order."""
    found: dict[Check, list[Problem]] = {}
    for check in checks:
        context.problems = found[check] = []
        check(context)
    context.problems = [problem for check in CHECKS for problem in found[check]]
    context.make_fixes()


def _finished(
    transcript: Transcript,
    problem: Problem,
    on_resume: Callable[[Transcript, Problem], OnResume | None] | None,
    thinking: SignedThinking,
    says: AnswerLookup,
    own_provider: bool,
) -> Problem:
    """The problem completed with what its agent does, the resulting impact, the API's words and notes on thinking."""
    # What agents make of another API's form has not been measured.
    asked = on_resume if problem.cause is None or problem.cause.id != "other_form" else None
    resumed = asked(transcript, problem) if asked is not None else None
    impact, severity, text = problem.impact, problem.severity, problem.text
    if resumed is not None:
        if resumed.effect == "rejected" and problem.rule == "turn.trailing_call":
            severity = "error"  # its agent does not answer it
        if resumed.effect == "rejected" and severity == "error":
            impact = "stops"
        elif resumed.loses is not None:
            impact = "loses"
        else:
            impact = "harmless"
    if resumed is not None and resumed.effect == "rejected" and severity != "error" and not resumed.loses:
        resumed = _sent_as_it_is(resumed, severity) if resumed.sends else resumed
    if own_provider and problem.rule == "content.empty_text" and resumed is not None and resumed.effect == "healed":
        severity, text = "info", text.replace(" refuses.", " would refuse.")  # it never reaches the provider
    return replace(
        problem,
        severity=severity,
        text=text,
        on_resume=resumed,
        impact=impact,
        says=says if severity == "error" else None,
        fixes=thinking.note(problem.fixes),
    )


def _sent_as_it_is(resumed: OnResume, severity: Severity) -> OnResume:
    """What is said of an agent's request where its API is not known to refuse it."""
    text = f"{resumed.agent} sends it as it is."
    if severity == "warning":
        text = f"{resumed.agent} sends it as it is, which the API may refuse."
    return replace(resumed, effect="kept", text=text)
