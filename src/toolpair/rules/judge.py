"""Running all rules over one transcript: every check shares one pairing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.rules.context import Context
from toolpair.rules.pair_states import set_states
from toolpair.rules.problem import AnswerLookup, OnResume, Problem, ResumeLookup, Severity
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
_DECIDED_BY_AGENT: Final = ("turn.trailing_call", "content.empty_text")
"""Rules whose severity depends on what the agent does."""


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
    pairing: Pairing | None = None,
) -> Judgement:
    """All problems of a transcript, in its own order. `on_resume` models the agent; `own_rules` are the rules of the
    file and its format, which run after the transcript's checks and see their problems.

    `unreadable` are the calls and results in unreadable records. `sent` returns what the agent would send, which is
    what the API counts; None when it sends the transcript as it is. `own_provider`: the profile is of the kind that the
    agent sends to, so what it leaves out is not an error. `pairing` is the transcript's, if it is known already.
    """
    context = Context(transcript, pairing or pair(transcript), profile, unreadable or UnreadableParts())
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
    """The problem completed with what its agent does, the API's words and notes on thinking."""
    severity, text = problem.severity, problem.text
    # What agents make of another API's form has not been measured.
    other_form = problem.cause is not None and problem.cause.id == "other_form"
    asked = None if on_resume is None or other_form else cache(partial(on_resume, transcript, problem))
    if asked is not None and problem.rule in _DECIDED_BY_AGENT and (resumed := asked()) is not None:
        if problem.rule == "turn.trailing_call" and resumed.effect == "rejected":
            severity = "error"  # its agent does not answer it
        if problem.rule == "content.empty_text" and resumed.effect == "healed" and own_provider:
            severity, text = "info", text.replace(" refuses.", " would refuse.")  # it never reaches the provider
    return replace(
        problem,
        severity=severity,
        text=text,
        resumes=None if asked is None else cache(partial(_resumed, asked, severity)),
        says=says if severity == "error" else None,
        fixes=thinking.note(problem.fixes),
    )


def _resumed(asked: ResumeLookup, severity: Severity) -> OnResume | None:
    """What an agent does: it sends as it is what its API is not known to refuse."""
    resumed = asked()
    if resumed is None or resumed.effect != "rejected" or severity == "error" or resumed.loses or not resumed.sends:
        return resumed
    text = f"{resumed.agent} sends it as it is."
    if severity == "warning":
        text = f"{resumed.agent} sends it as it is, which the API may refuse."
    return replace(resumed, effect="kept", text=text)
