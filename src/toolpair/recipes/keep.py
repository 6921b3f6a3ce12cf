"""Remove nothing real and invent nothing: what cannot be paired becomes text."""

from __future__ import annotations

from typing import Final

from toolpair.recipes.engine import picking
from toolpair.recipes.recipe import Recipe
from toolpair.recipes.recommended import pick_without_guessing
from toolpair.rules.problem import Fix, Problem

_AS_TEXT: Final = ("call-as-text", "both-as-text")


def pick(problem: Problem) -> Fix | None:
    """The recommended fix; in place of one that writes a placeholder, the one that keeps everything as text."""
    best = pick_without_guessing(problem)
    if best is None or not best.placeholder:
        return best
    return next((fix for fix in problem.fixes if fix.id in _AS_TEXT), best)


RECIPE: Final = Recipe(
    "keep",
    "Nothing real is removed and nothing is made up: what cannot be paired becomes text.",
    picking(pick),
    pick,
    does=(
        "Uses the recommended fix of every error, except those that write a placeholder.",
        "A call whose output cannot be found becomes labelled assistant text, with its input; no result is "
        "made up for it.",
        "A call and a result that may belong together, with nothing to show it, both become text.",
        "Results without a call and second results that differ become labelled text, as with the default. Only exact "
        "copies are removed, and placeholders next to a real result.",
    ),
    instead="It keeps such a call as a call and answers it with a note that no result was recorded, so that the model "
    "sees that it called a tool.",
)
