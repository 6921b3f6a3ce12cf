"""The verdict in words: the badge, the text beside it, and what will be true after saving."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct

from toolpair.dialects.block_texts import call_summary
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import Profile
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Transcript

Outlook = Literal["stops", "loses", "ready"]
EMPTY: Final = "EMPTY"
"""The badge of a session without a message that its agent would send."""
GUESS: Final = "A GUESS"
"""The badge of a session whose form was drafted."""
ONLY_SHOWN: Final = "ONLY SHOWN"
"""The badge of a session whose form was never compared with its agent."""
_SUMMARY: Final = 48
"""Characters of a call's input shown in a sentence."""


class Verdict(Struct, frozen=True):
    """What would happen on resume now. Outputs are real tool outputs: not placeholders, not empty."""

    messages: int
    calls: int
    outputs_total: int
    outputs_seen: int
    outputs_shortened: int
    """How many of those seen are shortened: the agent sends their beginning and end."""
    errors: int
    warnings: int
    infos: int
    causes: int
    refused: bool
    native: bool
    placeholders: int
    waiting: int
    """Calls without results."""
    outlook: Outlook
    badge: str
    """The outcome, in a few words in capitals."""
    sentence: str
    """What to say beside the badge; never content of the session."""


class Tally(Struct, frozen=True):
    """The counts behind a verdict, for a history or for a window of one."""

    messages: int = 0
    calls: int = 0
    waiting: int = 0
    """Calls without results."""
    outputs: int = 0
    """Real ones, whatever place they are in."""
    seen: int = 0
    """Those that reach the model."""
    placeholders: int = 0
    forgotten: int = 0
    """Messages before lost links, and a user's words that are not sent."""
    shortened: int = 0
    """Outputs that reach the model without their middle."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, name) + getattr(other, name) for name in _COUNTED))

    def __sub__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, name) - getattr(other, name) for name in _COUNTED))


_COUNTED: Final = ("messages", "calls", "waiting", "outputs", "seen", "placeholders", "forgotten", "shortened")


def aside_text(transcript: Transcript, errors: int) -> str:
    """A note on a history that is not the one its agent continues."""
    if transcript.tree.goes_on_in is not None:
        plain = re.fullmatch(r"[A-Za-z0-9_.:-]{1,100}", transcript.tree.goes_on_in)
        return f" The agent resumes {f'session {plain[0]}' if plain else 'another session'} in its place."
    if transcript.tree.elsewhere and transcript.tree.resumed:
        return " This is not the branch that the agent resumes."
    if transcript.tree.resumed:
        return ""
    stays = " and what is broken in it stays so" if errors else ""
    return f" A sub-agent's history: it is never resumed or healed{stays}."


def badge_of(tally: Tally, head: Transcript, errors: int, refused: bool, refuses: str | None) -> tuple[Outlook, str]:
    """What stops comes before what loses, history before outputs."""
    lost = tally.outputs - tally.seen
    if not errors and refuses is not None and _is_resumed(head):
        return "stops", "WON'T RESUME"
    if not errors:
        if not tally.calls and not tally.outputs and not tally.forgotten:
            return "ready", "NO CALLS YET" if tally.messages else EMPTY
        return "ready", "READY TO RESUME" if _is_resumed(head) else "VALID"
    if not head.tree.resumed or head.tree.elsewhere:
        return "loses", plural(errors, "PROBLEM", "PROBLEMS")
    if refuses is not None or (refused and head.native):
        return "stops", "WON'T RESUME"
    if refused:
        return "stops", "API REFUSES IT"
    if _is_resumed(head):
        if tally.forgotten:
            return "loses", f"LOSES {plural(tally.forgotten, 'MESSAGE', 'MESSAGES')}"
        if lost:
            return "loses", f"RESUMES, LOSES {plural(lost, 'OUTPUT', 'OUTPUTS')}"
        return "loses", f"RESUMES, {plural(errors, 'PROBLEM', 'PROBLEMS')}"
    return "loses", plural(errors, "PROBLEM", "PROBLEMS")


def _is_resumed(head: Transcript) -> bool:
    """Whether its agent would continue exactly this history."""
    return bool(head.native and head.agent and head.tree.resumed and not head.tree.elsewhere)


def all_of(count: int, noun: str) -> str:
    """ "All 4 outputs", with the right words for one or two of them."""
    return {1: f"The only {noun}", 2: f"Both {noun}s"}.get(count, f"All {count:,} {noun}s")


def waiting_text(problems: Iterable[Problem], head: Transcript, *, content: bool = False, running: bool = False) -> str:
    """About the calls that a history ends with; with `content` including their input. `running`: an agent is at work on
    them.
    """
    last = [problem for problem in problems if problem.rule == "turn.trailing_call"]
    if not last:
        return ""
    if len(last) > 1:
        who, was, has = f"The last {len(last):,} calls", "were", "have"
    else:
        call = last[0].call
        words = [call.name or "", call_summary(call)[:_SUMMARY] if content else ""] if call is not None else []
        named = " ".join(filter(None, words))
        who, was, has = f"The last call{f', {named},' if named else ''}", "was", "has"
    if running:
        return f"{who} {has} no output yet."
    effects = [problem.on_resume.effect if problem.on_resume is not None else "kept" for problem in last]
    all_reported = not {"kept", "rejected"} & set(effects)
    says = f": {head.agent} will say so to the model" if all_reported and _is_resumed(head) else ""
    return f"{who} {was} interrupted and {has} no output{says}."


def with_last_call(verdict: Verdict, problems: Sequence[Problem], head: Transcript, running: bool = False) -> str:
    """The verdict's sentence, in which the call that a sound history ends with is named with its input.

    `running`: an agent is at work on it.
    """
    if not verdict.waiting or verdict.errors:
        return verdict.sentence
    plain = waiting_text(problems, head)
    whole = waiting_text(problems, head, content=True, running=running)
    return verdict.sentence.replace(plain, whole) if plain else verdict.sentence


def beside(badge: str, sentence: str) -> str:
    """A verdict's sentence without what the badge before it has said."""
    said = badge.removeprefix("RESUMES, ").lower()
    return sentence[len(said) :].lstrip("., ") if sentence.lower().startswith((f"{said}.", f"{said},")) else sentence


def sound_text(tally: Tally, head: Transcript, profile: Profile, waiting: str, refuses: str | None) -> str:
    checked = f"(Checked {profile.judged} {profile.name} rules; signatures and size are not checked.)"
    if refuses is not None:
        return f"{refuses} {checked}"
    checked = _shortened_text(tally, head) + checked
    calls = tally.calls
    if tally.forgotten:
        verb = "is" if tally.forgotten == 1 else "are"
        checked = f"{plural(tally.forgotten, 'earlier message')} {verb} not sent. {checked}"
    if badge_of(tally, head, 0, False, refuses)[1] == EMPTY:
        return "It has no message that would be sent, so there is nothing to check."
    if not calls:
        return f"No tool calls in {plural(tally.messages, 'message')}. {checked}"
    if tally.waiting:
        answered = f"{calls - tally.waiting:,} of {plural(calls, 'call')} have results."
        return f"{waiting or answered} {checked}"
    return f"{all_of(calls, 'call')} {'has its result' if calls == 1 else 'have results'}. {checked}"


def _shortened_text(tally: Tally, head: Transcript) -> str:
    """What the agent shortens before sending: not lost, but not complete either."""
    if not tally.shortened:
        return ""
    whole = f"{tally.seen - tally.shortened:,} of {plural(tally.outputs, 'output')}"
    return f"{head.agent} sends {whole} whole and shortens {tally.shortened:,}. "


def guess_text(calls: int, results: int, described: str | None = None) -> str:
    """`described`: what the session is, where its form was not drafted."""
    seen = f"{plural(calls, 'call')} and {plural(results, 'result')} were recognised"
    if described is not None:
        begun = f"{described}, read as others describe that form, never compared with the agent: {seen}."
    else:
        begun = f"Its form was drafted: {seen} by their shape."
    return f"{begun} Nothing is checked, and nothing can be fixed or saved."


def problems_text(errors: int, causes: int) -> str:
    return plural(errors, "problem") + (f", {plural(causes, 'cause')}" if errors > 1 else "")


def broken_text(tally: Tally, head: Transcript, errors: int, causes: int, refused: bool, refuses: str | None) -> str:
    total, lost = tally.outputs, tally.outputs - tally.seen
    begun = f"{problems_text(errors, causes)}."
    if not head.tree.resumed or head.tree.elsewhere:
        return begun
    if refuses is not None:
        return f"{begun} {refuses}"
    kept = f" {all_of(total, 'output')} {'is' if total == 1 else 'are'} still in the file." if total else ""
    if refused and head.native:
        if lost:
            kept = f" The request would hold {total - lost:,} of {plural(total, 'output')}."
        return f"{begun} The API refuses the request.{kept}"
    if _is_resumed(head):
        if lost:
            many = all_of(total, "output") if lost == total else f"Of {plural(total, 'output')} {lost:,}"
            return f"{begun} {many} {'is' if lost == 1 else 'are'} dropped without telling you."
        if tally.forgotten:
            gone = f"{plural(tally.forgotten, 'message')} {'is' if tally.forgotten == 1 else 'are'} forgotten"
            return f"{begun} {gone} without telling you."
        reach = f"{all_of(total, 'output')} {'reaches' if total == 1 else 'reach'} the model." if total else ""
        return f"{begun} {reach or 'No output is lost.'} {_shortened_text(tally, head)}".rstrip()
    return begun + kept


def saving_text(before: Verdict, after: Verdict, placeholders: int) -> str:
    """What will be true after saving the staged fixes."""
    left = f"{plural(after.errors, 'problem')} left. " if after.errors else ""
    total = max(before.outputs_total, after.outputs_total)
    written = plural(placeholders, "placeholder") if placeholders else ""
    if not total:
        return left + (f"It will have {written}." if written else "No output is involved.")
    seen = after.outputs_seen
    many = all_of(total, "output") if seen >= total else f"{seen:,} of {plural(total, 'output')}"
    will = "will reach the model" if after.native else "will still be there"
    return f"{left}{many} {will}{f', plus {written}' if written else ''}."
