"""What rules speak of: problems, their causes and their fixes."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from msgspec import Struct, field

from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Message, Scope

Severity = Literal["error", "warning", "info"]
Impact = Literal["stops", "loses", "harmless"]
Effect = Literal["rejected", "dropped", "placeholder", "healed", "kept"]


class Cause(Struct, frozen=True):
    """Why a problem is there. Problems with one cause id are decided together."""

    id: str
    text: str
    evidence: str = ""
    """What in the transcript shows it, one sentence."""
    product: str | None = None
    """Which program is known to write such files, with its versions: "Roo Code 3.40 to 3.46.0"."""
    link: str | None = None
    """Where that is told."""


class OnResume(Struct, frozen=True):
    """What an agent does with a problem when it resumes. `loses` names what is gone, None when nothing is."""

    agent: str
    version: str | None
    effect: Effect
    loses: str | None
    text: str
    """One sentence for the screen: "Claude Code drops this call and its 88 lines. It does not tell."."""
    outputs_lost: int = 0


class Fix(Struct, frozen=True, eq=False):
    """One way to mend one problem.

    `certain` is False for a guess (position alone, an only candidate): a person has to confirm it.
    `loses` is one phrase naming what is gone, None when nothing is.
    """

    id: str
    title: str
    edits: tuple[Edit, ...]
    recommended: bool = False
    certain: bool = True
    loses: str | None = None
    note: str | None = None
    """What else to know: "changes what stands before 3 signed thinking blocks …"."""
    placeholder: bool = False
    """It writes a placeholder whose text the user may change."""
    several: str | None = None
    """The title for many of its kind, where `title` names what only this one has."""


class Says(Protocol):
    """What the provider would answer to a problem, in its own words."""

    def __call__(self, problem: Problem, /, first: int = 0, unsent: int | None = None) -> str | None:
        """`first` is how many messages stand before those that the problem counts.

        `unsent` is how many there are of the transcript, by which what its agent leaves out is counted; the same
        where that is not told.
        """


class Said(Struct, frozen=True):
    """The words themselves."""

    words: str | None

    def __call__(self, problem: Problem, /, first: int = 0, unsent: int | None = None) -> str | None:
        return self.words


class Problem(Struct, frozen=True, eq=False):
    """One broken rule at one place. `pair` indexes the session's pairs; `message` and `block` what would be sent."""

    rule: str
    severity: Severity
    impact: Impact
    evidence: str
    text: str
    """What is wrong, one plain sentence."""
    message: int | None
    block: int | None
    pair: int | None
    record: int | None
    """uid of the record."""
    call: Block | None = None
    result: Block | None = None
    others: tuple[Block, ...] = ()
    about: Message | None = None
    cause: Cause | None = None
    on_resume: OnResume | None = None
    scope: Scope = "active"
    fixes: tuple[Fix, ...] = ()
    no_fix: str | None = None
    """Why no fix is safe, where none is recommended."""
    says: Says | None = None
    """Tells the provider's own words for it."""
    guess: bool = False
    """A choice between guesses is left to a person; group fixes pass it by."""
    pairs: tuple[int, ...] = field(default=())
    """All pairs that it concerns."""
    until: int | None = None
    """uid of the last record, where it is about several in a row that are damaged alike."""

    @property
    def key(self) -> tuple[object, ...]:
        """What stays the same when other problems are mended: names the problem again after undo."""
        blocks = tuple(b.key for b in (self.call, self.result) if b is not None)
        return (self.rule, self.record, blocks)

    def __reduce__(self) -> tuple[type[Problem], tuple[Any, ...]]:
        # What tells the words knows the whole transcript; the words are all that goes into another process.
        said = Said(self.api_says)
        return Problem, tuple(said if name == "says" else getattr(self, name) for name in self.__struct_fields__)

    @property
    def api_says(self) -> str | None:
        """The provider's own words, ids filled in; None where none are known."""
        return self.says(self) if self.says is not None else None

    @property
    def recommended(self) -> Fix | None:
        return next((fix for fix in self.fixes if fix.recommended), None)

    @property
    def certain_fix(self) -> Fix | None:
        """The recommended fix, where it needs no guess and nobody has to be asked."""
        best = self.recommended
        return None if self.guess or best is None or not best.certain else best
