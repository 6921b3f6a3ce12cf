"""The default recipe: the recommended fix of every error. It loses no real tool output and no user word."""

from __future__ import annotations

from typing import Final

from toolpair.rules.base import Fix, Problem

NAME: Final = "recommended"
TITLE: Final = "The recommended fix of every error: nothing real is lost, no result is invented."


def pick(problem: Problem) -> Fix | None:
    """For a program: also where a person would be asked between guesses, then the choice that guesses nothing."""
    best = problem.recommended
    if problem.severity != "error" or best is None or not best.certain:
        return None
    return best


def pick_without_guesses(problem: Problem) -> Fix | None:
    """For a person at the screen, who is left to decide where there is something to guess."""
    return None if problem.guess else pick(problem)
