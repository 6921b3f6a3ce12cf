"""What Roo Code does to the results of a user message when adding it to the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from toolpair.recipes.recipe import RecipeStep, S
from toolpair.recipes.replica_steps import ReplicaActions
from toolpair.recipes.turn_order import Turn, first_of_each, id_key, turns_of
from toolpair.transcript.edits import Edit, InsertResult
from toolpair.transcript.model import Block, Transcript

INTERRUPTED: Final = "Tool execution was interrupted before completion."


def validated(state: S, apply: Callable[[S, Sequence[Edit]], S], *, reorder: bool) -> Iterator[RecipeStep[S]]:
    """`validateAndFixToolResultIds` on each user message, against the last response before it."""
    transcript = state.transcript
    actions = ReplicaActions(state.problems, transcript)
    assistant: Turn | None = None
    before: Turn | None = None
    for turn in turns_of(transcript):
        if turn.role == "assistant":
            assistant = turn
        elif turn.role == "user" and turn.listed and assistant is not None and assistant.listed and assistant.calls:
            _One(actions, transcript, turn, before, assistant.calls).validate(reorder)
        before = turn
    return actions.carried_out(state, apply)


class _One:
    """One user message, and the calls it is compared with."""

    def __init__(
        self, actions: ReplicaActions, transcript: Transcript, turn: Turn, before: Turn | None, calls: Sequence[Block]
    ) -> None:
        self.actions = actions
        self.transcript = transcript
        self.turn = turn
        self.before = before
        self.calls = calls
        self.ids: dict[Any, Any] = {}
        """id() of a result that was given another id -> the key of that id."""

    def validate(self, reorder: bool) -> None:
        results, again = first_of_each(self.turn.results)
        for result, first in again:
            self.actions.remove(result, first)
        wanted = {id_key(call) for call in self.calls}
        known = {id_key(result) for result in results}
        placeholders: list[InsertResult] = []
        if wanted != known:
            results = self._matched(results, wanted)
            placeholders = self._placeholders(results)
        if reorder:
            self._reorder([*placeholders, *results])

    def _matched(self, results: Sequence[Block], wanted: set[object]) -> list[Block]:
        """The results that stay: those with a wanted id, or that of the call at the same position."""
        used: set[object] = set()
        kept: list[Block] = []
        for position, result in enumerate(results):
            key = id_key(result)
            if key not in wanted or key in used:
                call = self.calls[position] if position < len(self.calls) else None
                if call is None or id_key(call) in used:
                    self.actions.remove(result)
                    continue
                key = id_key(call)
                self.actions.adopt(result, call)
                self.ids[id(result)] = key
            used.add(key)
            kept.append(result)
        return kept

    def _placeholders(self, results: Sequence[Block]) -> list[InsertResult]:
        covered = {self._key(result) for result in results}
        missing = [call for call in self.calls if id_key(call) not in covered]
        spot = self.turn.front(self.before, self.transcript)
        where = "before the results" if results else "before the user's message"
        return [self.actions.answer(call, INTERRUPTED, spot, where) for call in missing]

    def _reorder(self, parts: Sequence[Block | InsertResult]) -> None:
        """`reorderToolResults`: a stable sort by calls, in the slots that results occupy."""
        ranks = {id_key(call): number for number, call in enumerate(self.calls)}
        ordered = sorted(parts, key=lambda part: ranks.get(self._key(part), len(ranks)))
        if any(a is not b for a, b in zip(ordered, parts, strict=True)):
            self.actions.reorder(self.turn.messages[0], ordered)

    def _key(self, part: Block | InsertResult) -> Any:
        if isinstance(part, InsertResult):
            return id_key(part.call)
        return self.ids.get(id(part), id_key(part))
