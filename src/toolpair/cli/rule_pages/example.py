"""Running the example of a rule's page: what check reports, and what the fix makes of it. None of it is written by
hand.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from toolpair.rules.pages import Example, RulePage
from toolpair.session.session import Fix, Problem, Session, open_session
from toolpair.text.safe import visible

How = Literal["recommended", "select", "choose", "by hand"]
"""What fixes it: `fix` alone, `fix --select RULE`, `fix --choose RULE=FIX`, or only a person."""
_ARRAY = "messages.json"
_LINES = "messages.jsonl"


class Shown(Struct, frozen=True):
    """An example with its results. `fixed` is None if there is no fix."""

    problem: Problem
    """The example's first problem of the rule."""
    line: int | None
    """The place that check reports."""
    others: tuple[str, ...]
    """Other problems reported, by rule."""
    profile: str
    format: str
    broken: bytes
    fixed: bytes | None
    how: How
    fix: Fix | None
    """What must be fixed first."""
    left: tuple[str, ...]
    """The rules of the errors left after the fix."""


def shown(page: RulePage) -> Shown | None:
    """The page's example, opened, checked and fixed. None if it has none.

    Raises LookupError when the example does not break its rule.
    """
    if page.example is None:
        return None
    with _opened(page.example) as session:
        return _run(session, page.rule, page.example)


def _run(session: Session, rule: str, example: Example) -> Shown:
    problem = next((found for found in session.problems if found.rule == rule), None)
    if problem is None:
        raise LookupError(f"The example of {rule} does not break it; it breaks {_rules(session) or 'nothing'}.")
    others = tuple(name for name in _rules(session) if name != rule)
    line = session.location(problem).line
    how, fix = _way(problem)
    if how == "recommended":
        session.stage_recommended()
    elif fix is not None:
        session.stage_where(_pick(rule, fix.id))
    return Shown(
        problem=problem,
        line=line,
        others=others,
        profile=session.profile.id,
        format=session.format.id,
        broken=example.data,
        fixed=session.to_bytes() if fix is not None else None,
        how=how,
        fix=fix,
        left=tuple(dict.fromkeys(found.rule for found in session.problems if found.severity == "error")),
    )


def _rules(session: Session) -> list[str]:
    return list(dict.fromkeys(found.rule for found in session.problems))


def _way(problem: Problem) -> tuple[How, Fix | None]:
    """As `toolpair fix` does: an error with a certain fix by itself, others only on request."""
    best = problem.recommended
    if best is not None:
        return ("recommended" if problem.severity == "error" else "select"), best
    return ("choose", problem.fixes[0]) if problem.fixes else ("by hand", None)


def _pick(rule: str, fix: str) -> Callable[[Problem], Fix | None]:
    # Named by a person: applied whatever it removes.
    return lambda problem: next(
        (replace(one, recommended=False) for one in problem.fixes if one.id == fix and problem.rule == rule), None
    )


@contextmanager
def _opened(example: Example) -> Iterator[Session]:
    version = example.agent_version
    if example.path is None:
        name = _ARRAY if example.data.lstrip()[:1] == b"[" else _LINES
        yield open_session(
            name, data=example.data, format=example.format, profile=example.profile, agent_version=version
        )
        return
    with tempfile.TemporaryDirectory(prefix="toolpair-") as folder:
        path = Path(folder) / example.path
        path.parent.mkdir(parents=True)
        path.write_bytes(example.data)
        yield open_session(path, format=example.format, profile=example.profile, agent_version=version)


class ExampleLine(Struct, frozen=True):
    """One line of a diff. `mark` is "-" for the old text only, "+" for the new one only, else a space."""

    mark: str
    text: str


def lines_of(text: str) -> list[str]:
    """The lines of a file in printable form: invisible characters become escapes."""
    return [visible(line) for line in text.removesuffix("\n").split("\n")]


def compared(broken: str, fixed: str) -> list[ExampleLine]:
    """A line diff of both files."""
    one, two = lines_of(broken), lines_of(fixed)
    found: list[ExampleLine] = []
    for kind, a, b, c, d in SequenceMatcher(a=one, b=two, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [ExampleLine(" ", line) for line in one[a:b]]
        else:
            found += [ExampleLine("-", line) for line in one[a:b]]
            found += [ExampleLine("+", line) for line in two[c:d]]
    return found
