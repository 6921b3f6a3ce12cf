"""Remove what cannot be paired: calls without results, results without calls, second results."""

from __future__ import annotations

from typing import Final

from toolpair.recipes.engine import picking
from toolpair.recipes.recipe import Recipe
from toolpair.recipes.recommended import pick_without_guessing
from toolpair.rules.problem import Fix, Problem
from toolpair.rules.registry import RULES

_KEEPS: Final = frozenset(
    {
        "as-text",
        "keep-as-text",
        "keep-first",
        "new-ids",
        "placeholder-and-text",
    }
)
"""Recommended fixes that keep an unpaired block as text."""
_REMOVES: Final = ("remove-call", "drop", "keep-first-only", "new-ids-only", "remove")
"""The fix that removes it instead; a problem has at most one of them."""


def pick(problem: Problem) -> Fix | None:
    """The recommended fix if it pairs; if it writes a placeholder or text, the one that removes."""
    best = pick_without_guessing(problem)
    if best is None or not RULES[problem.rule].of_pair or not (best.placeholder or best.id in _KEEPS):
        return best
    return next((fix for fix in problem.fixes if fix.id in _REMOVES), best)


RECIPE: Final = Recipe(
    "drop",
    "Whatever cannot be paired is removed: unanswered calls, results without a call, second results.",
    picking(pick),
    pick,
    does=(
        "Uses the recommended fix where it makes a pair: ids, positions, order, an output found elsewhere.",
        "A call that cannot be answered is removed, together with its message if nothing else is in it.",
        "A result without a call is removed. A call and a result that may belong together, with nothing to show it, "
        "are both removed.",
        "If a call has several results, the first real one stays and the others are removed.",
        "Nothing is made up: no placeholder is written.",
    ),
    loses="Unanswered calls lose their inputs; results without a call, and second results that differ, lose their "
    "outputs. Each removal says what it loses.",
    instead="It keeps such outputs as text, and answers an open call with a note that no result was recorded.",
)
