"""Trying recipes side by side on a session: what each does about each problem, leaves and loses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from toolpair.history.conversation import Conversation
from toolpair.history.losses import NOTHING, Losses
from toolpair.history.summary import group_key, title_for
from toolpair.recipes.measuring import Touched
from toolpair.recipes.recipe import Options, Recipe
from toolpair.rules.problem import Fix, Problem
from toolpair.session.recipe_trial import Trial, try_recipe
from toolpair.session.session import Session

_RECOMMENDED: Final = "recommended"


class TriedRecipe(Struct, frozen=True, eq=False):
    """A recipe tried on all conversations of a session."""

    recipe: Recipe
    trials: tuple[Trial, ...]
    """One for each conversation."""

    @property
    def errors(self) -> int:
        """Errors left or caused."""
        return sum(len(trial.left) for trial in self.trials)

    @property
    def valid(self) -> bool:
        return not self.errors

    @property
    def losses(self) -> Losses:
        return sum((trial.losses for trial in self.trials), NOTHING)

    @property
    def touched(self) -> Touched:
        return sum((trial.touched for trial in self.trials), Touched())

    def besides(self) -> list[tuple[int, str]]:
        """What it does that is not about any existing problem: the kinds of fixes, each with its count."""
        fixes: dict[str, list[Fix]] = {}
        for trial in self.trials:
            there = {id(problem) for problem in trial.before.problems}
            keys = {problem.key for problem in trial.before.problems}
            for problem, fix in trial.taken:
                if id(problem) not in there and problem.key not in keys:
                    fixes.setdefault(fix.id, []).append(fix)
        return [(len(found), title_for(found)) for found in fixes.values()]


class Question(Struct, frozen=True, eq=False):
    """A problem of the session in its current state."""

    conversation: int
    problem: Problem


class Compared(Struct, frozen=True, eq=False):
    """The recipes, best first, and the problems of the session in its current state."""

    tried: tuple[TriedRecipe, ...]
    questions: tuple[Question, ...]
    conversations: tuple[Conversation, ...]

    @property
    def best(self) -> TriedRecipe | None:
        """The first recipe that makes the session valid and gives no call another's output; None when none does."""
        return next((tried for tried in self.tried if tried.valid and not tried.losses.crossed), None)

    def groups(self) -> list[list[Question]]:
        """The problems by rule and cause, errors first, then by size; notes only if a recipe changes them."""
        by_key: dict[tuple[str, ...], list[Question]] = {}
        for question in self.questions:
            by_key.setdefault((question.problem.severity, *group_key(question.problem)), []).append(question)
        order = ("error", "warning", "info")
        groups = [group for group in by_key.values() if self._matters(group)]
        return sorted(groups, key=lambda group: (order.index(group[0].problem.severity), -len(group)))

    def _matters(self, group: Sequence[Question]) -> bool:
        return group[0].problem.severity == "error" or any(
            one.trials[question.conversation].fixes_of(question.problem) for one in self.tried for question in group
        )


def compare(session: Session, recipes: Iterable[tuple[Recipe, Options]]) -> Compared:
    """Try each recipe on the session in its current state, including staged fixes. Stages nothing."""
    conversations = session.conversations
    tried = [
        TriedRecipe(recipe, tuple(try_recipe(found, recipe, options) for found in conversations))
        for recipe, options in recipes
    ]
    questions = tuple(
        Question(number, problem) for number, found in enumerate(conversations) for problem in found.problems
    )
    return Compared(tuple(sorted(tried, key=_rank)), questions, conversations)


def done_for(tried: TriedRecipe, questions: Sequence[Question]) -> list[tuple[int, str]]:
    """What a recipe does about these problems, in words with counts, most frequent first."""
    fixes: dict[tuple[str, ...], list[tuple[Fix, ...]]] = {}
    alone: dict[str, int] = {}
    for question in questions:
        trial = tried.trials[question.conversation]
        found = trial.fixes_of(question.problem)
        if found:
            fixes.setdefault(tuple(fix.id for fix in found), []).append(found)
        else:
            words = LEFT if trial.leaves(question.problem) else GONE
            alone[words] = alone.get(words, 0) + 1
    said = [(len(found), _title(found)) for found in fixes.values()]
    said += [(count, words) for words, count in alone.items()]
    return sorted(said, key=lambda entry: -entry[0])


LEFT: Final = "left as it is"
GONE: Final = "gone as a result of the other fixes"


def _title(found: Sequence[tuple[Fix, ...]]) -> str:
    return ", then ".join(title_for(column) for column in zip(*found, strict=True))


def _rank(tried: TriedRecipe) -> tuple[object, ...]:
    """Valid ones first, then fewer losses, then toolpair's default, then fewer touched records."""
    lost = tried.losses
    return (
        tried.errors,
        len(lost.outputs) + len(lost.crossed) + len(lost.unsent),
        lost.user_words + lost.images_gone,
        len(lost.calls) + len(lost.texts),
        tried.recipe.name != _RECOMMENDED,
        tried.touched.total,
    )
