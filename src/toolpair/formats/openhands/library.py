"""OpenHands' SDK, on which its command line and its server stand: what it does with a conversation."""

from __future__ import annotations

from typing import Final

from toolpair.formats.agent import Library
from toolpair.formats.openhands.format import AGAIN, NOT_LOADED, TITLE, log_of
from toolpair.formats.openhands.sending import VERSION, runs_again
from toolpair.rules.problem import OnResume, Problem
from toolpair.transcript.model import Transcript

_OF_LINKS: Final = ("chain.missing_parent", "chain.cycle", "chain.wrong_leaf")


class OpenHands(Library):
    def on_resume(self, transcript: Transcript, problem: Problem, seen: object = None) -> OnResume | None:
        if problem.rule in _OF_LINKS and problem.severity == "error":
            if log_of(transcript).is_loaded:
                text = f"{TITLE} forgets what follows without telling you."
                return OnResume(TITLE, VERSION, "dropped", "history", text)
            return OnResume(TITLE, VERSION, "rejected", "the whole conversation", f"{NOT_LOADED}.", sends=False)
        call = problem.call
        if call is None or problem.severity != "error" or call.record not in runs_again(transcript):
            return None
        return OnResume(TITLE, VERSION, "rejected", None, f"{AGAIN}.")


LIBRARY: Final = OpenHands("openhands", TITLE)
