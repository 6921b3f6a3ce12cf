"""Which problem an excerpt is to show, and whether a part of the session shows it and nothing else."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from toolpair.history.conversation import rank
from toolpair.reports.redaction.copies import opened_like
from toolpair.rules.problem import Problem
from toolpair.session.session import Conversation, Refused, Session, SessionError
from toolpair.transcript.counting import plural

MOST_CHECKS: Final = 200
_IMPACTS: Final = ("stops", "loses", "harmless")


class Chosen(Struct, frozen=True, eq=False):
    """One problem of a session."""

    problem: Problem
    conversation: Conversation
    number: int
    """Its number among the problems of the file, from 1, as `check` lists them."""
    count: int


def choose(session: Session, which: int | str | None = None, rule: str | None = None) -> Chosen:
    """The problem with this number or id, by default the first that stops the session, else the first that loses.

    `rule` is a rule's name, or a family of rules; an id is a call's or a result's, or the beginning of one. Raises
    Refused when there is no such problem.
    """
    name = session.file.shown_name
    pairs = [(problem, conversation) for conversation in session.conversations for problem in conversation.problems]
    pairs.sort(key=lambda pair: rank(pair[0]))
    listed = [Chosen(*pair, number, len(pairs)) for number, pair in enumerate(pairs, 1)]
    if not listed:
        raise Refused(f"{name} has no problems, so there is nothing to show; nothing was written.", "none")
    found = [one for one in listed if rule is None or f"{one.problem.rule}.".startswith(f"{rule}.")]
    if not found:
        rules = ", ".join(sorted({one.problem.rule for one in listed}))
        raise Refused(f"{name} has no problem of {rule}; it has {rules}. Nothing was written.", "none")
    if which is None:
        return min(found, key=lambda one: (_IMPACTS.index(one.problem.impact), one.number))
    if isinstance(which, int) or (which.isascii() and which.isdigit() and len(which) < 7):
        chosen = next((one for one in found if one.number == int(which)), None)
        why = f"There is no problem {int(which)}: the file has {plural(len(listed), 'problem')}"
    else:
        chosen = next((one for one in found if _is_about(one.problem, which)), None)
        why = f"No problem is about a call or result with the id {which!r}"
    if chosen is None:
        raise Refused(f"{why}; nothing was written.", "none")
    return chosen


def _is_about(problem: Problem, id_: str) -> bool:
    blocks = (problem.call, problem.result, *problem.others)
    ids = [block.id for block in blocks if block is not None and isinstance(block.id, str)]
    return any(found == id_ or (len(id_) > 3 and found.startswith(id_)) for found in ids)


def problems_of(session: Session) -> list[Problem]:
    """The problems of all its conversations."""
    return [problem for conversation in session.conversations for problem in conversation.problems]


class Shown(Struct, frozen=True):
    """What has to be the same of a problem, wherever it is."""

    rule: str
    severity: str
    impact: str
    scope: str
    cause: str | None
    effect: str | None

    @classmethod
    def of(cls, problem: Problem) -> Shown:
        cause = problem.cause.id if problem.cause is not None else None
        effect = problem.on_resume.effect if problem.on_resume is not None else None
        return cls(problem.rule, problem.severity, problem.impact, problem.scope, cause, effect)


class Oracle:
    """Opens parts of a session, a limited number of times."""

    def __init__(self, session: Session, shown: Shown, rules: frozenset[str]) -> None:
        """`rules` are those that find something in the whole session."""
        self._session = session
        self._shown = shown
        self._rules = rules
        self.checks = 0
        self.limit = MOST_CHECKS

    @property
    def used_up(self) -> bool:
        return self.checks >= self.limit

    def shows(self, data: bytes) -> bool:
        """Whether these bytes show the problem, and break no rule that the session keeps."""
        if self.used_up:
            return False
        self.checks += 1
        try:
            found = self.opened(data)
            problems = problems_of(found)
        except (SessionError, RecursionError):
            return False
        return (
            found.format.id == self._session.format.id
            and any(Shown.of(problem) == self._shown for problem in problems)
            and self._rules.issuperset(problem.rule for problem in problems)
        )

    def opened(self, data: bytes) -> Session:
        return opened_like(self._session, data)
