"""Logs of requests as agents send them: many conversations at once, retried, trimmed, compacted, some of them broken.

For every request the conversation that it belongs to is known, and whether something was broken on purpose in it.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Message = dict[str, Any]
TOOLS = ("Read", "Bash", "Grep", "Edit")
WORDS = ("the", "cart", "total", "price", "of", "an", "empty", "order", "should", "be", "zero", "and", "every", "test")


class Sent(NamedTuple):
    """One request of a log. `broken` says what was broken in it on purpose; it stays broken in those that follow."""

    record: dict[str, Any]
    conversation: str
    broken: str | None


class Agent:
    """One agent and its history, which only grows unless something happens to it."""

    def __init__(self, name: str, chance: random.Random) -> None:
        self.name = name
        self.chance = chance
        self.calls = 0
        self.history: list[Message] = [user(f"{name}: {self.words(12)}")]

    def words(self, count: int) -> str:
        return " ".join(self.chance.choice(WORDS) for _ in range(count))

    def id(self) -> str:
        self.calls += 1
        return f"toolu_{self.name}_{self.calls:04d}"

    def step(self) -> None:
        """One response with calls, and their results."""
        ids = [self.id() for _ in range(self.chance.choice((1, 1, 1, 2, 3)))]
        self.history += [self.response(ids), self.results(ids)]
        if self.chance.random() < 0.1:
            self.history += [assistant(text(self.words(8))), user(self.words(6))]

    def response(self, ids: list[str]) -> Message:
        calls = [call(id_, self.chance.choice(TOOLS), {"path": f"src/{self.words(1)}.py"}) for id_ in ids]
        return assistant(text(self.words(6)), *calls)

    def results(self, ids: list[str]) -> Message:
        return {"role": "user", "content": [result(id_, self.words(30)) for id_ in ids]}

    def body(self) -> dict[str, Any]:
        *messages, last = self.history
        if isinstance(last["content"], list):
            *parts, end = last["content"]
            last = {**last, "content": [*parts, {**end, "cache_control": {"type": "ephemeral"}}]}
        return {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": [*messages, last]}

    def compact(self) -> None:
        """A summary in place of all but the last exchanges."""
        cut = self.exchange(-3)
        if cut > 3:
            summary = user(f"This session is continued from an earlier one. Summary of {self.name}: {self.words(40)}")
            self.history = [summary, *self.history[cut:]]

    def trim(self) -> None:
        """The first message and the last exchanges."""
        cut = self.exchange(-4)
        if cut > 2:
            self.history = [self.history[0], *self.history[cut:]]

    def exchange(self, number: int) -> int:
        """Where an exchange begins, counted from the end; 0 where there are not so many."""
        starts = [place for place, one in enumerate(self.history) if has_calls(one)]
        return starts[number] if len(starts) >= -number else 0


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(id_: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def result(id_: str, said: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": said}


def user(words: str) -> Message:
    return {"role": "user", "content": words}


def assistant(*blocks: dict[str, Any]) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def has_calls(message: Message) -> bool:
    return isinstance(message["content"], list) and any(part["type"] == "tool_use" for part in message["content"])


# What can be broken, each in the newest request.

BREAKS: dict[str, Callable[[Agent], None]] = {}


def breaking(made: Callable[[Agent], None]) -> Callable[[Agent], None]:
    BREAKS[made.__name__] = made
    return made


@breaking
def appended(agent: Agent) -> None:
    """A step without its result."""
    agent.history += [agent.response([agent.id()]), user("and?")]


@breaking
def trimmed(agent: Agent) -> None:
    """The beginning is cut off between a call and its result."""
    agent.step()
    agent.history = agent.history[agent.exchange(-2) + 1 :]


@breaking
def compacted(agent: Agent) -> None:
    """A summary in place of a call and what comes before it, but not of its result."""
    agent.step()
    agent.history = [user(f"Summary of {agent.name}: {agent.words(20)}"), *agent.history[agent.exchange(-2) + 1 :]]


@breaking
def removed(agent: Agent) -> None:
    """An old result is left out, with its message."""
    agent.step()
    del agent.history[agent.exchange(-2) + 1]


@breaking
def id_rewritten(agent: Agent) -> None:
    """The results of an old step get other ids."""
    agent.step()
    place = agent.exchange(-2) + 1
    content = agent.history[place]["content"]
    others = [{**part, "tool_use_id": part["tool_use_id"].replace("_", "-")} for part in content]
    agent.history[place] = {"role": "user", "content": others}


@breaking
def inserted(agent: Agent) -> None:
    """A reminder between a call and its result."""
    agent.step()
    agent.history[agent.exchange(-2) + 1 : agent.exchange(-2) + 1] = [
        user("Remember the style guide."),
        assistant(text("I do.")),
    ]


@breaking
def moved(agent: Agent) -> None:
    """The results of an old step come later than they did."""
    agent.step()
    place = agent.exchange(-2) + 1
    agent.history[place], agent.history[place + 2] = agent.history[place + 2], agent.history[place]


def generated(seed: int = 1, runs: int = 10, agents: int = 12, broken: int = 89, steps: int = 28) -> Iterator[Sent]:
    """A log of `runs` times so many agents at once; as many of them break as `broken` says."""
    chance = random.Random(seed)
    names = [f"log{seed}run{run}agent{number}" for run in range(runs) for number in range(agents)]
    breaks = {name: list(BREAKS)[number % len(BREAKS)] for number, name in enumerate(chance.sample(names, broken))}
    clock, sides = 1_790_000_000.0, 0
    for run in range(runs):
        working = [Agent(name, chance) for name in names[run * agents : (run + 1) * agents]]
        left = {agent.name: steps + chance.randrange(-6, 7) for agent in working}
        fails = {agent.name: chance.randrange(8, 18) for agent in working}
        while working:
            agent = chance.choice(working)
            done = left[agent.name]
            left[agent.name] -= 1
            kind = None
            if agent.name in breaks and steps - done >= fails[agent.name] - 8 and agent.exchange(-3):
                kind = breaks.pop(agent.name)
                BREAKS[kind](agent)
            elif len(agent.history) > 1 or done < steps - 6:
                luck = chance.random()
                agent.step()
                if luck < 0.03:
                    agent.compact()
                elif luck < 0.06:
                    agent.trim()
            for again in range(1 + (chance.random() < 0.06)):
                clock += chance.random()
                yield Sent({"timestamp": clock, "body": agent.body()}, agent.name, kind if not again else None)
            if len(agent.history) == 1:
                agent.step()
            if chance.random() < 0.05:
                sides += 1
                title = {"model": "claude-haiku-4-5", "messages": [user(f"A title for {agent.name}: {agent.words(9)}")]}
                clock += chance.random()
                yield Sent({"timestamp": clock, "body": title}, f"side{sides}", None)
            if left[agent.name] <= 0:
                working.remove(agent)


def write(path: str, size: int) -> int:
    """A log of about so many bytes at `path`. Returns how many requests it has."""
    written = count = 0
    with open(path, "w", encoding="utf-8") as file:
        for seed in range(1, 1 << 20):
            for sent in generated(seed, steps=33):
                written += file.write(json.dumps(sent.record) + "\n")
                count += 1
            if written >= size:
                return count
    return count


if __name__ == "__main__":
    print(write(sys.argv[1], int(sys.argv[2])))
