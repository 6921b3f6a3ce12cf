"""OpenHands' SDK, on which its command line and its server stand: what it does with a conversation."""

from __future__ import annotations

from typing import Final

from toolpair.formats.agent import Library
from toolpair.formats.openhands.format import AGAIN, TITLE
from toolpair.formats.openhands.sending import NOT_LOADED, VERSION, runs_again
from toolpair.rules.problem import OnResume, Problem
from toolpair.transcript.model import Transcript

_KEPT_OUT: Final = ("rejected", f"{NOT_LOADED}.", "the whole conversation")


class OpenHands(Library):
    outcomes = dict.fromkeys(("chain.missing_parent", "chain.cycle", "chain.wrong_leaf"), _KEPT_OUT)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: object = None) -> OnResume | None:
        call = problem.call
        if call is None or problem.severity != "error" or call.record not in runs_again(transcript):
            return None
        return OnResume(TITLE, VERSION, "rejected", None, f"{AGAIN}.")


LIBRARY: Final = OpenHands("openhands", TITLE)
