"""Which fix `toolpair fix` takes for which problem: the recommended ones, narrowed or changed by options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from toolpair.cli.terminal import UsageError
from toolpair.recipes import RECIPES
from toolpair.recipes.engine import Pick
from toolpair.session import Fix, Problem, Session


@dataclass(frozen=True, slots=True)
class Plan:
    """`select` and `ignore` hold rule names or families ("result"); `choices` maps a rule to the id of a fix."""

    recipe: Pick
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    choices: dict[str, str] = field(default_factory=dict)

    def pick(self, problem: Problem) -> Fix | None:
        """The fix to take for the problem; None leaves it as it is."""
        if _names(self.ignore, problem.rule):
            return None
        chosen = next((fix for rule, fix in self.choices.items() if _names((rule,), problem.rule)), None)
        if chosen is not None:
            return next((fix for fix in problem.fixes if fix.id == chosen), None)
        if not self.select:
            return self.recipe(problem)
        if not _names(self.select, problem.rule):
            return None
        if problem.severity == "error":
            return self.recipe(problem)
        best = problem.recommended
        return best if best is not None and best.certain else None


def _names(listed: Iterable[str], rule: str) -> bool:
    return any(rule == name or rule.startswith(name + ".") for name in listed)


def read_plan(recipe: str, select: list[str], ignore: list[str], choose: list[str], known: Iterable[str]) -> Plan:
    """The plan that the options ask for. Raises UsageError for a rule that does not exist."""
    if recipe not in RECIPES:
        raise UsageError(f"There is no recipe {recipe!r}; there is {', '.join(RECIPES)}.")
    rules = sorted(known)
    choices: dict[str, str] = {}
    for choice in choose:
        rule, separator, fix = choice.partition("=")
        if not separator or not rule or not fix:
            raise UsageError(f"--choose takes RULE=FIX, as in result.missing=remove-call; it was given {choice!r}.")
        choices[_known(rule.strip(), rules)] = fix.strip()
    return Plan(
        RECIPES[recipe].pick,
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


def _check_choices(session: Session, plan: Plan) -> None:
    """Raises UsageError for a fix that no problem of its rule has."""
    for rule, chosen in plan.choices.items():
        offered = {
            fix.id
            for conversation in session.conversations
            for problem in conversation.problems
            if _names((rule,), problem.rule)
            for fix in problem.fixes
        }
        if offered and chosen not in offered:
            raise UsageError(f"{rule} has no fix {chosen!r} here; it has {', '.join(sorted(offered))}.")


def apply_plan(session: Session, plan: Plan) -> None:
    """Stage what the plan says, in every conversation of the file."""
    _check_choices(session, plan)
    current = session.current
    for number in range(len(session.conversations)):
        session.current = number
        session.stage_where(plan.pick)
    session.current = current
