"""Why results are in the wrong place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_values import time_of
from toolpair.rules.causes.known_causes import named
from toolpair.rules.problem import Cause
from toolpair.transcript.counting import plural
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.rules.context import Between, Context

_LATE: Final = (
    ("summaries", "a summary", "late.behind_summary"),
    ("assistants", "a later assistant turn", "late.behind_turn"),
    ("systems", "a system message", "late.behind_system"),
    ("messages", "a user message", "late.behind_user"),
)
_SHOWN: Final = 8


def of_late(context: Context, between: Between) -> tuple[str, Cause]:
    """(what is between a call and its late result, the cause)."""
    for field, what, id_ in _LATE:
        count = getattr(between, field)
        if count:
            inside = f", {count:,} of them {_PLURAL[field]}" if 1 < between.messages != count else ""
            evidence = f"{plural(between.messages, 'message')} in between"
            return what, named(id_, evidence + inside, context.transcript.agent)
    return "other messages", named("late")


_PLURAL: Final = {
    "summaries": "summaries",
    "assistants": "the assistant's",
    "systems": "the system's",
    "messages": "the user's",
}


def of_split(context: Context, calls: int, messages: int) -> Cause:
    return named("split", f"{calls} results in {messages} messages", context.transcript.agent)


def of_order(context: Context, family: Sequence[Pair]) -> Cause:
    """`family`: the pairs of one turn, in the order of their calls."""
    written = sorted(range(len(family)), key=lambda n: family[n].results_at[0])
    order = ", ".join(str(n + 1) for n in written[:_SHOWN]) + (" …" if len(written) > _SHOWN else "")
    evidence = f"numbered by their calls, the results came {order}"
    times = [time_of(context.messages[family[n].results_at[0][0]]) for n in written]
    if None not in times and len(set(times)) > 1 and all(_not_after(a, b) for a, b in pairwise(times)):
        evidence += ", and their timestamps rise"
    return named("completion_order", evidence)


def _not_after(earlier: Any, later: Any) -> bool:
    return bool(isinstance(earlier, str) == isinstance(later, str) and earlier <= later)
