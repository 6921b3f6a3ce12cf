"""A replica of Roo Code's pass over the whole history right before a request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from toolpair.recipes.recipe import DEFAULT, Options, Recipe, RecipeStep, S
from toolpair.recipes.replica_steps import ReplicaActions
from toolpair.recipes.roo_results import INTERRUPTED
from toolpair.recipes.turn_order import Turn, id_key, turns_of
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Transcript


def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[RecipeStep[S]]:
    actions = ReplicaActions(state.problems, state.transcript)
    turns = turns_of(state.transcript)
    for number, turn in enumerate(turns):
        if turn.role == "assistant" and turn.listed and turn.calls:
            _answer(actions, state.transcript, turn, turns[number + 1] if number + 1 < len(turns) else None)
    return actions.carried_out(state, apply)


def _answer(actions: ReplicaActions, transcript: Transcript, turn: Turn, following: Turn | None) -> None:
    """Placeholders for the calls of a response that the very next message does not answer."""
    user = following if following is not None and following.role == "user" else None
    known = {id_key(result) for result in user.results} if user is not None and user.listed else set()
    missing: dict[object, Block] = {}
    for call in turn.calls:
        if id_key(call) not in known:
            missing.setdefault(id_key(call), call)
    replaced = user.messages[0] if user is not None and not user.listed else None
    where = (
        "after the call"
        if user is None
        else "in place of the user's words"
        if replaced is not None
        else "before the results"
        if known
        else "before the user's message"
    )
    spot = turn.after() if user is None else user.front(turn, transcript)
    for call in missing.values():
        actions.answer(call, INTERRUPTED, spot, where, instead_of=replaced)
        replaced = None


RECIPE: Final = Recipe(
    "roo-code-pre-send",
    "As a draft of Roo Code checks a request: a placeholder for each call that the next message does not answer.",
    run,
    does=(
        "Looks at each response with calls, and only at the very next message.",
        "For each call without a result there, a placeholder is put at the start of that message, or, if it is not a "
        "user message, into a new one.",
        "Nothing is removed, reordered or matched: what is too much stays.",
    ),
    copies="Roo Code's validateMessageHistoryBeforeSend (pull request 12183, a draft)",
    loses=(
        "If the next user message is a plain string, the placeholder replaces it: the user's words are lost. Only the "
        "very next message is looked at, so a result that comes later gets a placeholder as well, and is then a "
        "second result. Results that answer no call stay."
    ),
    instead=(
        "The default keeps every word, moves a late result to its call, and writes a placeholder only if no output is "
        "found anywhere."
    ),
    links=("https://github.com/RooCodeInc/Roo-Code/pull/12183",),
)
