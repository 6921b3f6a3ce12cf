"""What Claude Code makes of a problem when it resumes the session, as measured: often it heals, and tells nobody."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolpair.formats.base import Seen
from toolpair.formats.claude_code.reading import AGENT
from toolpair.rules.base import Effect, OnResume, Problem
from toolpair.transcript.content import is_real_output, result_text
from toolpair.transcript.model import Block, Transcript

MEASURED: Final = "2.1.329"
OLD: Final = "2.1.1"


@dataclass(frozen=True, slots=True)
class _Outcome:
    effect: Effect
    text: str
    loses: str | None = None
    outputs: tuple[Block, ...] = ()
    """Outputs that the model does not see; those that hold something real are counted."""


def on_resume(transcript: Transcript, problem: Problem, seen: Seen | None = None) -> OnResume | None:
    if transcript.agent != AGENT:
        return None
    old = is_old(transcript.agent_version)
    outcome = _old_outcome(transcript, problem) if old else None
    if outcome is None:
        outcome = _outcome(transcript, problem)
        old = old and problem.rule in _SAME_IN_OLD
    if outcome is None:
        return None
    lost = [block for block in outcome.outputs if is_real_output(block)]
    version = OLD if old else MEASURED
    text = outcome.text
    if transcript.agent_version != version:
        text = f"{text[:-1]} (measured with {version})."
    loses = outcome.loses
    if loses is None and lost:
        loses = _named(lost)
    return OnResume(AGENT, version, outcome.effect, loses, text, len(lost))


_SAME_IN_OLD: Final = frozenset({"id.empty", "id.pattern", "args.not_object", "role.call_in_user", "result.missing"})


def is_old(version: str | None) -> bool:
    """Whether the file was written by 2.1.1 or earlier, which repairs much less."""
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", version or "")
    return found is not None and tuple(int(part) for part in found.groups()) <= (2, 1, 1)


def _lines(blocks: tuple[Block, ...]) -> str:
    count = sum(len(result_text(block).splitlines()) for block in blocks if is_real_output(block))
    return f"{count:,} {'line' if count == 1 else 'lines'}"


def _named(blocks: list[Block]) -> str:
    size = sum(len(result_text(block).encode("utf-8", "replace")) for block in blocks)
    what = "the result" if len(blocks) == 1 else f"{len(blocks):,} results"
    return f"{what}, {size:,} bytes"


def _results(problem: Problem) -> tuple[Block, ...]:
    found = [problem.result, *problem.others] if problem.result is not None else list(problem.others)
    return tuple(block for block in found if block.kind == "result")


def _real(blocks: tuple[Block, ...]) -> bool:
    return any(is_real_output(block) for block in blocks)


def _in_last_turn(transcript: Transcript, call: Block | None) -> bool:
    """Nothing but results stands behind the call: the agent answers such calls itself, and writes it to the file."""
    for number in range(len(transcript.messages) - 1, -1, -1):
        message = transcript.messages[number]
        if message.role == "assistant":
            return call is not None and any(block is call for block in message.blocks)
        if any(block.kind != "result" for block in message.blocks):
            return False
    return False


def _outcome(transcript: Transcript, problem: Problem) -> _Outcome | None:
    result = (problem.result,) if problem.result is not None else ()
    match problem.rule:
        case "result.missing":
            if _in_last_turn(transcript, problem.call):
                return _Outcome("placeholder", "Claude Code writes itself that this call was interrupted.")
            return _Outcome("dropped", "Claude Code drops this call. It does not tell.", "the call")
        case "turn.trailing_call":
            return _Outcome("placeholder", "Claude Code writes itself that this call was interrupted.")
        case "result.orphan":
            return _dropped("this result", result)
        case "result.id_mismatch":
            if _real(result):
                return _Outcome(
                    "dropped", f"Claude Code drops this call and its {_lines(result)}. It does not tell.", None, result
                )
            return _Outcome("dropped", "Claude Code drops this call and its result. It does not tell.", "the call")
        case "result.not_adjacent" | "role.result_in_assistant":
            if _real(result):
                return _Outcome(
                    "placeholder",
                    f"Claude Code writes an error in place of these {_lines(result)}. It does not tell.",
                    None,
                    result,
                )
            return _Outcome("placeholder", "Claude Code writes an error in place of this result.")
        case "result.duplicate":
            return _duplicate(problem)
        case "call.duplicate_id" | "call.reused_id":
            return _shared_id(problem)
        case "id.empty" | "id.pattern" | "args.not_object" | "args.unparseable" | "role.call_in_user":
            return _Outcome("rejected", "Claude Code sends it as it is, and the API refuses the session.")
        case "result.not_first":
            return _Outcome("rejected", "Claude Code sends it in this order, and the API refuses the session.")
        case "result.order":
            return _Outcome("healed", "Claude Code sends the results as they are, which the API accepts.")
        case "result.split_over_messages":
            return _Outcome("healed", "Claude Code sends all results of a turn in one message.")
        case "call.not_trailing":
            return _Outcome("healed", "Claude Code moves the call to the end of its message.")
        case "turn.alternation":
            return _Outcome("healed", "Claude Code sends such neighbours as they are, which the API accepts.")
        case "turn.trailing_assistant":
            return _Outcome("healed", "Claude Code goes on with your next words.")
        case "content.empty_text":
            return _Outcome("healed", "Claude Code leaves empty text out.")
        case "content.empty_message":
            return _empty_message(problem)
        case rule if rule.startswith("chain."):
            return _Outcome("dropped", "Claude Code forgets everything before this line. It does not tell.", "history")
        case "record.lone_surrogate":
            return _Outcome("healed", "Claude Code replaces the damaged characters.")
        case _:
            return None


def _dropped(what: str, blocks: tuple[Block, ...]) -> _Outcome:
    if _real(blocks):
        return _Outcome("dropped", f"Claude Code drops {what} of {_lines(blocks)}. It does not tell.", None, blocks)
    return _Outcome("dropped", f"Claude Code drops {what}. It does not tell.")


def _duplicate(problem: Problem) -> _Outcome:
    results = _results(problem)
    first = results[0] if results else None
    later = tuple(
        block for block in results[1:] if first is not None and result_text(block).strip() != result_text(first).strip()
    )
    if not _real(later):
        return _Outcome("healed", "Claude Code sends the first result and drops the copy.")
    return _Outcome(
        "dropped", f"Claude Code sends the first result and drops {_lines(later)}. It does not tell.", None, later
    )


def _shared_id(problem: Problem) -> _Outcome:
    results = _results(problem)
    return _Outcome(
        "dropped",
        "Claude Code sends the first of these calls and drops the others with their outputs. It does not tell.",
        None if _real(results[1:]) else "the later calls",
        results[1:],
    )


def _empty_message(problem: Problem) -> _Outcome:
    message = problem.about
    if message is not None and message.role == "user" and message.shape == "string":
        return _Outcome("rejected", "Claude Code sends the empty message, and the API refuses the session.")
    return _Outcome("healed", 'Claude Code writes "(no content)" in its place.')


def _old_outcome(transcript: Transcript, problem: Problem) -> _Outcome | None:
    """Where 2.1.1 and earlier do otherwise."""
    match problem.rule:
        case "result.missing" | "turn.trailing_call":
            return _Outcome("dropped", "Claude Code drops this call. It does not tell.", "the call")
        case (
            "result.orphan"
            | "result.id_mismatch"
            | "result.not_adjacent"
            | "result.duplicate"
            | "call.duplicate_id"
            | "call.reused_id"
            | "role.result_in_assistant"
            | "content.empty_text"
        ):
            return _Outcome("rejected", "Claude Code sends it as it is, and the API refuses the session.")
        case "result.not_first":
            return _Outcome("healed", "Claude Code puts the result first.")
        case "call.not_trailing":
            return _Outcome("kept", "Claude Code sends it in this order.")
        case _:
            return None
