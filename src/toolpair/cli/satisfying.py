"""Fixing one file for several providers: fixes for each in turn, until none of them refuses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from toolpair.session.session import Session

_ROUNDS: Final = 4
"""One provider's fix may break another's rule. Beyond this many rounds no order helps."""


def stage_for_all(session: Session, profiles: Sequence[str], stage: Callable[[], None]) -> None:
    """Let `stage` apply fixes with the session checked by each profile in turn; afterwards the first one is active.

    With fewer than two profiles the session keeps its own.
    """
    if len(profiles) < 2:
        stage()
        return
    for _ in range(_ROUNDS):
        before = len(session.staged)
        for name in profiles:
            session.set_profile(name)
            stage()
        if len(session.staged) == before:
            break
    session.set_profile(profiles[0])
