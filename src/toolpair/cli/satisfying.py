"""Mending one file for several providers: fixes for each in turn, until none of them refuses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from toolpair.session.session import Session

_ROUNDS: Final = 4
"""What one provider wants may break what another one wants. Where that goes on for longer, no order helps."""


def stage_for_all(session: Session, profiles: Sequence[str], stage: Callable[[], None]) -> None:
    """Let `stage` put fixes on with the session judged by each profile in turn; afterwards it is judged by the first.

    With less than two profiles the session is judged as it was opened.
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
