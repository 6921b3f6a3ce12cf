"""What is left unfixed, in two lists: what only a person can decide, and what merely has no fix applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from toolpair.session.session import Problem, Session


class Left(Struct, frozen=True):
    guesses: tuple[Problem, ...]
    """Left for the user: there is a choice to make."""
    unfixed: tuple[Problem, ...]
    """A certain fix exists but is not applied."""
    hopeless: tuple[Problem, ...]
    """No fix exists."""

    def words(self) -> str:
        """A summary in a few words, empty when everything is fixed."""
        parts = []
        if self.guesses:
            count = len(self.guesses)
            only = f": {'it is only a guess' if count == 1 else 'they are only guesses'}"
            parts.append(f"{count:,} left for you{only if all(one.guess for one in self.guesses) else ''}")
        if self.unfixed:
            parts.append(f"{len(self.unfixed):,} not fixed")
        if self.hopeless:
            parts.append(f"{len(self.hopeless):,} without a known fix")
        return ", ".join(parts)


def left_of(session: Session) -> Left:
    guesses: list[Problem] = []
    unfixed: list[Problem] = []
    hopeless: list[Problem] = []
    held = {one.problem.key for one in session.staging.held_back}
    for problem in session.left:
        if problem.key in held:
            continue  # listed separately, with what its fix would lose
        if not problem.fixes:
            hopeless.append(problem)
        elif problem.recommended is None:
            guesses.append(problem)
        else:
            unfixed.append(problem)
    return Left(tuple(guesses), tuple(unfixed), tuple(hopeless))
