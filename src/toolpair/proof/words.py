"""A proof in sentences, the same for commands and screens. What they quote of a session or an agent is untrusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from toolpair.history.verdict_text import all_of
from toolpair.proof.proof import Proof
from toolpair.session.handed_over import KINDS, Kind, SentText
from toolpair.transcript.counting import plural

Tone = Literal["good", "bad", "doubtful", ""]
NETWORK: Final = "It has a network of its own, in which there is nothing but the API that answers it."
NO_NETWORK: Final = (
    "No network of its own can be had here: it is pointed at an API on this machine, but it may look for updates."
)
KIND_NAMES: Final[dict[Kind, str]] = {
    "output": "output",
    "words": "user text",
    "answer": "answer",
    "call": "call",
    "image": "image",
}
_LISTED: Final = 20
"""Of each kind; JSON has all."""
_BEGINNING: Final = 60
"""Characters of a text that are shown, where any are."""


class Told(Struct, frozen=True):
    """One line."""

    text: str
    tone: Tone = ""


def told(when: str, title: str, proof: Proof, content: bool) -> Iterator[Told]:
    """What the agent of this title sends, `when`; `content`: with the beginnings of texts."""
    if not proof.is_known:
        yield Told(f"{when}: {title} gave {proof.note}: what it sends is not known.", "doubtful")
        return
    tone: Tone = "good" if proof.is_whole else "bad"
    if not proof.sent:
        yield Told(f"{when}: {title} sends nothing.", tone)
        if proof.note:
            yield Told(f"  it says: {' '.join(proof.note.split())}")
    else:
        valid = "a valid request" if not proof.problems else f"a request with {plural(len(proof.problems), 'error')}"
        sent = f"{_of(proof.messages, 'message')} and {_of(proof.outputs, 'output')}"
        yield Told(f"{when}: {title} sends {sent}, in {valid}.", tone)
        for problem in proof.problems:
            yield Told(f"  error      {problem.rule}  {problem.text}")
        if proof.missing:
            yield Told("not sent:")
            yield from map(Told, listed(proof.missing, content))
    if proof.agrees:
        yield Told("`sees` says the same.")
        return
    yield Told("`sees` says something else:", "doubtful")
    if proof.model_refuses is not None:
        yield Told(f"  it says: {proof.model_refuses}")
    elif not proof.sent:
        yield Told("  it says that the session is resumed")
    for heading, texts in (("  said to be sent, and not sent:", proof.unexpected), ("  sent besides:", proof.besides)):
        if proof.sent and texts:
            yield Told(heading)
            yield from map(Told, listed(texts, content))


def after_words(fixes: int) -> str:
    return f"after {plural(fixes, 'fix', 'fixes')}" if fixes else "with nothing to fix"


def listed(texts: Sequence[SentText], content: bool) -> Iterator[str]:
    """A line for each text, by kind."""
    for kind in KINDS:
        found = [one for one in texts if one.kind == kind]
        for one in found[:_LISTED]:
            where = f"messages.{one.message}" + (f", line {one.line}" if one.line is not None else "")
            names = "  ".join(part for part in (one.tool, one.id) if part)
            said = f"  {one.text[:_BEGINNING]}" if content and kind != "image" else ""
            yield f"  {KIND_NAMES[kind]:<10} {where}  {names}  {plural(len(one.text), 'character')}{said}".rstrip()
        if len(found) > _LISTED:
            yield f"  … and {plural(len(found) - _LISTED, f'more {KIND_NAMES[kind]}')}"


def _of(counts: tuple[int, int], noun: str) -> str:
    sent, total = counts
    if not total:
        return f"no {noun}"
    if sent == total:
        said = all_of(total, noun)
        return said[0].lower() + said[1:]
    return f"{sent:,} of {plural(total, noun)}"
