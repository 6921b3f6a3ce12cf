"""Which fix `toolpair fix` takes for which problem: the recommended ones, narrowed or changed by options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from toolpair.cli.report import each_conversation
from toolpair.cli.terminal import UsageError
from toolpair.rules.base import Fix, Problem
from toolpair.session import Session


@dataclass(frozen=True, slots=True)
class Plan:
    """`select` and `ignore` hold rule names or families ("result"); `choices` maps a rule to the id of a fix."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    choices: dict[str, str] = field(default_factory=dict)

    @property
    def everything(self) -> bool:
        """True when it is simply all that is recommended."""
        return not (self.select or self.ignore or self.choices)

    def pick(self, problem: Problem) -> Fix | None:
        """The fix to take for the problem; None leaves it as it is."""
        if _names(self.ignore, problem.rule):
            return None
        chosen = next((fix for rule, fix in self.choices.items() if _names((rule,), problem.rule)), None)
        if chosen is not None:
            return next((fix for fix in problem.fixes if fix.id == chosen), None)
        wanted = _names(self.select, problem.rule) if self.select else problem.severity == "error"
        best = problem.recommended
        # A guess needs a person who has seen both sides.
        return best if wanted and best is not None and best.certain and not problem.guess else None


def _names(listed: Iterable[str], rule: str) -> bool:
    return any(rule == name or rule.startswith(name + ".") for name in listed)


def read_plan(select: list[str], ignore: list[str], choose: list[str], known: Iterable[str]) -> Plan:
    """The plan that the options ask for. Raises UsageError for a rule that does not exist."""
    rules = sorted(known)
    choices: dict[str, str] = {}
    for choice in choose:
        rule, separator, fix = choice.partition("=")
        if not separator or not rule or not fix:
            raise UsageError(f"--choose takes RULE=FIX, as in result.missing=remove-call; it was given {choice!r}.")
        choices[_known(rule.strip(), rules)] = fix.strip()
    return Plan(
        tuple(_known(name, rules) for name in _split(select)),
        tuple(_known(name, rules) for name in _split(ignore)),
        choices,
    )


def _split(lists: list[str]) -> list[str]:
    return [name.strip() for listed in lists for name in listed.split(",") if name.strip()]


def _known(name: str, rules: list[str]) -> str:
    name = name.removesuffix(".*").removesuffix(".")
    if not rules or any(_names((name,), rule) for rule in rules):
        return name
    import difflib

    families = {rule.split(".")[0] for rule in rules}
    close = difflib.get_close_matches(name, [*rules, *families], n=1)
    hint = f" Did you mean {close[0]}?" if close else " `toolpair rules` lists them all."
    raise UsageError(f"There is no rule {name!r}.{hint}")


def apply_plan(session: Session, plan: Plan) -> None:
    """Stage what the plan says, in every conversation of the file."""
    for _ in each_conversation(session):
        if plan.everything:
            _stage_everything(session)
        else:
            _stage_one_by_one(session, plan)


def _stage_everything(session: Session) -> None:
    # Mending one thing can lay bare another; each round has fewer, and a round that stages nothing ends it.
    for _ in range(20):
        if session.stage_all() is None:
            return


def _stage_one_by_one(session: Session, plan: Plan) -> None:
    tried: set[tuple[object, ...]] = set()
    while True:
        for problem in session.problems:
            mark = (*problem.key, problem.pair)
            fix = plan.pick(problem)
            if fix is not None and mark not in tried:
                tried.add(mark)
                session.stage(problem, fix)
                break
        else:
            return
