"""Roo Code's way with ids: other characters become "_", on calls and on results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from toolpair.recipes.base import DEFAULT, Options, Recipe, S, Step
from toolpair.recipes.copying import Deeds
from toolpair.recipes.roo_ids import fitted
from toolpair.transcript.edits import Edit


def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[Step[S]]:
    deeds = Deeds(state.problems, state.transcript)
    for message in state.transcript.messages:
        for block in (*message.calls, *message.results):
            if not isinstance(block.id, str):
                continue
            new = fitted(block.id, options.max_id_length)
            if new != block.id:
                deeds.rename(block, new)
    return deeds.carried_out(state, apply)


RECIPE: Final = Recipe(
    "roo-code-sanitize",
    'As Roo Code writes ids: "_" for each character but letters, digits, "_" and "-", on calls and results.',
    run,
    does=(
        'Each character of an id but letters, digits, "_" and "-" becomes "_", one for one, on calls and on results.',
        "With a longest length, an id that is longer after that is cut and ends in the beginning of its MD5.",
    ),
    copies=(
        "Roo Code's sanitizeToolUseId (pull requests 10649, 11131), with a longest length its sanitizeOpenAiCallId "
        "(10763)"
    ),
    loses=(
        'Ids that differ only in replaced characters become one: "a.b" and "a:b" are both "a_b", and nobody can tell '
        "any more whose result is whose. An empty id stays empty. When Roo Code saves such a response it leaves the "
        "second call out; that is not done to ids, and this recipe leaves every call where it is."
    ),
    instead=(
        "The default gives a refused id a new one that no other call of the transcript has, on the call and on the "
        "results that are its own, and leaves ids alone that the provider takes."
    ),
    links=(
        "https://github.com/RooCodeInc/Roo-Code/pull/10649",
        "https://github.com/RooCodeInc/Roo-Code/pull/11131",
        "https://github.com/RooCodeInc/Roo-Code/pull/10763",
    ),
    options=frozenset({"max_id_length"}),
)
