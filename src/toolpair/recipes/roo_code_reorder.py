"""Roo Code's check of each user message, with results put into the order of their calls."""

from __future__ import annotations

from typing import Final

from toolpair.recipes.recipe import Options, Recipe
from toolpair.recipes.replica_steps import ReplicaActions, replica
from toolpair.recipes.roo_code import INSTEAD, LOSES, validated


def _run(actions: ReplicaActions, options: Options) -> None:
    validated(actions, reorder=True)


RECIPE: Final = Recipe(
    "roo-code-reorder",
    "The same as roo-code, with results in the order of their calls.",
    replica(_run),
    does=(
        "Everything that roo-code does.",
        "Then the results of a message are put in the order of their calls, in the places that results have; text "
        "and images keep theirs. Results that answer no call come last.",
    ),
    copies="Roo Code's validateAndFixToolResultIds with reorderToolResults (pull request 11806, a draft; "
    "Roo Code ended in May 2026)",
    loses=f"{LOSES} Text between two results stays between them, which some providers refuse.",
    instead=f"{INSTEAD} It puts results before all text of their message.",
    links=("https://github.com/RooCodeInc/Roo-Code/pull/11806",),
)
