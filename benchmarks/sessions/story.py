"""What happens in a made session, told without a format: prompts, calls, results, and what is broken about them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from benchmarks.sessions.contents import Content, Contents
from benchmarks.sessions.options import Options

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TOOLS = ("Bash", "Read", "Bash", "Read", "Grep", "Edit", "Bash")
TURN = 8
"""Exchanges between two prompts."""


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    name: str
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """`call` is what it answers, whatever id it bears; None when that is not in the session."""

    id: str
    content: Content
    call: Call | None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """What a person said before the results had come."""

    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str


@dataclass(frozen=True, slots=True)
class Closing:
    """The last words of a turn."""

    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of the model with its calls, and what came back."""

    thought: str | None
    said: str | None
    calls: tuple[Call, ...]
    answers: tuple[Result | Words, ...]


Step = Prompt | Closing | Exchange


@dataclass(slots=True)
class Story:
    """`steps` yields until the session is as big as it should be. `written` says how many bytes they became so far.

    `overhead` is what a pair costs beside its output, in bytes; `copies` how often its output is written.
    """

    options: Options
    written: Callable[[], int]
    overhead: int
    copies: float
    pairs: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    _late: Result | None = None
    """Comes behind the results of the next exchange."""

    def steps(self) -> Iterator[Step]:
        options = self.options
        rng = random.Random(options.seed)
        contents = Contents(options.shape, rng)
        exchanges = 0
        while not self._full():
            if exchanges % TURN == 0:
                if exchanges:
                    yield Closing(contents.words(40, 400))
                yield Prompt(contents.words(20, 300))
            yield self._exchange(rng, contents)
            exchanges += 1
        if self._late is not None:
            yield self._exchange(rng, contents, sound=True)
        yield Closing(contents.words(40, 400))
        if options.format in ("anthropic", "openai-chat"):
            yield Prompt(contents.words(20, 300))  # a list that is sent ends with the user

    def _full(self) -> bool:
        options = self.options
        if self.broken.total() < options.problems:
            return False
        if options.pairs is not None:
            return self.pairs >= options.pairs
        return self.written() >= (options.size or 0)

    def _progress(self) -> float:
        """How much of the session is told: from 0 to 1."""
        options = self.options
        if options.pairs is not None:
            return self.pairs / options.pairs
        return self.written() / (options.size or 1)

    def _exchange(self, rng: random.Random, contents: Contents, sound: bool = False) -> Exchange:
        small = self.options.shape == "small"
        count = self.options.parallel or (1 if small or rng.randrange(5) else rng.randrange(2, 5))
        if self.options.pairs is not None and not sound:
            count = max(1, min(count, self.options.pairs - self.pairs))
        thought = contents.words(80, 900) if not small and rng.randrange(3) == 0 else None
        said = contents.words(10, 300) if not small and rng.randrange(3) == 0 else None
        carried, self._late = self._late, None
        calls: list[Call] = []
        answers: list[Result | Words] = []
        words: list[Words] = []
        for _ in range(count):
            kind = None if sound or carried is not None else self._kind_due()
            name = _TOOLS[rng.randrange(len(_TOOLS))]
            call = Call(self._id(rng, kind), name, _arguments(name, self.pairs, contents))
            output = contents.output(self._factor(contents))
            answer = Result(
                self._id_of_result(call.id, kind),
                output,
                call,
                error=isinstance(output, str) and rng.randrange(12) == 0,
            )
            self.pairs += 1
            calls.append(call)
            if kind == "late":
                self._late = answer
            elif kind != "missing":
                answers.append(answer)
            if kind == "duplicate":
                answers.append(answer)
            elif kind == "orphan":
                answers.append(Result(f"toolu_01Gone{self.pairs:014d}", contents.words(40, 200), None))
            elif kind == "words-first":
                words.append(Words(contents.words(20, 100)))
        if carried is not None:
            answers.append(carried)
        return Exchange(thought, said, tuple(calls), (*words, *answers))

    def _kind_due(self) -> str | None:
        """The problems stand at equal distances: the next one is due when the session has come so far."""
        number, every = self.broken.total(), self.options.every
        if every is not None:
            if self.pairs < (number + 0.5) * every:
                return None
        elif number >= self.options.problems or self._progress() < (number + 0.5) / self.options.problems - 1e-9:
            return None
        if self._late is not None:
            return None
        kind = self.options.breaks[number % len(self.options.breaks)]
        self.broken[kind] += 1
        return kind

    def _factor(self, contents: Contents) -> float:
        options = self.options
        if options.size is None or options.pairs is None:
            return 1.0
        share = (options.size - self.written()) / max(1, options.pairs - self.pairs)
        return max(0.0, share - self.overhead) / self.copies / contents.mean

    def _id(self, rng: random.Random, kind: str | None) -> str:
        if self.options.ids == "equal":
            return "call_0"
        if self.options.ids == "alike":
            return f"{'call_of_the_very_same_beginning':x<53}{self.pairs:09d}"
        if kind == "renamed":
            return f"functions_read_file_{self.pairs}"
        prefix = "toolu_01" if self.options.format in ("claude-code", "anthropic") else "call_"
        bits = rng.getrandbits(132)
        return prefix + "".join(_ALPHABET[(bits >> shift & 63) % 62] for shift in range(0, 132, 6))

    def _id_of_result(self, id_: str, kind: str | None) -> str:
        if kind != "renamed":
            return id_
        return f"functions.read_file:{self.pairs}" if self.options.ids == "fresh" else f"{id_[:-1]}:{id_[-1]}"


def _arguments(name: str, number: int, contents: Contents) -> dict[str, str]:
    """`step_N` in them names the pair on every screen."""
    place = f"shop/step_{number:06d}.py"
    if name == "Bash":
        return {"command": f"pytest -q {place}", "description": "Run the tests"}
    if name == "Grep":
        return {"pattern": f"def {number}", "path": place}
    if name == "Edit":
        return {"file_path": place, "old_string": contents.words(10, 200), "new_string": contents.words(10, 200)}
    return {"file_path": place}
