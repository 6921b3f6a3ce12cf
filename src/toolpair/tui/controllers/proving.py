"""`V`: ask the agent that is installed here what it sends of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolpair.proof.asking import CannotAsk
from toolpair.proof.who import asked_of, who_resumes
from toolpair.tui.screens.prove import ProveScreen

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.screens.base_screen import BaseScreen


def can_be_asked(session: Session) -> bool:
    """Whether there is an agent to ask, installed here or not."""
    try:
        asked_of(session)
    except CannotAsk:
        return False
    return True


def ask_agent(screen: BaseScreen[Any], session: Session) -> None:
    """Open the dialog, or say why the agent cannot be asked."""
    try:
        asked = who_resumes(session)
    except CannotAsk as error:
        screen.say(str(error))
        return
    screen.ask(ProveScreen(session, asked), lambda _: None)
