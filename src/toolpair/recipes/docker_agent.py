"""A replica of docker-agent's last step before a request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, field

from toolpair.recipes.recipe import DEFAULT, Options, Recipe, RecipeStep, S
from toolpair.recipes.replica_steps import ReplicaActions
from toolpair.recipes.turn_order import is_call
from toolpair.transcript.edits import Edit, Spot
from toolpair.transcript.model import Block, Message, Transcript

MISSING: Final = "No result provided"


def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[RecipeStep[S]]:
    actions = ReplicaActions(state.problems, state.transcript)
    _Walk(actions).through(state.transcript)
    return actions.carried_out(state, apply)


class _Walk(Struct):
    """The calls waiting for a result, and the place after the last one passed, where a placeholder goes."""

    actions: ReplicaActions
    pending: list[Block] = field(default_factory=list)
    results: dict[str, Block | None] = field(default_factory=dict)
    """Id of a waiting call -> its result."""
    last: Block | Message | None = None

    def through(self, transcript: Transcript) -> None:
        for message in transcript.messages:
            if message.role == "assistant":
                self.flush()
                self.pending = [block for block in message.calls if is_call(block)]
                self.results = {id_: None for call in self.pending if (id_ := _id(call))}
                self.last = message
            elif message.role == "user" and not message.blocks:
                self.flush()
                self.last = message
            elif message.role in ("user", "tool"):
                self._answers(message)
            else:
                self.last = message
        self.flush()

    def _answers(self, message: Message) -> None:
        """To docker-agent each result is a message, and user text between results is one too."""
        for block in message.blocks:
            if block.kind != "result":
                if message.role == "user":
                    self.flush()
            else:
                self._take(block)
            self.last = block

    def _take(self, result: Block) -> None:
        id_ = _id(result)
        if id_ not in self.results:
            self.actions.remove(result)
        elif (kept := self.results[id_]) is not None:
            self.actions.remove(result, kept)
        else:
            self.results[id_] = result

    def flush(self) -> None:
        if self.pending and self.last is not None:
            spot = Spot("after", self.last)
            where = "after the results" if isinstance(self.last, Block) else "after the call"
            for call in self.pending:
                if (id_ := _id(call)) and self.results[id_] is None:
                    self.actions.answer(call, MISSING, spot, where, error=True)
        self.pending, self.results = [], {}


def _id(block: Block) -> Any:
    """The id; an empty one, which matches nothing, if there is none or it is not a string."""
    return block.id if isinstance(block.id, str) else ""


RECIPE: Final = Recipe(
    "docker-agent",
    "As docker-agent sends a history: results that answer no open call are removed, missing ones are made up.",
    run,
    does=(
        "Walks through the history, keeping the calls of the last response in mind. A user message, or the next "
        "response, ends the wait for their results; a system message does not.",
        "A result whose id belongs to no open call is removed, and so is a second result for a call.",
        'A call that nothing has answered by then gets "No result provided" after the results that are there, marked '
        "as an error where messages have a field for it; chat messages have none.",
    ),
    copies="docker-agent's sanitizeToolCalls (pull request 3001, and the later removal of second results)",
    loses=(
        "When a user message comes between a call and its result, the result no longer belongs to any call: its "
        "output is removed and replaced by a placeholder. The same happens to a result with a changed id, and to "
        "every result of a call without an id. Of two results for a call the first stays, whichever is the real one."
    ),
    instead=(
        "The default moves such a result back to its call, matches changed ids where the transcript shows whose they "
        "are, keeps a real output over a placeholder, and keeps as text what belongs to no call."
    ),
    links=("https://github.com/docker/docker-agent/pull/3001",),
)
