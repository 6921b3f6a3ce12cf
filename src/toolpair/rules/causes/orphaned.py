"""Why a result has no call before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.rules.causes.known_causes import named
from toolpair.rules.problem import Cause
from toolpair.transcript.counting import plural
from toolpair.transcript.id_shapes import sanitised, usable
from toolpair.transcript.pairing import Pair

if TYPE_CHECKING:
    from toolpair.rules.context import Context


def of_orphan(context: Context, pair: Pair) -> Cause | None:
    result = pair.result
    assert result is not None
    at = pair.results_at[0][0]
    if pair.call is not None and pair.call_at is not None:
        return named("result_before_call", f"its call comes {plural(pair.call_at[0] - at, 'message')} later")
    whole, agent = context.whole, context.transcript.agent
    if (merged := collision(context, result.id)) is not None:
        return named("id.collision", merged, agent=agent)
    if pair.candidates:
        return named("id.several")
    compacted = whole.first_compaction is not None and whole.first_compaction <= at
    if usable(result.id) and result.id in whole.inactive_calls:
        if compacted:
            return named("compaction.kept_result", f"the call {result.id} comes before the summary", agent)
        return named("rewind", f"a call with its id ({result.id}) is in the file but not in this history")
    if at <= whole.first_spoken:
        boundary = whole.boundaries.get(0) or whole.boundaries.get(at)
        if boundary is not None and boundary.cut is not None:
            return named("history_cut", "the history starts with it, after a lost link")
        if compacted or (at and context.messages[at - 1].note == "summary"):
            return named("compaction.kept_result", "nothing but a summary comes before it", agent)
        before = "the history starts with it" if at == 0 else "nothing but system messages comes before it"
        return named("trimmed", before)
    return named("call_lost", "no call in the file has its id" if usable(result.id) else "")


def collision(context: Context, id_: object) -> str | None:
    """Evidence that results with several ids answer one call: its id is what all of theirs become when sanitised."""
    clean = sanitised(id_) if usable(id_) else ""
    spellings = context.whole.spellings.get(clean, ())
    if len(spellings) < 2:
        return None
    return f"`{spellings[0]}` and `{spellings[1]}` both become `{clean}`, and there is only one such call"
