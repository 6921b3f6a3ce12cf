"""A replica of Zoo Code's check of each user message before it enters the history."""

from __future__ import annotations

from typing import Final

from toolpair.recipes.recipe import Options, Recipe
from toolpair.recipes.replica_steps import ReplicaActions, replica
from toolpair.recipes.roo_code import INSTEAD, validated


def _run(actions: ReplicaActions, options: Options) -> None:
    validated(actions, by_position=False)


RECIPE: Final = Recipe(
    "zoo-code",
    "As Zoo Code reads a user message: unknown ids are dropped, a placeholder for each missing result.",
    replica(_run),
    does=(
        "Looks at each user message that is a list, with the response before it.",
        "Of results with one id in the message the first stays, even where it is a placeholder.",
        "A result whose id belongs to none of the response's calls is removed.",
        "For each call that is left, a placeholder is put at the start of the message, in the order of the calls.",
    ),
    copies="Zoo Code's validateAndFixToolResultIds (3.82, which goes on from Roo Code without matching by position)",
    loses=(
        "A real output whose id was changed on one side is removed, and a placeholder takes its place. Of two results "
        "with one id the first stays, even if it is a placeholder and the second the real output. A call is compared "
        "with every user message after it, so results that are spread over two messages get placeholders in both."
    ),
    instead=INSTEAD,
    links=(
        "https://github.com/Zoo-Code-Org/Zoo-Code/blob/main/src/core/task/validateToolResultIds.ts",
        "https://github.com/Zoo-Code-Org/Zoo-Code/issues/1259",
    ),
)
