"""The interface of a format: records of one agent's files to a transcript, and edits back to records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self, TypeVar, runtime_checkable

from msgspec import Struct, field

from toolpair.rules.context import Context
from toolpair.rules.problem import Effect, Fix, Impact
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Message, Transcript

if TYPE_CHECKING:
    from pathlib import Path


T = TypeVar("T")


class Item(Struct, frozen=True, eq=False):
    """One record as formats see it. `value` is parsed JSON or `Damaged`; a new record has a negative uid."""

    uid: int
    value: Any


Read = Callable[[int, int], Sequence[Item]]
"""Reads the records of a file with numbers in [first, end), counted from 0."""


class Beside(Protocol):
    """The files beside a session file, read only when something is searched for in them."""

    @property
    def path(self) -> Path:
        """The session file itself."""

    def names(self, folder: str) -> Sequence[str]:
        """The names in a folder, given relative to the session file's own; empty when there is no such folder."""

    def read(self, name: str) -> bytes | None:
        """A file's bytes, by its path relative to the session file's folder; None when it is not available."""

    def start(self, name: str, count: int, within: str = ".") -> bytes:
        """The first bytes of a file below the folder `within`; empty when it is not available."""

    def newest(self, folder: str, ending: str) -> Sequence[tuple[str, int]]:
        """The names of a folder's other files that end so, the one written last first, each with its size."""

    def once(self, what: str, make: Callable[[], T]) -> T:
        """The result of `make` for these files, computed on first use and cached."""

    def lines_with(self, name: str, wanted: Iterable[bytes]) -> Mapping[bytes, Sequence[bytes]]:
        """The lines of a file that contain any of these byte strings, by string; a few of each are enough."""


class FileFacts(Struct, frozen=True, eq=False):
    """What surrounds the records of a window of a longer file."""

    head: Transcript
    """Facts about the session."""
    before: Sequence[Item] = ()
    """The records directly before the window; empty at the start of the file."""
    after: Item | None = None
    """The record directly after the window; None at the end of the file."""
    ties_to_end: bool = False
    """The window's meaning depends on how the file ends, or the file's end depends on the window."""
    agent_facts: object = None
    """Facts about one agent's files. Only that agent's format reads them."""
    copies: Callable[[Iterable[str]], Sequence[Item]] = lambda ids: ()
    """The other records of the file that may hold copies of the outputs of calls with these ids."""


class Spills(Exception):
    """Raised when edits in a window would also change records outside it."""


class View(Struct, frozen=True):
    """How to read a file; by default as its agent would resume it."""

    leaf: str | None = None
    """The id of the record where the history ends."""
    beside: Beside | None = None
    inside: FileFacts | None = None
    """The surroundings, if the records are a window of a longer file."""
    agent_version: str | None = None
    """The version of the agent that resumes the file, whichever wrote it; None: the newest one measured."""
    reporting: bool = False
    """Only findings are needed, and nothing is shown or changed, so record values need not stay in memory."""


AS_RESUMED: Final = View()

Fate = Literal["sent", "changed", "dropped", "replaced"]
"""What happens to a block: sent unchanged (anywhere), sent in another form, left out, replaced by a placeholder."""


class SentPart(Struct, frozen=True, eq=False):
    """One content block or item of the request. `block` is its source; None when the agent added it."""

    value: Any
    block: Block | None = None

    @classmethod
    def of(cls, block: Block) -> SentPart:
        """A part that sends the block as it is in the file."""
        return cls(block.value, block)


class SentMessage(Struct, frozen=True, eq=False):
    """One message of the request."""

    role: str
    parts: tuple[SentPart, ...]
    inherited: bool = False
    """It comes from another file, whose session this one continues."""


class SentRequest(Struct, frozen=True, eq=False):
    """What the model would see if the agent resumed the file now."""

    agent: str
    version: str | None
    """The version whose behaviour this is."""
    messages: tuple[SentMessage, ...]
    fates: Mapping[int, Fate] = field(default_factory=dict)
    """id() of each call, result and blank text of the transcript -> what happens to it."""
    refuses: str | None = None
    """Why the agent does not resume the file at all, as a sentence; None if it does."""
    shortened: frozenset[int] = frozenset()
    """id() of each result that the agent sends without its middle."""
    prepared: bool = True
    """False when the agent's behaviour is unknown and the messages are simply those of the file."""

    def reaches(self, block: Block) -> bool:
        """Whether the block's content reaches the model."""
        return self.fates.get(id(block)) in ("sent", "changed")


class Damage(Struct, frozen=True, eq=False):
    """A record with damaged bytes."""

    record: int
    """Its uid."""
    rule: str
    """The rule's name, such as "record.torn"; "record.bom" with `front` is a byte order mark at the file's start."""
    line: int | None
    readable: bool
    """The record itself can be read despite the flaw."""
    values: tuple[Any, ...]
    """The complete records in it that can be read once its bytes are repaired."""
    partial: Any
    """The readable part of a cut-off record in it; None when there is none."""
    raw: bytes
    first: bool = False
    last: bool = False
    """Whether it is the first or the last record of the file."""
    front: bool = False
    at: int = 0
    """Its position among the records."""
    after: tuple[int, ...] = ()
    """uids of the records that only continue it."""
    lines: int = 1
    """How many lines of the file it covers. If several, all other fields are about the first."""
    named: bytes = b""
    """Bytes that may contain ids lost with the record."""


class ResumeEffect(Struct, frozen=True):
    """What its agent does about a damaged record on resume.

    "stops" and "loses" make the damage an error, "harmless" a warning (info for a number too long for readers).
    """

    impact: Impact
    says: str
    """A clause for the screen: "Claude Code skips it", "Codex does not resume this session"."""
    effect: Effect = "dropped"
    loses: str | None = None
    """What is lost, as a phrase; required if anything is."""
    outputs: int = 0
    """How many real outputs the model does not see because of it."""
    complete: bool = True
    """Once a cut-off record is closed, the agent can continue from what is in `values` or `partial`."""
    ends_line: bool = False
    """A cut-off last line needs a line feed as well, since the agent would write its next record right after it."""
    begins_anew: bool = False
    """It does not resume the file, but begins another session in its place."""
    splits: bool = True
    """Glued records can be split: what is glued in one row of a database is no row of its own."""


class SubagentSession(Struct, frozen=True):
    """A sub-agent's session in a separate file, or beside this one in a database. `label` and `kind` are untrusted."""

    path: Path
    """What it is opened by: `DATABASE::SESSION` for one in a database."""
    label: str
    """Its task: the description, or the first words of its prompt."""
    call: str | None
    """The id of the call that started it."""
    kind: str | None = None


@runtime_checkable
class Branching(Protocol):
    """Implemented by a format whose files hold histories that are not sent."""

    def inactive(self, items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
        """(leaf, records from the fork on) for each history that is not sent."""


@runtime_checkable
class HasSubagents(Protocol):
    """Implemented by a format whose agent keeps the sessions of sub-agents beside this one."""

    def subagent_sessions(
        self, items: Sequence[Item], transcript: Transcript, beside: Beside
    ) -> Iterable[SubagentSession]:
        """The sessions of sub-agents."""


@runtime_checkable
class NamesRecords(Protocol):
    """Implemented by a format whose records name others."""

    id_key: str
    """The key of a record's id."""
    links: tuple[str, ...]
    """The keys of a record that hold ids of others, at any depth."""


@runtime_checkable
class LimitsDepth(Protocol):
    """Implemented by a format whose agent does not read what is nested too deeply."""

    def levels_refused(self, value: Any) -> int | None:
        """How many levels its parser reads, if this record has more."""


@runtime_checkable
class OfSeveralApis(Protocol):
    """Implemented by a format whose sessions are written for one of several APIs."""

    def for_records(self, values: Sequence[Any]) -> Format:
        """The same format, with the profile of the API that these records are written for."""


class OfOneApi:
    """Such a format for the sessions of one API."""

    def __init__(self, profile: str = "openai-chat") -> None:
        self.profile = profile

    def for_profile(self, profile: str) -> Self:
        """The format for sessions that are checked against this profile."""
        kind: Any = type(self)
        made: Self = self if profile == self.profile else _made(kind, profile)
        return made


@cache
def _made(kind: Any, profile: str) -> Any:
    return kind(profile)


def profile_of(provider: Any, known: Mapping[str, str], usual: str = "openai-chat") -> str:
    """The profile of a provider, as a file names it; `usual` for one that is not known."""
    return known.get(provider, usual) if isinstance(provider, str) else usual


@runtime_checkable
class KnowsRecords(Protocol):
    """Implemented by a format whose agent also writes records that are no messages."""

    def knows(self, value: dict[str, Any]) -> bool:
        """Whether the agent writes such records, whatever they hold."""


@runtime_checkable
class InDocument(Protocol):
    """Implemented by a format whose records are in a document that says more of the session."""

    def with_outer(self, transcript: Transcript, outer: Mapping[str, Any]) -> Transcript:
        """The transcript with what the object around the records says."""


class Usage(Struct, frozen=True):
    """How many tokens a response has cost, as its provider counted them."""

    context: int
    """All that the model has read and written at its end."""
    written: int
    limit: int | None = None
    """How many fit, where the file says so."""


@runtime_checkable
class Timed(Protocol):
    """Implemented by a format whose records say when they were written, or what a response has cost."""

    def time_of(self, value: Any) -> float | None:
        """When a record was written, in seconds since the epoch."""

    def usage_of(self, value: Any) -> Usage | None:
        """The cost of the response that a record belongs to, or reports on."""


Patch = Sequence[tuple[int, int, Sequence[str]]]
"""Hunks of a diff: the number of the first line before and after, and the lines, each with its sign."""


@runtime_checkable
class KeepsIds(Protocol):
    """Implemented by a format whose agent keeps ids of calls where no output is."""

    ids_beside: frozenset[str]
    """Keys that hold such an id, and kinds of records that do: as `type` or so of the record, or of what it carries."""


@runtime_checkable
class KeepsOutputs(Protocol):
    """Implemented by a format whose agent keeps outputs beside the results, in records that name the call's id."""

    outputs_beside: frozenset[str]
    """The kinds of these records: one without a text where outputs are says no more than the id."""


@runtime_checkable
class KeepsMore(Protocol):
    """Implemented by a format whose agent keeps more of a result than it sends."""

    def seconds_of(self, value: Any) -> float | None:
        """How long the call took, as the record of its result says."""

    def patch_of(self, value: Any) -> Patch:
        """What an edit changed in its file, as the record of its result says; empty if it does not."""

    def output_file(self, output: str, beside: Beside) -> str | None:
        """The file with the whole of an output that is sent shortened, by its path relative to the session's folder."""


class KeptRequest(Struct, frozen=True, eq=False):
    """What a session file says of a request besides the history: what is None or empty, it does not say."""

    system: Any = None
    """The system prompt, a string or blocks."""
    tools: Sequence[Any] = ()
    """The definitions of tools, with their schemas."""
    model: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of the request's body."""
    betas: tuple[str, ...] = ()
    """What the request asked for in the header `anthropic-beta`."""
    messages: Sequence[Any] | None = None
    """The messages exactly as they were sent; None where the file does not have all of them."""
    altered: int = 0
    """How many of these are no longer what was sent."""
    unresolved: int = 0
    """How many messages of a recorded request the file does not have."""
    unrecorded: bool = False
    """The file records requests, but not the one that was asked for."""
    api: str | None = None
    """The API in whose spelling system prompt, tools and parameters are; None: in the agent's own."""


@runtime_checkable
class KeepsRequests(Protocol):
    """Implemented by a format whose files say what their agent sends besides the history."""

    def request_kept(self, items: Sequence[Item], response: int | None) -> KeptRequest:
        """What the file says of the request that a response answered; `response` is the uid of a record of that.

        None: of the newest request.
        """


@runtime_checkable
class Forking(Protocol):
    """Implemented by a format of an agent that forks sessions into other files."""

    def continues(self, transcript: Transcript) -> Sequence[Message]:
        """The messages before those of the transcript, where a fork's file does not repeat the history that it
        continues.
        """

    def relatives(self, first: Sequence[Any], beside: Beside) -> Iterable[tuple[str, str]]:
        """Other sessions that have a part of this history: what each is, and its path relative to this one's folder.

        `first` are the values of the file's first records.
        """


@runtime_checkable
class OwnRules(Protocol):
    """Implemented by a format with rules of its own."""

    def check(self, context: Context, items: Sequence[Item], view: View) -> None:
        """Add the problems that only this format's files can have."""


@runtime_checkable
class NotesOnFixes(Protocol):
    """Implemented by a format with fixes that change more than their titles say."""

    def notes_on_fixes(self, items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
        """For each fix, a phrase on what else it changes in the file; None when nothing."""


class Format(Protocol):
    """How one agent or API writes a session. Register an instance in `formats/__init__.py`."""

    id: str
    title: str
    profile: str
    containers: frozenset[str]
    """The containers it occurs in: "array" (elements of a JSON array), "lines" (JSONL)."""
    where: str
    """Where such files are, for `toolpair formats`."""

    def sniff(self, values: Sequence[Any]) -> int:
        """How likely the values of the first records are in this format: 0 (not at all) to 100."""

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        """The transcript of these records. Never raises on odd values; Damaged items get scope "malformed"."""

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        """The records after the edits, in file order.

        An untouched record is returned as the same Item. A changed one keeps its uid and has a new value built from the
        old sub-values (the same objects, so that their bytes can be copied). New records have distinct negative uids.
        `transcript` is the result of `read(items)`.
        """

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        """What the format's agent does about each of these damaged records, in order; None: nothing to report.

        All are passed at once, so that lookups in the file happen only once.
        """

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        """What its agent would send on resume; None when there is no such agent."""
