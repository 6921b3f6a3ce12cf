"""What a recipe is: a named way to mend a whole transcript, carried out step by step with toolpair's own edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript


class RecipeRecord(Protocol):
    """One record: the same in two states when its value is."""

    @property
    def uid(self) -> int: ...

    @property
    def value(self) -> Any: ...


class Gone(Protocol):
    """An output or words of the user. `record` is the uid of the one that they stood in."""

    @property
    def kind(self) -> str: ...

    @property
    def record(self) -> int: ...

    @property
    def id(self) -> str | None: ...

    @property
    def size(self) -> int: ...


class Less(Protocol):
    """What would not be sent any more."""

    @property
    def outputs(self) -> Sequence[Gone]: ...

    @property
    def words(self) -> Sequence[Gone]: ...

    @property
    def text(self) -> str | None: ...


class Checked(Protocol):
    """Something that has problems: a conversation of a session, or a list of messages."""

    @property
    def items(self) -> Sequence[RecipeRecord]: ...

    @property
    def problems(self) -> Sequence[Problem]: ...

    @property
    def transcript(self) -> Transcript: ...

    @property
    def sends_nothing(self) -> bool: ...


S = TypeVar("S", bound=Checked)


class RecipeStep(Struct, Generic[S], frozen=True):
    """Fixes that were carried out together."""

    taken: tuple[tuple[Problem, Fix], ...]
    before: S
    after: S


_SHORTEST: Final = 10


class Options(Struct, frozen=True):
    """What a recipe can be told."""

    max_id_length: int | None = None
    """Longer ids are cut: by recipes that copy a system which does so."""

    def __post_init__(self) -> None:
        if self.max_id_length is not None and self.max_id_length < _SHORTEST:
            raise ValueError(f"an id that is cut ends in nine characters of its own, so the minimum is {_SHORTEST}")


DEFAULT = Options()


class RecipeRun(Protocol):
    """Carries a recipe out on `state`. A step's `taken` names each thing done and the problem that it is done for."""

    def __call__(
        self, state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT
    ) -> Iterator[RecipeStep[S]]: ...


class Recipe(Struct, frozen=True):
    """One recipe, as its module registers it."""

    name: str
    title: str
    """One line."""
    run: RecipeRun
    pick: Callable[[Problem], Fix | None] | None = None
    """Of a recipe that chooses one of each problem's own fixes: which. So it can be narrowed to some problems."""
    does: tuple[str, ...] = ()
    """What it does exactly, a sentence or two each."""
    copies: str | None = None
    """The system and the functions that it does exactly the same as, harm included; None for toolpair's own."""
    loses: str | None = None
    """Where it can lose or spoil something real, in one or two sentences; None when nowhere."""
    instead: str | None = None
    """What toolpair's default does in these places."""
    links: tuple[str, ...] = ()
    """Where the copied functions are discussed."""
    options: frozenset[str] = frozenset()
    """Which of the `Options` it heeds."""
