"""Why a pair broke, where the transcript itself shows it."""

from __future__ import annotations

import re
from typing import Final

from toolpair.rules.base import Cause
from toolpair.rules.context import Between, Context
from toolpair.transcript.content import block_text, is_placeholder_text, result_text
from toolpair.transcript.model import Block
from toolpair.transcript.pairing import Pair

_SPELLINGS: Final = {
    "sanitised": ("id.sanitised_on_one_side", "same id, cleaned on one side only"),
    "truncated": ("id.truncated_on_one_side", "same id, cut and given a hash on one side only"),
    "call_item": ("id.call_item", "same id: one side joins the call's id and an item's id by `|`"),
    "case_or_space": ("id.case_or_space", "same id but for case or spaces"),
    "prefix": ("id.prefix", "same id under another provider's prefix"),
    "cut": ("id.cut_on_one_side", "same id, cut short on one side only"),
}
_COUNTER: Final = re.compile(r"(?:^|[_:.-])\d{1,4}$")
_INTERRUPTED: Final = re.compile(
    r"\[Request interrupted by user|Task was interrupted|Operation cancelled", re.IGNORECASE
)

_LOOKED_AT: Final = 50
"""Of the calls of one turn; with more of them the question is not worth the walk for each."""
_REJECTED: Final = re.compile(r"The user doesn't want to |User rejected tool use|\[Request interrupted by user")


def of_mismatch(pair: Pair) -> Cause:
    call, result = pair.call, pair.result
    assert call is not None and result is not None
    if pair.evidence == "spelling":
        cause, text = _SPELLINGS[pair.spelling or "sanitised"]
        where = f"the call was written as `{call.id}`, the result as `{result.id}`"
        if cause == "id.sanitised_on_one_side" and call.id != result.id:
            where += " (Roo Code 3.40–3.46.0 wrote such files)"
        return Cause(cause, text, where)
    if pair.evidence == "link":
        return Cause(
            "id.linked", "the agent's own link names the call", "sourceToolAssistantUUID names the call's record"
        )
    if pair.evidence == "name":
        return Cause(
            "id.tool_name", "the only result of this tool beside its only unanswered call", f"both say {call.name}"
        )
    return Cause(
        "id.only_candidate", "the only unanswered call beside the only result without a call: a guess", "position alone"
    )


def of_missing(context: Context, pair: Pair) -> Cause | None:
    assert pair.call_at is not None
    at = pair.call_at[0]
    for boundary in context.transcript.boundaries:
        if boundary.message == at + 1:
            return Cause("compaction", "a compaction or a summary stands between the call and where its result was")
    following = context.messages[at + 1 : at + 3]
    if following and following[0].note == "summary":
        return Cause("compaction", "a compaction or a summary stands between the call and where its result was")
    for message in following:
        if message.role == "user" and any(
            block.kind == "text" and _INTERRUPTED.search(block_text(block)[:400]) for block in message.blocks
        ):
            return Cause(
                "interrupted", "stopped while running: the user interrupted the call", "an interruption note follows"
            )
    if at == len(context.messages) - 1:
        return Cause("killed", "stopped while running: nothing follows the call")
    together = _same_message(context, pair)
    if any(_REJECTED.match(result_text(result)) for found in together for result in found.results):
        return Cause("rejected", "the user stopped a call of the same turn", "its result says that it was rejected")
    siblings = sum(1 for block in context.messages[at].blocks if block.kind == "call")
    if siblings > 1:
        return (
            Cause("parallel", "some of the parallel calls of this turn were answered, this one was not")
            if any(found is not pair and found.results for found in _same_message(context, pair))
            else None
        )
    if following[0].role == "user" and not following[0].results:
        return Cause(
            "prompt_follows",
            "nothing came back before the user's next words: stopped while running, or never saved",
            "the next message is the user's, without results",
        )
    return None


def _same_message(context: Context, pair: Pair) -> list[Pair]:
    assert pair.call_at is not None
    blocks = context.messages[pair.call_at[0]].blocks[:_LOOKED_AT]
    return [found for block in blocks if block.kind == "call" and (found := context.pairing.pair_of(block)) is not None]


def of_orphan(context: Context, pair: Pair) -> Cause | None:
    result = pair.result
    assert result is not None
    at = pair.results_at[0][0]
    if pair.call is not None:
        return Cause("result_before_call", "the result stands before its call")
    if any(block.kind == "call" and block.id == result.id for block in context.transcript.inactive_blocks):
        return Cause("call_inactive", "its call stands on another branch, or before a compaction")
    if at == 0 or all(message.note == "summary" or message.role == "system" for message in context.messages[:at]):
        return Cause("compaction", "a compaction or a truncation cut the call off and left its result")
    return Cause("call_lost", "the call it answers is not in this history: removed by a rewind, or never saved")


def of_duplicate(pair: Pair, texts: list[str]) -> Cause:
    if any(is_placeholder_text(text) for text in texts) and not all(is_placeholder_text(text) for text in texts):
        return Cause("duplicate.placeholder", "a placeholder stands beside the real result")
    if len(set(texts)) == 1:
        across = len(set(pair.result_messages)) > 1
        return Cause("duplicate.same", "the same result was written twice" + (", as on a resume" if across else ""))
    return Cause("duplicate.differ", "two different results were written for one call")


def of_shared_id(calls: list[Block], pairs: list[Pair]) -> Cause:
    id_ = str(calls[0].id)
    crossed = ""
    answered = [pair for pair in pairs if pair.results]
    first = next((pair for pair in pairs if pair.call is calls[0]), None)
    if answered and first is not None and len({pair.call_message for pair in pairs}) == 1:
        written = min(answered, key=lambda pair: pair.results_at[0])
        if written is not first:
            crossed = "another call finished first: by the id alone its output is taken for the first call's"
    if _COUNTER.search(id_):
        evidence = f"ids such as `{id_}`" + (f"; {crossed}" if crossed else "")
        return Cause("id.counter_restarts", "the provider counts its ids anew in each turn", evidence)
    return Cause("id.shared", "one id was given to several calls", crossed)


def what_stands_between(between: Between) -> tuple[str, str]:
    """(what, cause id) for the messages between a call and its late result."""
    if between.summaries:
        return "a summary", "compaction"
    if between.assistants:
        return "a later turn of the assistant", "late.behind_turn"
    if between.systems:
        return "a system message", "late.behind_system"
    if between.messages:
        return "a message of the user", "late.behind_user"
    return "other messages", "late"
