"""What rules produce: problems, their causes and their fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from msgspec import Struct, field

from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Message, Scope

if TYPE_CHECKING:
    from toolpair.rules.where import NamedPlace

Severity = Literal["error", "warning", "info"]
Impact = Literal["stops", "loses", "harmless"]
Effect = Literal["rejected", "dropped", "placeholder", "healed", "kept"]


KEPT_ASIDE: Final = ", kept in a file beside this one"
"""What the loss of a fix ends with that keeps what it removes: of a file, not of a list in memory."""


class Cause(Struct, frozen=True):
    """Why a problem is there. Problems with one cause id are decided together."""

    id: str
    text: str
    evidence: str = ""
    """Its evidence in the transcript, one sentence."""
    product: str | None = None
    """The program known to write such files, with its versions: "Roo Code 3.40 to 3.46.0"."""
    link: str | None = None
    """The source of that."""


class OnResume(Struct, frozen=True):
    """What an agent does about a problem on resume. `loses` names what is lost, None for nothing."""

    agent: str
    version: str | None
    effect: Effect
    loses: str | None
    text: str
    """One sentence for the screen: "Claude Code drops this call and its 88 lines without telling you."."""
    outputs_lost: int = 0
    sends: bool = True
    """False when the agent stops before it sends anything: no API sees the session."""


class Fix(Struct, frozen=True, eq=False):
    """One way to fix one problem.

    `certain` is False for a guess (position alone, or the only candidate), which a person must confirm. `loses` is a
    phrase for what is lost, None for nothing.
    """

    id: str
    title: str
    edits: tuple[Edit, ...]
    recommended: bool = False
    certain: bool = True
    loses: str | None = None
    note: str | None = None
    """A note: "changes what stands before 3 signed thinking blocks …"."""
    placeholder: bool = False
    """It writes a placeholder, whose text the user may change."""
    several: str | None = None
    """The title for many fixes of the kind, when `title` mentions details of this one."""


class AnswerLookup(Protocol):
    """Callable that gives the provider's answer to a problem, in its own words."""

    def __call__(self, problem: Problem, /, first: int = 0, unsent: int | None = None) -> str | None:
        """`first` is the number of messages before those that the problem counts.

        `unsent` is that number for the transcript, for what its agent leaves out; None means the same number.
        """


class KnownAnswer(Struct, frozen=True):
    """A provider's words that are known already."""

    words: str | None

    def __call__(self, problem: Problem, /, first: int = 0, unsent: int | None = None) -> str | None:
        return self.words


class ResumeLookup(Protocol):
    """Callable that finds what the agent does about a problem on resume; None if that is not known."""

    def __call__(self) -> OnResume | None: ...


class KnownOutcome(Struct, frozen=True):
    """What an agent does, known already."""

    found: OnResume | None

    def __call__(self) -> OnResume | None:
        return self.found


class Problem(Struct, frozen=True, eq=False):
    """One broken rule in one place. `pair` is an index into the session's pairs; `message` and `block` count what is
    sent.
    """

    rule: str
    severity: Severity
    own_impact: Impact
    """Its impact if nothing is known of an agent."""
    evidence: str
    text: str
    """What is wrong, one plain sentence."""
    message: int | None
    block: int | None
    pair: int | None
    record: int | None
    """The record's uid."""
    call: Block | None = None
    result: Block | None = None
    others: tuple[Block, ...] = ()
    about: Message | None = None
    cause: Cause | None = None
    resumes: ResumeLookup | None = None
    """Finds what its agent does about it: when it is asked for, since steps between two states never ask."""
    scope: Scope = "active"
    fixes: tuple[Fix, ...] = ()
    no_fix: str | None = None
    """Why no fix is safe, if none is recommended."""
    says: AnswerLookup | None = None
    """Gives the provider's own words for it."""
    guess: bool = False
    """Only a guess tells what belongs together: it is left to a person, and no fix is recommended."""
    pairs: tuple[int, ...] = field(default=())
    """All pairs it concerns."""
    until: int | None = None
    """The uid of the last record, if it covers several consecutive records with the same damage."""
    count: int = 1
    """How many messages it is about, where one problem is reported for all of them."""
    named: NamedPlace | None = None
    """The place that was named, if it is a problem only because of that."""

    @property
    def key(self) -> tuple[object, ...]:
        """Stays the same when other problems are fixed: identifies the problem again after undo."""
        blocks = tuple(b.key for b in (self.call, self.result) if b is not None)
        return (self.rule, self.record, blocks)

    def __reduce__(self) -> tuple[type[Problem], tuple[Any, ...]]:
        # What finds them holds the whole transcript; only the answers go to another process.
        known = {"says": KnownAnswer(self.api_says), "resumes": KnownOutcome(self.on_resume)}
        return Problem, tuple(known.get(name, getattr(self, name)) for name in self.__struct_fields__)

    @property
    def on_resume(self) -> OnResume | None:
        """What its agent does about it on resume."""
        return self.resumes() if self.resumes is not None else None

    @property
    def impact(self) -> Impact:
        resumed = self.on_resume
        if resumed is None:
            return self.own_impact
        if resumed.effect == "rejected" and self.severity == "error":
            return "stops"
        return "loses" if resumed.loses is not None else "harmless"

    @property
    def api_says(self) -> str | None:
        """The provider's own words, with ids filled in; None when none are known."""
        return self.says(self) if self.says is not None else None

    @property
    def recommended(self) -> Fix | None:
        """The fix to apply unasked, the same for everything that does so; None for a guess."""
        return None if self.guess else self.without_guessing

    @property
    def without_guessing(self) -> Fix | None:
        """The best fix that does not guess. Of a guess, a person may choose it, or a recipe that they name."""
        return next((fix for fix in self.fixes if fix.recommended and fix.certain), None)


def recommends_placeholder(problem: Problem) -> bool:
    """Whether the recommended fix of an error writes a placeholder."""
    return problem.severity == "error" and any(fix.recommended and fix.placeholder for fix in problem.fixes)
