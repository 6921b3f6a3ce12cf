"""A replica of Roo Code's pass over the whole history right before a request."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from toolpair.recipes.recipe import Options, Recipe
from toolpair.recipes.replica_steps import ReplicaActions, replica
from toolpair.recipes.roo_code import INTERRUPTED
from toolpair.recipes.turn_order import Turn, id_key, turns_of


def _run(actions: ReplicaActions, options: Options) -> None:
    for turn, following in pairwise([*turns_of(actions.transcript), None]):
        if turn is not None and turn.role == "assistant" and turn.listed:
            _answer(actions, turn, following if following is not None and following.role == "user" else None)


def _answer(actions: ReplicaActions, turn: Turn, user: Turn | None) -> None:
    """Placeholders for the calls of a response that the very next message, if it is the user's, does not answer."""
    known = {id_key(result) for result in user.results} if user is not None and user.listed else set()
    replaced = None
    if user is None:
        spot, where = turn.after(), "after the call"
    else:
        spot = user.front(turn, actions.transcript)
        where = "before the results" if known else "before the user's message"
        if not user.listed:
            replaced, where = user.messages[0], "in place of the user's words"
    for call in turn.calls:
        if id_key(call) not in known:
            known.add(id_key(call))
            actions.answer(call, INTERRUPTED, spot, where, instead_of=replaced)
            replaced = None


RECIPE: Final = Recipe(
    "roo-code-pre-send",
    "As a draft of Roo Code checks a request: a placeholder for each call that the next message does not answer.",
    replica(_run),
    does=(
        "Looks at each response with calls, and only at the very next message.",
        "For each call without a result there, a placeholder is put at the start of that message, or, if it is not a "
        "user message, into a new one.",
        "Nothing is removed, reordered or matched: what is too much stays.",
    ),
    copies="Roo Code's validateMessageHistoryBeforeSend (pull request 12183, a draft; Roo Code ended in May 2026)",
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
