"""How a call and its results fit, and the state of the pair that follows from it.

Both depend only on the transcript and the profile, never on problems found: checks may run in any order.
"""

from __future__ import annotations

from typing import Final

from toolpair.dialects.openai_responses import call_family, output_family
from toolpair.rules.context import Context, Fit, Placement
from toolpair.rules.wire import is_system
from toolpair.transcript.edits import MoveResult
from toolpair.transcript.model import Block, Message
from toolpair.transcript.pairing import BY_ID, Pair, State

_RESULT_ROLES: Final = ("tool", "function")
_PLACES: Final = frozenset({"right", "behind", "split", "late", "result_in_assistant"})
_MISPLACED: Final = {
    "result_in_assistant": "role.result_in_assistant",
    "split": "result.split_over_messages",
    "behind": "result.not_first",
}
"""Placements that are wrong only if the provider has the rule."""


def set_states(context: Context) -> None:
    """Set the state of each pair."""
    for pair in context.pairing.pairs:
        pair.state = _state(context, pair)


def fit_of(context: Context, pair: Pair) -> Fit:
    """The worst mismatch between a call and its results; without one, where the result is."""
    known = context.fits.get(pair.index)
    if known is None:
        known = context.fits[pair.index] = _fit(context, pair)
    return known


def fits(context: Context, pair: Pair) -> bool:
    """Whether nothing is wrong between the call and its result."""
    fit = fit_of(context, pair)
    return fit == "right" or (fit in _MISPLACED and not context.judges(_MISPLACED[fit]))


def is_pending(context: Context, pair: Pair) -> bool:
    """Whether an agent's call may still get its result: only results of the same turn follow it."""
    assert pair.call_at is not None
    if not context.transcript.native or pair.results or in_wrong_message(context, pair):
        return False
    at, last = pair.call_at[0], len(context.messages) - 1
    return at == last or context.whole.last_spoken <= at


def is_unanswered(context: Context, pair: Pair) -> bool:
    """Whether it is a call without a result that nothing is still to come for."""
    return pair.call is not None and not pair.results and not is_pending(context, pair)


def in_wrong_message(context: Context, pair: Pair) -> bool:
    """Whether the call is in a message of a role other than assistant, and that is checked."""
    assert pair.call_at is not None
    return context.messages[pair.call_at[0]].role != "assistant" and context.judges("role.call_in_user")


def kinds(pair: Pair) -> tuple[str, str] | None:
    """The output type that the call requires and the one it has, if they differ."""
    if pair.call is None or pair.result is None:
        return None
    wants, has = call_family(pair.call), output_family(pair.result)
    return None if wants is None or has is None or wants == has else (wants, has)


def of_another_kind(context: Context, pair: Pair) -> bool:
    """Whether an item's output has another type than its call requires, and nothing else but its place is wrong."""
    return (
        context.written == "items"
        and kinds(pair) is not None
        and fit_of(context, pair) in _PLACES
        and context.judges("result.kind")
    )


def moved(context: Context, pair: Pair, result: Block, position: int = 0) -> MoveResult | None:
    """The move that puts the result in the right place, if it needs one."""
    assert pair.call is not None
    single = Pair(pair.index, pair.call, pair.call_at, (result,), (pair.results_at[position],), pair.evidence)
    return None if _placement(context, single) == "right" else MoveResult(result, pair.call)


def _placement(context: Context, pair: Pair) -> Placement:
    """Where the first result is."""
    assert pair.call_at is not None
    home, (at, position) = pair.call_at[0], pair.results_at[0]
    messages = context.messages
    if messages[at].role == "assistant":
        return "result_in_assistant"
    if context.tool_messages:
        return "right" if home < at < _reach(context, home) and messages[at].role in _RESULT_ROLES else "late"
    if not context.in_turns:
        # Results become messages of their own, before anything else in their message.
        return "right" if home < at <= _reach(context, home) else "late"
    if at == home + 1:
        return "behind" if _first_words(context, at) < position else "right"
    return "split" if home + 1 < at <= _reach(context, home) else "late"


def _state(context: Context, pair: Pair) -> State:
    fit = fit_of(context, pair)
    if fit == "missing":
        return "pending" if is_pending(context, pair) else "missing"
    if fit == "orphan" or fit == "duplicate" or fit == "mismatch":
        return fit
    if of_another_kind(context, pair):
        return "mismatch"
    assert pair.call_at is not None
    role = context.messages[pair.call_at[0]].role
    if not fits(context, pair) or (isinstance(role, str) and in_wrong_message(context, pair)):
        return "misplaced"
    return "ok"


def _fit(context: Context, pair: Pair) -> Fit:
    if pair.call is None:
        return "orphan"
    if not pair.results:
        return "missing"
    if pair.evidence == "early":
        return "orphan"
    if len(pair.results) > 1:
        return "duplicate"
    # What is written as another API spells it is judged where it stands once it is in the form of its list.
    place = "right" if pair.call.form or pair.results[0].form else _placement(context, pair)
    differ = pair.evidence not in BY_ID and context.judges("result.id_mismatch")
    # Even where ids do not matter, a wrong place does.
    return "mismatch" if differ and (place == "right" or context.is_error("result.id_mismatch")) else place


def _first_words(context: Context, at: int) -> int:
    """The index of the first block of a message that is not a result; the number of blocks if there is none."""
    if at not in context.first_words:
        blocks = context.messages[at].blocks
        spoken = (number for number, block in enumerate(blocks) if block.kind != "result")
        context.first_words[at] = next(spoken, len(blocks))
    return context.first_words[at]


def _reach(context: Context, home: int) -> int:
    """The first message after `home` that separates its calls from later results."""
    known = context.reach.get(home)
    if known is None:
        known = home + 1
        while known < len(context.messages) and _parts_nothing(context, context.messages[known]):
            known += 1
        context.reach[home] = known
    return known


def _parts_nothing(context: Context, message: Message) -> bool:
    if context.tool_messages:
        # A system message is lifted out where the provider takes turns.
        return message.role in _RESULT_ROLES or (context.in_turns and is_system(message))
    if message.role != "user" or not message.blocks:
        return False
    if context.in_turns:
        return message.blocks[0].kind == "result"
    return all(block.kind == "result" for block in message.blocks)
