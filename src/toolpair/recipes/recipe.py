"""What a recipe is: a named way to fix a whole transcript, applied step by step as toolpair edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript


class RecipeRecord(Protocol):
    """One record: the same in two states when its value is the same."""

    @property
    def uid(self) -> int: ...

    @property
    def value(self) -> Any: ...


class Gone(Protocol):
    """An output or user text that is gone. `record` is the uid of the record that held it."""

    @property
    def kind(self) -> str: ...

    @property
    def record(self) -> int: ...

    @property
    def id(self) -> str | None: ...

    @property
    def size(self) -> int: ...


class Less(Protocol):
    """What would no longer be sent, or be nowhere any more."""

    @property
    def outputs(self) -> Sequence[Gone]: ...

    @property
    def words(self) -> Sequence[Gone]: ...

    @property
    def texts(self) -> Sequence[Gone]: ...

    @property
    def without(self) -> str | None:
        """What is missing then, as a clause: "the agent would no longer send 1 output (34 bytes)"."""

    @property
    def phrase(self) -> str | None:
        """The same as what is lost: "1 output (34 bytes), no longer sent"."""


class HasProblems(Protocol):
    """Something with problems: a conversation of a session, or a list of messages."""

    @property
    def items(self) -> Sequence[RecipeRecord]: ...

    @property
    def problems(self) -> Sequence[Problem]: ...

    @property
    def transcript(self) -> Transcript: ...

    @property
    def sends_nothing(self) -> bool: ...


S = TypeVar("S", bound=HasProblems)


class RecipeStep(Struct, Generic[S], frozen=True):
    """Fixes that were applied together."""

    taken: tuple[tuple[Problem, Fix], ...]
    before: S
    after: S


_SHORTEST: Final = 10


class Options(Struct, frozen=True):
    """The options that recipes can have."""

    max_id_length: int | None = None
    """Longer ids are truncated: for recipes that copy a system which does so."""

    def __post_init__(self) -> None:
        if self.max_id_length is not None and self.max_id_length < _SHORTEST:
            raise ValueError(f"an id that is cut ends in nine characters of its own, so the minimum is {_SHORTEST}")


DEFAULT = Options()


class RecipeRun(Protocol):
    """Runs a recipe on `state`. A step's `taken` names each thing done and the problem it is for."""

    def __call__(
        self, state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT
    ) -> Iterator[RecipeStep[S]]: ...


class Recipe(Struct, frozen=True):
    """One recipe, as its module declares it."""

    name: str
    title: str
    """One line."""
    run: RecipeRun
    pick: Callable[[Problem], Fix | None] | None = None
    """For a recipe that chooses one of each problem's own fixes: the choice. Such a recipe can be limited to some
    problems.
    """
    does: tuple[str, ...] = ()
    """Exactly what it does, each point a sentence or two."""
    copies: str | None = None
    """The system and the functions that it replicates exactly, harm included; None for toolpair's own."""
    loses: str | None = None
    """Where it can lose or corrupt something real, in one or two sentences; None when nowhere."""
    instead: str | None = None
    """What toolpair's default does in these cases."""
    links: tuple[str, ...] = ()
    """Where the copied functions are discussed."""
    options: frozenset[str] = frozenset()
    """Which of the `Options` it uses."""
