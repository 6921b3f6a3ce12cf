"""The default recipe: the recommended fix of every error. It loses no real tool output and no user text."""

from __future__ import annotations

from typing import Final

from toolpair.recipes.engine import picking
from toolpair.recipes.recipe import Recipe
from toolpair.rules.problem import Fix, Problem


def pick(problem: Problem) -> Fix | None:
    """The fix that is applied unasked: by `fix`, "fix everything safe" and `repair` alike."""
    return problem.recommended if problem.severity == "error" else None


def pick_without_guessing(problem: Problem) -> Fix | None:
    """For recipes that a person names: where only a guess tells what belongs together, the fix that does not guess."""
    return problem.without_guessing if problem.severity == "error" else None


RECIPE: Final = Recipe(
    "recommended",
    "The recommended fix of every error: nothing real is lost, and no result is made up.",
    picking(pick),
    pick,
    does=(
        "Uses the recommended fix of every error that the profile finds; warnings and infos stay as they are.",
        "A result with a different id gets its call's id where the transcript shows whose it is; one that comes too "
        "late or too early is moved to its call.",
        "A call without a result gets its real output if one is found elsewhere, otherwise a placeholder that says "
        "that no result was recorded.",
        "A result without a call is kept as labelled text.",
        "Where only a guess tells which result answers which call, both are left for you.",
        "If a call has two results, the first real one stays; copies and placeholders next to it are removed, and "
        "another output is kept as text.",
    ),
)
