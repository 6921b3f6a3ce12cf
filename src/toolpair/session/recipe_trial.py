"""A recipe tried on a conversation: what it would do, what it would leave, what would be lost. Nothing is staged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from msgspec import Struct

from toolpair.history.conversation import Conversation
from toolpair.history.losses import Losses
from toolpair.history.summary import title_for
from toolpair.recipes import RECIPES
from toolpair.recipes.measuring import Touched, touched
from toolpair.recipes.recipe import DEFAULT, Options, Recipe
from toolpair.rules.problem import Fix, Problem
from toolpair.session.carrying_out import carried_out
from toolpair.session.staged import Staged


class Tried(Protocol):
    """A file, as far as a recipe is tried on it."""

    current: int

    @property
    def conversation(self) -> Conversation:
        """The current one."""


class Trial(Struct, frozen=True, eq=False, dict=True):
    """What a recipe makes of a conversation."""

    recipe: Recipe
    options: Options
    rows: tuple[Staged, ...]
    """What it would stage, as the review would show it."""
    taken: tuple[tuple[Problem, Fix], ...]
    """Each thing that it does, and the problem that it does it for, in order."""
    left: tuple[Problem, ...]
    """Errors that it leaves, or makes."""
    losses: Losses
    touched: Touched
    before: Conversation
    after: Conversation

    @property
    def valid(self) -> bool:
        return not self.left

    @property
    def changes_nothing(self) -> bool:
        return not self.touched.total

    def fixes_of(self, problem: Problem) -> tuple[Fix, ...]:
        """What is done for a problem of the conversation as it was; none when nothing is done for it itself."""
        by_object, by_key = self._done
        return tuple(by_object.get(id(problem), ())) or tuple(by_key.get(problem.key, ()))

    def deeds(self) -> list[tuple[int, str, tuple[str, ...]]]:
        """What is done, by its kind: how often, in words, and the different losses."""
        kinds: dict[str, list[Fix]] = {}
        for _, fix in self.taken:
            kinds.setdefault(fix.id, []).append(fix)
        return [
            (len(fixes), title_for(fixes), tuple(dict.fromkeys(fix.loses for fix in fixes if fix.loses)))
            for fixes in kinds.values()
        ]

    def leaves(self, problem: Problem) -> bool:
        """Whether a problem of the conversation as it was is still there."""
        return problem.key in self._standing

    @cached_property
    def _done(self) -> tuple[dict[int, list[Fix]], dict[tuple[object, ...], list[Fix]]]:
        by_object: dict[int, list[Fix]] = {}
        by_key: dict[tuple[object, ...], list[Fix]] = {}
        for problem, fix in self.taken:
            by_object.setdefault(id(problem), []).append(fix)
            by_key.setdefault(problem.key, []).append(fix)
        return by_object, by_key

    @cached_property
    def _standing(self) -> frozenset[tuple[object, ...]]:
        return frozenset(problem.key for problem in self.after.problems)


def try_recipe(file: Tried, name: str, options: Options | None = None) -> Trial:
    """What a recipe would make of the current conversation with what is staged on it. Nothing is staged.

    Can be asked from another thread. Raises KeyError for an unknown recipe.
    """
    at, conversation, recipe, options = file.current, file.conversation, RECIPES[name], options or DEFAULT
    made = carried_out(at, conversation, recipe, options)
    after = made.after
    left: Sequence[Problem] = [problem for problem in after.problems if problem.severity == "error"]
    return Trial(
        recipe,
        options,
        made.rows,
        made.taken,
        tuple(left),
        after.losses_since(conversation),
        touched(conversation.items, after.items),
        conversation,
        after,
    )
