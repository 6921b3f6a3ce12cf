"""The default recipe: the recommended fix of every error. It loses no real tool output and no user word."""

from __future__ import annotations

from typing import Final

from toolpair.recipes.base import Recipe
from toolpair.recipes.engine import picking
from toolpair.rules.base import Fix, Problem


def pick(problem: Problem) -> Fix | None:
    """For a program: also where a person would be asked between guesses, then the choice that guesses nothing."""
    best = problem.recommended
    if problem.severity != "error" or best is None or not best.certain:
        return None
    return best


def pick_without_guesses(problem: Problem) -> Fix | None:
    """For a person at the screen, who is left to decide where there is something to guess."""
    return None if problem.guess else pick(problem)


RECIPE: Final = Recipe(
    "recommended",
    "The recommended fix of every error: nothing real is lost, no result is invented.",
    picking(pick),
    pick,
    does=(
        "Takes the recommended fix of every error that the profile finds; warnings and infos stay as they are.",
        "A result under another id gets its call's id where the transcript tells whose it is; one that stands too late "
        "or too early is moved to its call.",
        "A call without result gets its real output where one is found elsewhere, else a placeholder that says that "
        "no result was recorded.",
        "A result without call, or one that could be several calls', is kept as labelled text.",
        "Of two results of a call the first real one stays; copies and placeholders beside it go, another output is "
        "kept as text.",
    ),
)
