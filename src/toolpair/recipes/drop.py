"""What cannot be paired is removed: calls without result, results without call, second results."""

from __future__ import annotations

from typing import Final

from toolpair.recipes.base import Recipe
from toolpair.recipes.engine import picking
from toolpair.recipes.recommended import pick as pick_recommended
from toolpair.rules.base import Fix, Problem

_KEEPS: Final = frozenset(
    {
        "as-text",
        "keep-as-text",
        "keep-first",
        "new-ids",
        "placeholder-and-text",
    }
)
"""Recommended fixes that keep as text what has no partner."""
_REMOVES: Final = ("remove-call", "drop", "keep-first-only", "new-ids-only", "remove")
"""The fix that removes it instead; a problem has at most one of them."""
_PAIRS: Final = ("result.", "call.", "turn.trailing_call", "server.", "mcp.")


def pick(problem: Problem) -> Fix | None:
    """The recommended fix where it pairs; where it writes a placeholder or text, the one that removes."""
    best = pick_recommended(problem)
    if best is None or not problem.rule.startswith(_PAIRS) or not (best.placeholder or best.id in _KEEPS):
        return best
    return next((fix for fix in problem.fixes if fix.id in _REMOVES), best)


RECIPE: Final = Recipe(
    "drop",
    "What cannot be paired is removed: unanswered calls, results without call, second results.",
    picking(pick),
    pick,
    does=(
        "Takes the recommended fix where that pairs: ids, places, order, an output found elsewhere.",
        "A call that cannot be answered is removed, with its message when that is empty then.",
        "A result without call is removed. A call and a result that may belong together, without anything to show it, "
        "are both removed.",
        "Of several results of a call the first real one stays and the others are removed.",
        "Nothing is made up: no placeholder is written.",
    ),
    loses="Unanswered calls go with their inputs, results without call and second results that differ with their "
    "outputs. Each removal says what it loses.",
    instead="It keeps such outputs as text and writes under an unanswered call that no result was recorded.",
)
