"""What Claude Code does about a problem on resume: often it heals it, without telling you.

What is dropped, replaced and sent comes from the model in `sending`; here are the texts for it.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from toolpair.dialects.block_texts import is_output, is_real_output, output_bytes, output_lines, result_text
from toolpair.formats.claude_code.reading import AGENT
from toolpair.formats.claude_code.record_kinds import SUB_AGENT
from toolpair.formats.claude_code.versions import behaviour, resumed_by
from toolpair.formats.format import SentRequest
from toolpair.rules.problem import Effect, OnResume, Problem
from toolpair.transcript.model import Block, Transcript


class _Outcome(Struct, frozen=True):
    effect: Effect
    text: str
    loses: str | None = None


class _Facts(Struct, frozen=True, eq=False):
    """What happens to the blocks of a problem."""

    call: Block | None
    call_sent: bool
    results: tuple[Block, ...]
    sent: tuple[Block, ...]
    lost: tuple[Block, ...]
    """Real outputs of which the model sees nothing, not even in a copy."""


def on_resume(transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
    asked = resumed_by(transcript)
    version = behaviour(asked)
    if transcript.agent == SUB_AGENT:
        text = "Claude Code neither resumes nor heals a sub-agent's history: it stays as it is."
        return OnResume(AGENT, version.version, "kept", None, text)
    if transcript.agent != AGENT or seen is None:
        return None
    facts = _facts(problem, seen)
    outcome = (
        _whole_file(problem)
        or _refused(problem, facts)
        or _blank(problem, seen)
        or _hurt(transcript, problem, facts, seen)
    )
    if outcome is None and not version.heals:
        outcome = _UNHEALED.get(problem.rule)
    outcome = outcome or _outcome(problem)
    if outcome is None:
        return None
    text = outcome.text
    if asked not in (None, version.version):
        text = f"{text[:-1]} (measured with {version.version})."
    lost = () if problem.rule == "result.order" else facts.lost
    loses = _named(lost) if lost and outcome.loses != "history" else outcome.loses
    return OnResume(AGENT, version.version, outcome.effect, loses, text, len(lost))


def _facts(problem: Problem, seen: SentRequest) -> _Facts:
    named = [problem.result, *problem.others] if problem.result is not None else list(problem.others)
    results = tuple(block for block in dict.fromkeys(named) if block.kind == "result")
    sent = tuple(block for block in results if seen.reaches(block))
    sent_texts = {result_text(block).strip() for block in sent}
    lost: dict[str, Block] = {}
    for block in results:
        text = result_text(block).strip()
        if is_real_output(block) and block not in sent and text not in sent_texts:
            lost.setdefault(text, block)
    call = problem.call
    return _Facts(call, call is not None and seen.reaches(call), results, sent, tuple(lost.values()))


def _whole_file(problem: Problem) -> _Outcome | None:
    """Problems that concern more than a pair."""
    rule = problem.rule
    if rule == "chain.no_timestamp":
        return _Outcome("rejected", "Claude Code says that there is no such session, and resumes nothing.", "history")
    if not rule.startswith("chain."):
        return None
    if problem.severity == "info" or (rule == "chain.cycle" and problem.severity == "warning"):
        return None
    if rule == "chain.duplicate_uuid":
        return _Outcome("dropped", "Claude Code reads the later record in its place without telling you.", "the record")
    if rule == "chain.kept_missing":
        text = "Claude Code sends nothing of what the compaction kept, without telling you."
        return _Outcome("dropped", text, "what was kept")
    if rule == "chain.wrong_leaf" or problem.message not in (0, None):
        return _Outcome("dropped", "Claude Code does not see what follows, and does not tell you.", "history")
    return _Outcome("dropped", "Claude Code forgets everything before this line without telling you.", "history")


def _refused(problem: Problem, facts: _Facts) -> _Outcome | None:
    """A call that is sent where no call is allowed, whatever happens to its result."""
    return _outcome(problem) if problem.rule == "role.call_in_user" and facts.call_sent else None


def _blank(problem: Problem, seen: SentRequest) -> _Outcome | None:
    """A blank text: left out, unless next to other text in a response, or if it is all that the user said."""
    if problem.rule != "content.empty_text":
        return None
    if any(seen.reaches(block) for block in problem.others):
        return _AS_IT_IS
    return _Outcome("healed", "Claude Code leaves the empty text out.")


def _hurt(transcript: Transcript, problem: Problem, facts: _Facts, seen: SentRequest) -> _Outcome | None:
    """A call or an output of the problem that does not reach the model as it is in the file."""
    if problem.rule == "result.order" or (facts.call is None and not facts.results):
        return None
    lines = output_lines(facts.lost)
    gone = facts.call is not None and not facts.call_sent
    if facts.lost:
        if problem.rule == "result.duplicate" and facts.sent:
            return _Outcome("dropped", f"Claude Code sends the first result and drops {lines} without telling you.")
        if problem.rule in _SHARED and facts.sent:
            text = (
                "Claude Code sends the first of these calls and drops the others with their outputs without telling "
                "you."
            )
            return _Outcome("dropped", text)
        if gone:
            return _Outcome("dropped", f"Claude Code drops this call and its {lines} without telling you.")
        if all(seen.fates.get(id(block)) == "replaced" for block in facts.lost):
            these = "this line" if lines == "1 line" else f"these {lines}"
            text = f"Claude Code writes an error in place of {these} without telling you."
            return _Outcome("placeholder", text)
        return _Outcome("dropped", f"Claude Code drops this result of {lines} without telling you.")
    if gone:
        if problem.rule in _SHARED:
            text = "Claude Code sends the first of these calls and drops the others without telling you."
            return _Outcome("dropped", text, "the later calls")
        and_result = " and its result" if facts.results else ""
        return _Outcome("dropped", f"Claude Code drops this call{and_result} without telling you.", "the call")
    if facts.sent:
        if any(map(is_output, facts.results)) and not any(map(is_output, facts.sent)):
            text = "Claude Code sends the placeholder and drops the output, which is empty, without telling you."
            return _Outcome("placeholder", text, "that the call ran")
        return None
    if facts.call is None:
        return _Outcome("dropped", "Claude Code drops this result without telling you.")
    if facts.results:
        if any(seen.fates.get(id(block)) == "replaced" for block in facts.results):
            return _Outcome("placeholder", "Claude Code writes an error in place of this result.")
        return _Outcome("dropped", "Claude Code drops this result without telling you.")
    if problem.rule in ("result.missing", "turn.trailing_call"):
        if _in_last_turn(transcript, facts.call):
            return _Outcome("placeholder", "Claude Code tells the model that this call was interrupted.")
        return _Outcome("placeholder", "Claude Code writes an error as its result.")
    return None


_SHARED: Final = frozenset({"call.duplicate_id", "call.reused_id"})


def _named(blocks: tuple[Block, ...]) -> str:
    what = "the result" if len(blocks) == 1 else f"{len(blocks):,} results"
    return f"{what}, {output_bytes(blocks):,} bytes"


def _in_last_turn(transcript: Transcript, call: Block) -> bool:
    """Only results follow the call: the agent answers such calls itself, and writes that to the file."""
    for message in reversed(transcript.messages):
        if message.role == "assistant":
            return any(block is call for block in message.blocks)
        if any(block.kind != "result" for block in message.blocks):
            return False
    return False


def _outcome(problem: Problem) -> _Outcome | None:
    """By the rule alone: what reaches the model, unchanged or healed."""
    return _empty_message(problem) if problem.rule == "content.empty_message" else _BY_RULE.get(problem.rule)


_AS_IT_IS: Final = _Outcome("rejected", "Claude Code sends it as it is, and the API refuses the session.")
_BY_RULE: Final = {
    **dict.fromkeys(("id.empty", "id.pattern", "args.not_object", "args.unparseable", "role.call_in_user"), _AS_IT_IS),
    "result.not_first": _Outcome("rejected", "Claude Code sends it in this order, and the API refuses the session."),
    "result.placeholder": _Outcome(
        "placeholder",
        "Claude Code sends the placeholder as it is, and does not look for the output.",
        "the real output",
    ),
    "result.duplicate": _Outcome("healed", "Claude Code sends the first result and drops the copy."),
    "result.not_adjacent": _Outcome("healed", "Claude Code puts the result after its call."),
    "result.order": _Outcome("healed", "Claude Code sends the results as they are, which the API accepts."),
    "result.split_over_messages": _Outcome("healed", "Claude Code sends all results of a turn in one message."),
    "call.not_trailing": _Outcome("healed", "Claude Code moves the call to the end of its message."),
    "turn.alternation": _Outcome("healed", "Claude Code sends both messages as they are, which the API accepts."),
    "turn.trailing_assistant": _Outcome("healed", "Claude Code continues with your next words."),
    "record.lone_surrogate": _Outcome("healed", "Claude Code replaces the damaged characters."),
}
_UNHEALED: Final = {
    **dict.fromkeys(
        (
            "result.orphan",
            "result.id_mismatch",
            "result.not_adjacent",
            "result.duplicate",
            "call.duplicate_id",
            "call.reused_id",
            "role.result_in_assistant",
            "content.empty_text",
        ),
        _AS_IT_IS,
    ),
    "result.not_first": _Outcome("healed", "Claude Code puts the result first."),
    "call.not_trailing": _Outcome("kept", "Claude Code sends it in this order."),
}
"""What versions that heal little do differently."""


def _empty_message(problem: Problem) -> _Outcome:
    message = problem.about
    if message is not None and message.role == "user" and message.shape == "string":
        return _Outcome("rejected", "Claude Code sends the empty message, and the API refuses the session.")
    return _Outcome("healed", 'Claude Code writes "(no content)" in its place.')
