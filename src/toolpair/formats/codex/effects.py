"""What Codex does about a problem when it resumes the rollout: it heals in memory, and only its log mentions it."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.dialects.block_texts import is_real_output, output_bytes, output_lines
from toolpair.formats.codex.readable import is_loaded
from toolpair.formats.codex.reading import AGENT
from toolpair.formats.codex.sending import MEASURED
from toolpair.formats.codex.sent_items import facts_of
from toolpair.formats.format import SentRequest
from toolpair.rules.problem import Effect, OnResume, Problem
from toolpair.transcript.model import Block, Transcript

_OF_FILES = ("rollout.", "record.", "chain.")
"""Families of rules about what is in the file, of which a request shows nothing."""


def on_resume(transcript: Transcript, problem: Problem, seen: SentRequest | None) -> OnResume | None:
    if seen is None:
        return None
    rule = problem.rule
    if rule.startswith("rollout.") and problem.impact == "stops" and problem.severity == "error":
        return _resume("rejected", "Codex does not resume this session.", "the whole session")
    if rule == "rollout.not_loaded" and problem.call is None and problem.result is None:
        return _resume("dropped", "Codex skips it. It does not tell.", "the message")
    if rule == "rollout.compaction_ignored":
        return _resume("dropped", "Codex skips the compaction, and the old history comes back.", None)
    dropped = [block for block in _blocks(problem) if not seen.reaches(block)]
    lost = [block for block in dropped if block.kind == "result" and is_real_output(block)]
    calls = [block for block in dropped if block.kind == "call"]
    if rule == "record.lone_surrogate" and problem.others:
        return _surrogate(problem)
    if dropped:
        return _dropped(problem, lost, calls)
    if rule in ("result.missing", "turn.trailing_call"):
        if _shares_an_output(transcript, problem):
            return _resume(
                "rejected", "Codex takes another call's output for this one's, and the API refuses it.", None
            )
        return _resume("placeholder", 'Codex writes "aborted" in place of the output.', None)
    if rule == "result.placeholder":
        return _resume("kept", "Codex sends the placeholder.", None)
    if not _named(problem) or rule.startswith(_OF_FILES):
        return None
    # All of it goes out unchanged: the profile says what the API makes of it.
    if problem.severity == "error":
        return _resume("rejected", "Codex sends it as it is, and the API refuses the request.", None)
    may = "may refuse" if problem.severity == "warning" else "accepts"
    return _resume("kept", f"Codex sends it as it is, which the API {may}.", None)


def _resume(effect: Effect, text: str, loses: str | None, outputs: int = 0) -> OnResume:
    return OnResume(AGENT, MEASURED, effect, loses, text, outputs)


def _named(problem: Problem) -> Sequence[Block]:
    found = (problem.call, problem.result, *problem.others)
    return tuple(dict.fromkeys(block for block in found if block is not None))


def _blocks(problem: Problem) -> Sequence[Block]:
    return tuple(block for block in _named(problem) if block.kind in ("call", "result"))


def _dropped(problem: Problem, lost: Sequence[Block], calls: Sequence[Block]) -> OnResume:
    """For a problem with a call or output that does not reach the model."""
    text = f"these {output_lines(lost)}" if lost else "this call" if calls else "this output"
    if any(not is_loaded(block.value) for block in calls):
        text = f"this call and its {output_lines(lost)}" if lost else "this call"
        return _resume(
            "dropped",
            f"Codex cannot read {_it(calls)}: it drops {text} without telling you.",
            _loss(lost, calls),
            len(lost),
        )
    call = problem.call
    if call is not None and not calls:
        words = f'Codex writes "aborted" and drops {text}. Only its log says so.'
    else:
        words = f"Codex drops {text}. Only its log says so."
    return _resume("dropped" if lost else "healed", words, _loss(lost, calls), len(lost))


def _it(calls: Sequence[Block]) -> str:
    return "the call" if len(calls) == 1 else "the calls"


def _surrogate(problem: Problem) -> OnResume:
    """For a lone surrogate: Codex's parser rejects the whole record."""
    outputs = [block for block in problem.others if block.kind == "result" and is_real_output(block)]
    what = f"this record and its {output_lines(outputs)}" if outputs else "this record"
    loses = _loss(outputs, ()) or "the record"
    return _resume("dropped", f"Codex skips {what} without telling you.", loses, len(outputs))


def _loss(lost: Sequence[Block], calls: Sequence[Block]) -> str | None:
    if lost:
        return f"{'the result' if len(lost) == 1 else f'{len(lost):,} results'}, {output_bytes(lost):,} bytes"
    return "the call" if calls else None


def _shares_an_output(transcript: Transcript, problem: Problem) -> bool:
    """Whether another call has the same id and an output, which Codex accepts for both."""
    call = problem.call
    if call is None:
        return False
    return (call.call_kind, call.id) in facts_of(transcript).answered
