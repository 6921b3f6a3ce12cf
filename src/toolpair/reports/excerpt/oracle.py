"""Whether a part of a session still shows the problem, and nothing that the session does not have."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from toolpair.reports.redaction.copies import neutral_name
from toolpair.rules.problem import Problem
from toolpair.session.session import Session, SessionError, open_session

MOST_CHECKS: Final = 200


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
            problems = [problem for conversation in found.conversations for problem in conversation.problems]
        except (SessionError, RecursionError):
            return False
        return (
            found.format.id == self._session.format.id
            and any(Shown.of(problem) == self._shown for problem in problems)
            and self._rules.issuperset(problem.rule for problem in problems)
        )

    def opened(self, data: bytes) -> Session:
        reader = self._session.reader
        return open_session(
            neutral_name(self._session.file.shown_name),
            data=data,
            format=reader.format,
            profile=reader.profile,
            agent_version=reader.view.agent_version,
            max_size=1 << 62,
        )
