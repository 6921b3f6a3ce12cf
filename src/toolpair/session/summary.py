"""What is said of a whole session, over all its conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.history.verdict_text import EMPTY

if TYPE_CHECKING:
    from toolpair.session.session import Session


def counts_of(session: Session) -> dict[str, int]:
    """How much of what there is in all conversations."""

    def total(name: str) -> int:
        return sum(getattr(one.counts, name) for one in session.conversations)

    found = {name: total(name) for name in ("records", "messages", "calls", "results", "pairs")}
    damaged = sum(one.damaged for one in session.conversations) + session.file.container.damaged_outside
    return {**found, "damaged": damaged, "inactive": total("inactive")}


def family_of(session: Session) -> str | None:
    """The family of models whose rules were taken for all conversations, if the profile did not name one."""
    families = {found.judged_by.family for found in session.conversations}
    return families.pop() if len(families) == 1 and session.profile.family is None else None


def sentence_of(session: Session) -> str:
    """The verdict in a sentence; empty where there are several conversations."""
    verdict = session.conversation.verdict if len(session.conversations) == 1 else None
    if verdict is None:
        damaged = counts_of(session)["damaged"]
        return f"{damaged:,} of its lines cannot be read; they are kept as they are." if damaged else ""
    return f"{EMPTY}. {verdict.sentence}" if verdict.badge == EMPTY else verdict.sentence
