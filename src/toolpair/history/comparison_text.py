"""The comparison of two histories in words."""

from __future__ import annotations

from typing import Final

from toolpair.history.two_histories import Aspect, Comparison, Part, PartKind, Tally
from toolpair.transcript.counting import plural

DIFFER: Final[dict[Aspect, str]] = {
    "id": "id", "call": "arguments", "result": "result", "place": "place of the result", "text": "text",
}  # fmt: skip
_KINDS: Final[tuple[tuple[PartKind, str], ...]] = (
    ("differs", "differ"), ("only a", "only in A"), ("only b", "only in B"),
)  # fmt: skip


def same_text(part: Part) -> str:
    """How much is the same at a place."""
    return f"{tally_text(part.tally)} {'is' if part.size == 1 else 'are'} the same"


def parting_text(found: Comparison) -> str:
    """Where two histories part, and how much follows in each."""
    parting = found.parting
    assert parting is not None
    ways = ((parting.pairs_a, parting.steps_a), (parting.pairs_b, parting.steps_b))
    a, b = (plural(pairs, "pair") if pairs else plural(steps, "message") for pairs, steps in ways)
    where = "They part here" if parting.a or parting.b else "They have nothing in common"
    return f"{where}: A goes on with {a}, B with {b}"


def summary_text(found: Comparison) -> str:
    """All of it in one sentence."""
    if found.same:
        return "The histories are the same."
    words = [f"{tally_text(found.tallies['same'])} the same"]
    for kind, name in _KINDS:
        tally = found.tallies[kind]
        if tally:
            one = kind == "differs" and tally.pairs + tally.others == 1
            words.append(f"{tally_text(tally)} {name}{'s' if one else ''}")
    return f"{'; '.join(words)}."


def across_text(found: Comparison, place: int) -> str | None:
    """The line before a part, where the histories part or one of them ends."""
    if found.parting is not None:
        return parting_text(found) if found.parting.part == place else None
    part = found.parts[place]
    if place != len(found.parts) - 1 or part.kind not in ("only a", "only b"):
        return None
    ends, goes_on = "BA" if part.kind == "only a" else "AB"
    return f"{ends} ends here, {goes_on} goes on with {tally_text(part.tally)}"


def tally_text(tally: Tally) -> str:
    counts = ((tally.pairs, "pair"), (tally.others, "message"))
    return " and ".join([plural(count, word) for count, word in counts if count] or ["nothing"])
