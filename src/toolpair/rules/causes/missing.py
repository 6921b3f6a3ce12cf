"""Why a call has no result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from toolpair.dialects.block_texts import result_text
from toolpair.rules.causes.known_causes import named
from toolpair.rules.causes.orphaned import collision
from toolpair.rules.problem import Cause
from toolpair.transcript.known_systems import SYSTEMS
from toolpair.transcript.model import Message
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.rules.context import Context

_CANCELLED: Final = re.compile(r"Operation cancelled", re.IGNORECASE)
"""A note that several programs leave where the user stopped them."""
_LOOKED_AT: Final = 50
"""Maximum calls of a turn; with more, walking through the messages for each is not worth it."""
_HEAD: Final = 400


@cache
def _notes() -> tuple[tuple[str | None, re.Pattern[str]], ...]:
    """The notes that are left where the user stopped an agent, and whose they are."""
    known = [
        (system.title, re.compile(system.interrupted)) for system in SYSTEMS.values() if system.interrupted is not None
    ]
    return (*known, (None, _CANCELLED))


@cache
def _declined() -> re.Pattern[str]:
    """How results begin of calls that the user declined."""
    return re.compile("|".join(system.rejected for system in SYSTEMS.values() if system.rejected is not None))


def of_missing(context: Context, pair: Pair) -> Cause | None:
    assert pair.call is not None and pair.call_at is not None
    at = pair.call_at[0]
    messages = context.messages
    agent = context.transcript.agent
    if (merged := collision(context, pair.call.id)) is not None:
        return named("id.collision", merged, agent=agent)
    if pair.candidates:
        return named("id.several")
    boundary = context.whole.boundaries.get(at + 1)
    following = messages[at + 1 : at + 3]
    if boundary is not None and boundary.cut is not None:
        return named("history_cut.result", "the history starts over after the call")
    if boundary is not None or (following and following[0].note == "summary"):
        what = "a compaction" if boundary is not None else "a summary"
        return named("compaction", f"{what} follows the call immediately", agent)
    if (interrupted := _interrupted(context, at)) is not None:
        return interrupted
    if isinstance(pair.call.id, str) and pair.call.id in context.whole.inactive_results:
        return named("rewind.result", f"a result with its id ({pair.call.id}) is in the file but not in this history")
    if at == len(messages) - 1:
        return named("killed", "the call is in the last message", agent)
    calls = context.whole.calls_in[at]
    if _rejected(context, at):
        return named("rejected", "its result says that it was rejected")
    if calls > 1:
        return _of_parallel(context, pair, calls)
    if following[0].role == "user" and not following[0].results:
        return named("prompt_follows", "the next message is the user's, without results")
    return None


def _of_parallel(context: Context, pair: Pair, calls: int) -> Cause | None:
    assert pair.call_at is not None
    answered = context.whole.answered_in[pair.call_at[0]]
    if not answered:
        return None
    evidence = f"{answered} of the turn's {calls} calls {'has' if answered == 1 else 'have'} a result"
    if context.whole.last_spoken <= pair.call_at[0]:
        return named("killed.parallel", f"{evidence}, and nothing follows", context.transcript.agent)
    return named("parallel", evidence, context.transcript.agent)


def _interrupted(context: Context, at: int) -> Cause | None:
    """The cause shown by the messages directly after the calls of message `at`: computed once for all these calls."""
    known = context.whole.interruptions
    if at not in known:
        known[at] = next(_notes_in(context.messages[at + 1 : at + 3]), None)
    return known[at]


def _notes_in(messages: Sequence[Message]) -> Iterator[Cause]:
    for message in messages:
        for product, note in _notes():
            if message.role == "user" and _says(message, note):
                evidence = (
                    f"{product}'s note about an interruption follows"
                    if product
                    else "a note about an interruption follows"
                )
                yield named("interrupted", evidence, product)


def _says(message: Message, note: re.Pattern[str]) -> bool:
    return any(block.kind == "text" and note.search(block.text[:_HEAD]) for block in message.blocks)


def _rejected(context: Context, at: int) -> bool:
    """Whether a result of one of the first calls of message `at` says that it was rejected: computed once."""
    known = context.whole.rejections
    if at not in known:
        calls = [block for block in context.messages[at].blocks[:_LOOKED_AT] if block.kind == "call"]
        pairs = [found for call in calls if (found := context.pairing.pair_of(call)) is not None]
        known[at] = any(_declined().match(result_text(result)) for found in pairs for result in found.results)
    return known[at]
