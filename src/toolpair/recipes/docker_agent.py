"""A replica of docker-agent's last step before a request."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct, field

from toolpair.recipes.recipe import Options, Recipe
from toolpair.recipes.replica_steps import ReplicaActions, replica
from toolpair.recipes.turn_order import is_call
from toolpair.transcript.edits import Spot
from toolpair.transcript.model import Block, Message, Transcript

MISSING: Final = "No result provided"


def _run(actions: ReplicaActions, options: Options) -> None:
    for exchange in _exchanges(actions.transcript):
        ids = {id_ for call in exchange.calls if (id_ := _id(call))}
        first: dict[str, Block] = {}
        for result in exchange.results:
            kept = first.setdefault(_id(result), result) if _id(result) in ids else None
            if kept is not result:
                actions.remove(result, kept)
        missing = ids - first.keys()
        spot = Spot("after", exchange.last)
        where = "after the results" if isinstance(exchange.last, Block) else "after the call"
        for call in exchange.calls:
            if _id(call) in missing:
                actions.answer(call, MISSING, spot, where, error=True)


class _Exchange(Struct):
    """The calls of a response, and the results up to the user's next words; no calls after those."""

    last: Block | Message
    """What it ends with: a placeholder goes after it."""
    calls: list[Block] = field(default_factory=list)
    results: list[Block] = field(default_factory=list)


def _exchanges(transcript: Transcript) -> list[_Exchange]:
    """To docker-agent each result is a message, and user text between results is one too."""
    found: list[_Exchange] = []
    for message in transcript.messages:
        blocks = message.blocks if message.role in ("user", "tool") else ()
        for part in blocks or (message,):
            result = part if isinstance(part, Block) and part.kind == "result" else None
            if not found or message.role == "assistant" or (message.role == "user" and result is None):
                found.append(_Exchange(part))
            found[-1].last = part
            if result is not None:
                found[-1].results.append(result)
        if message.role == "assistant":
            found[-1].calls = [block for block in message.calls if is_call(block)]
    return found


def _id(block: Block) -> Any:
    """The id; an empty one, which matches nothing, if there is none or it is not a string."""
    return block.id if isinstance(block.id, str) else ""


RECIPE: Final = Recipe(
    "docker-agent",
    "As docker-agent sends a history: results that answer no open call are removed, missing ones are made up.",
    replica(_run),
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
