"""The report of `check` and `guard` on a list of messages. Imports nothing else of toolpair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolpair.rules.problem import Problem

_MOST_LISTED: Final = 20


@dataclass(frozen=True)
class Report:
    """What is wrong with a list of messages. True when no error was found."""

    profile: str
    problems: tuple[Problem, ...]
    fault: str | None = None
    """Why a guard could not check the messages, one sentence; None if they were checked."""

    @cached_property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def ok(self) -> bool:
        return not self.errors

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.fault or "\n".join(f"{found.severity} {one_line(found)}" for found in self.problems)


class InvalidMessages(ValueError):
    """Raised by `guard`: the messages would be refused. `report` has everything, `problems` its errors."""

    def __init__(self, report: Report) -> None:
        self.report = report
        count = len(report.errors)
        lines = [f"{count} problem{'s' if count > 1 else ''} that {report.profile} would refuse:"]
        lines += [f"  {one_line(problem)}" for problem in report.errors[:_MOST_LISTED]]
        if count > _MOST_LISTED:
            lines.append(f"  and {count - _MOST_LISTED:,} more")
        super().__init__("\n".join(lines))

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.report.errors

    def __reduce__(self) -> tuple[type[InvalidMessages], tuple[Report]]:
        return type(self), (self.report,)


def one_line(problem: Problem) -> str:
    """A problem on one line: where, which rule, what is wrong, the ids."""
    place = "messages" if problem.message is None else f"messages.{problem.message}"
    blocks = [block for block in (problem.call, problem.result) if block is not None]
    ids = dict.fromkeys(repr(id_) for block in blocks if (id_ := block.id) is not None and not _is_empty(id_))
    named = f" [{' ≠ '.join(ids)}]" if ids else ""
    return f"{place} {problem.rule}: {problem.text}{named}"


def _is_empty(id_: object) -> bool:
    return isinstance(id_, str) and not id_


def in_short(error: Exception) -> str:
    """What an error says, in one line, also if it cannot say it."""
    try:
        said = f": {error}"
    except Exception:
        said = ""
    return f"{type(error).__name__}{said}".split("\n", 1)[0][:300]
