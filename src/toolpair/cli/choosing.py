"""Which fix `toolpair fix` applies to which problem: the recommended ones, narrowed or changed by options."""

from __future__ import annotations

import argparse

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.cli.exits import UsageError
from toolpair.cli.own_recipes import names as own_names
from toolpair.cli.own_recipes import own_recipe
from toolpair.cli.selection import known, named, names
from toolpair.cli.terminal import add_options
from toolpair.recipes import RECIPES
from toolpair.recipes.recipe import DEFAULT, Options, Recipe
from toolpair.session.session import Fix, Problem, Session


class Plan(Struct, frozen=True):
    """`select` and `ignore` hold rule names or families ("result"); `choices` maps a rule to the id of a fix."""

    recipe: Recipe
    options: Options = DEFAULT
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    choices: dict[str, str] = field(default_factory=dict)

    @property
    def narrowed(self) -> bool:
        """Whether anything but the complete recipe is wanted."""
        return bool(self.select or self.ignore or self.choices)

    def pick(self, problem: Problem) -> Fix | None:
        """The fix to apply for the problem; None leaves it. Only for a recipe that picks."""
        assert self.recipe.pick is not None
        if names(self.ignore, problem.rule):
            return None
        chosen = next((fix for rule, fix in self.choices.items() if names((rule,), problem.rule)), None)
        if chosen is not None:
            # Named by a person: applied whatever it removes, like one that is not recommended.
            return next((replace(fix, recommended=False) for fix in problem.fixes if fix.id == chosen), None)
        if not self.select:
            return self.recipe.pick(problem)
        if not names(self.select, problem.rule):
            return None
        if problem.severity == "error":
            return self.recipe.pick(problem)
        best = problem.recommended
        return replace(best, recommended=False) if best is not None else None


def recipe_named(name: str) -> Recipe:
    """The recipe of this name. Raises UsageError for an unknown one."""
    if name in RECIPES:
        return RECIPES[name]
    import difflib

    close = difflib.get_close_matches(name, (*RECIPES, *own_names()), n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are {', '.join((*RECIPES, *own_names()))}."
    raise UsageError(f"There is no recipe {name!r}. {hint}")


def add_max_id_length(parser: argparse._ActionsContainer) -> None:
    """The option that some recipes take."""
    add_options(
        parser, "--max-id-length N  for recipes that copy a system which shortens ids: the longest id it leaves"
    )


def options_for(recipe: Recipe, max_id_length: int | None) -> Options:
    """The recipe's options. Raises UsageError for an option it does not use, or a value it cannot."""
    if max_id_length is None:
        return DEFAULT
    if "max_id_length" not in recipe.options:
        supporting = [found.name for found in RECIPES.values() if "max_id_length" in found.options]
        raise UsageError(f"The recipe {recipe.name} does not take --max-id-length; these do: {', '.join(supporting)}.")
    try:
        return Options(max_id_length)
    except ValueError as error:
        raise UsageError(f"--max-id-length: {error}.") from None


def read_plan(options: argparse.Namespace) -> Plan:
    """The plan that the options ask for. Raises UsageError for an unknown rule, recipe or option."""
    own = own_recipe(options.recipe)
    chosen = recipe_named(own.base if own is not None else options.recipe)
    choose, select, ignore = options.choose, options.select, options.ignore
    if own is not None:
        choose, select, ignore = [*own.choices, *choose], select or own.select, [*own.ignore, *ignore]
    asked = options_for(chosen, options.max_id_length)
    if chosen.pick is None and (select or ignore or choose):
        raise UsageError(
            f"The recipe {chosen.name} works on the whole conversation, "
            "so --select, --ignore and --choose do not apply."
        )
    choices: dict[str, str] = {}
    for choice in choose:
        rule, separator, fix = choice.partition("=")
        if not separator or not rule or not fix:
            raise UsageError(f"--choose takes RULE=FIX, as in result.missing=remove-call, not {choice!r}.")
        choices[known(rule.strip())] = fix.strip()
    return Plan(chosen, asked, named(select), named(ignore), choices)


def check_choices(session: Session, plan: Plan) -> None:
    """Raises UsageError for a fix that no problem of its rule offers."""
    for rule, chosen in plan.choices.items():
        offered = {
            fix.id
            for conversation in session.conversations
            for problem in conversation.problems
            if names((rule,), problem.rule)
            for fix in problem.fixes
        }
        if offered and chosen not in offered:
            raise UsageError(f"{rule} has no fix {chosen!r} here; it has {', '.join(sorted(offered))}.")


def apply_plan(session: Session, plan: Plan) -> None:
    """Stage the plan in every conversation of the file."""
    check_choices(session, plan)
    current = session.current
    for number in range(len(session.conversations)):
        session.current = number
        if plan.narrowed:
            session.stage_where(plan.pick)
        else:
            session.stage_recipe(plan.recipe.name, plan.options)
    session.current = current
