"""A replica of Roo Code's check of each user message before it enters the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from toolpair.recipes.recipe import DEFAULT, Options, Recipe, RecipeStep, S
from toolpair.recipes.roo_results import validated
from toolpair.transcript.edits import Edit

LOSES: Final = (
    "Of two results with one id the first stays, even if it is a placeholder and the second the real output. A result "
    "with an unknown id takes the id of the call at its position: outputs that came back in a different order are "
    "swapped without telling you, and a wrong result that comes first pushes out the right one. Results beyond the "
    "number of calls are removed, and so are those of an earlier response. A call is compared with every user message "
    "after it, so results that are spread over two messages get placeholders in both."
)
INSTEAD: Final = (
    "The default matches by what the transcript shows about a pair, moves a result to its call, keeps what cannot be "
    "paired as text, and leaves to you what only the position would decide."
)


def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[RecipeStep[S]]:
    return validated(state, apply, reorder=False)


RECIPE: Final = Recipe(
    "roo-code",
    "As Roo Code reads a user message: unknown ids matched by position, a placeholder for each missing result.",
    run,
    does=(
        "Looks at each user message that is a list, with the response before it.",
        "Of results with one id in the message the first stays, even where it is a placeholder.",
        "A result whose id belongs to none of the response's calls gets the id of the call at its position; if that "
        "call already has a result, this one is removed.",
        "For each call that is left, a placeholder is put at the start of the message, in the order of the calls.",
    ),
    copies="Roo Code's validateAndFixToolResultIds (pull requests 9952, 10015, 10027, 10466)",
    loses=LOSES,
    instead=f"{INSTEAD} It also answers calls that are followed by a plain string, another response, or nothing at "
    "all, which this recipe leaves unanswered.",
    links=(
        "https://github.com/RooCodeInc/Roo-Code/pull/9952",
        "https://github.com/RooCodeInc/Roo-Code/pull/10015",
        "https://github.com/RooCodeInc/Roo-Code/pull/10027",
        "https://github.com/RooCodeInc/Roo-Code/pull/10466",
    ),
)
