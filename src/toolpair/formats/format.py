"""What a format is: how the records of one agent's file become a transcript, and edits become records again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar, runtime_checkable

from msgspec import Struct, field

from toolpair.rules.context import Context
from toolpair.rules.problem import Effect, Fix, Impact, OnResume, Problem
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Transcript

if TYPE_CHECKING:
    from pathlib import Path


T = TypeVar("T")


class Item(Struct, frozen=True, eq=False):
    """One record as a format sees it. `value` is parsed JSON or `Damaged`; a new record has a negative uid."""

    uid: int
    value: Any


class Beside(Protocol):
    """The files beside a session file, read only when something is looked for in them."""

    @property
    def path(self) -> Path:
        """The session file itself."""

    def names(self, folder: str) -> Sequence[str]:
        """The names in a folder, given relative to the session file's own; none when there is no such folder."""

    def read(self, name: str) -> bytes | None:
        """A file's bytes, by its path relative to the session file's folder; None when it cannot be had."""

    def start(self, name: str, count: int, within: str = ".") -> bytes:
        """The first bytes of a file below the folder `within`; none when it cannot be had."""

    def once(self, what: str, make: Callable[[], T]) -> T:
        """What is made of these files, made when it is first asked for and kept from then on."""

    def lines_with(self, name: str, wanted: Iterable[bytes]) -> Mapping[bytes, Sequence[bytes]]:
        """The lines of a file that hold one of these byte strings, by the string; a few of each are enough."""


class FileFacts(Struct, frozen=True, eq=False):
    """What stands around records that are a part of a longer file."""

    head: Transcript
    """Whose history it is."""
    before: Sequence[Item] = ()
    """The records right in front of them; none where the file begins with them."""
    after: Item | None = None
    """The record right behind them; None where the file ends with them."""
    on_results: bool = False
    """Behind them the user says nothing more, and the last turn breaks off there."""
    leaf_before: bool = False
    """The agent's own note on where the history ends names a record in front of them."""
    first_uuids: Sequence[str] = ()
    """Of the file."""
    numbered: tuple[int, int] | None = None
    """Where the records of the file are numbered: how many stand behind them, and of these up to the first gap."""
    copies: Callable[[Iterable[str]], Sequence[Item]] = lambda ids: ()
    """The records of the file that may hold copies of the outputs of calls with these ids."""


class Spills(Exception):
    """Edits of records that are a part of a longer file change records around them, too."""


class View(Struct, frozen=True):
    """How a file is looked at: by default as its agent would go on from it."""

    leaf: str | None = None
    """The id of the record that the history is to end at."""
    beside: Beside | None = None
    inside: FileFacts | None = None
    """Where the records are a part of a longer file: what stands around them."""
    agent_version: str | None = None
    """The version of the agent that resumes the file, whichever wrote it; None: the newest that was measured."""
    reporting: bool = False
    """What is found out is told, and nothing is shown or changed: what records say need not stay in memory."""


AS_RESUMED: Final = View()

Fate = Literal["sent", "changed", "dropped", "replaced"]
"""What becomes of a block: sent as it is (wherever), sent in another form, left out, a placeholder in its stead."""


class SentPart(Struct, frozen=True, eq=False):
    """One content block (or item) of the request. `block` is where it comes from, None when the agent made it up."""

    value: Any
    block: Block | None = None


class SentMessage(Struct, frozen=True, eq=False):
    """One message of the request."""

    role: str
    parts: tuple[SentPart, ...]
    inherited: bool = False
    """It stands in another file, whose session this one goes on from."""


class SentRequest(Struct, frozen=True, eq=False):
    """What the model would see if the agent resumed the file now."""

    agent: str
    version: str | None
    """The version whose ways these are."""
    messages: tuple[SentMessage, ...]
    fates: Mapping[int, Fate] = field(default_factory=dict)
    """id() of each call, result and blank text of the transcript -> what becomes of it."""
    refuses: str | None = None
    """Why the agent does not resume the file at all, one sentence."""
    shortened: frozenset[int] = frozenset()
    """id() of the results of which the agent sends the beginning and the end."""
    prepared: bool = True
    """False where the agent's own ways are not known and the messages are only what the file holds."""

    def reaches(self, block: Block) -> bool:
        """Whether what the block says reaches the model."""
        return self.fates.get(id(block)) in ("sent", "changed")


class Damage(Struct, frozen=True, eq=False):
    """A record whose bytes are not as they should be."""

    record: int
    """Its uid."""
    rule: str
    """"record.torn" and its kin; "record.bom" with `front` for a byte order mark in front of the whole file."""
    line: int | None
    readable: bool
    """The record as such can be read, its flaw notwithstanding."""
    values: tuple[Any, ...]
    """The whole records in it that can be read once its bytes are mended."""
    partial: Any
    """What can be read of a record in it that was cut off; None when nothing can, or none was."""
    raw: bytes
    first: bool = False
    last: bool = False
    """It is the file's first, last record."""
    front: bool = False
    at: int = 0
    """Its place among the records."""
    behind: tuple[int, ...] = ()
    """The uids of the records that only go on with it."""
    lines: int = 1
    """How many lines of the file it is. Of several, all else is told of the first one."""
    named: bytes = b""
    """Where ids may stand that are lost with it."""


class ResumeEffect(Struct, frozen=True):
    """What its agent makes of a damaged record when it resumes the file.

    "stops" and "loses" make the damage an error, "harmless" a warning (a number too long for readers: an info).
    """

    impact: Impact
    says: str
    """A clause for the screen: "Claude Code skips it", "Codex does not resume this session"."""
    effect: Effect = "dropped"
    loses: str | None = None
    """One phrase; needed where something is lost."""
    outputs: int = 0
    """How many real outputs the model does not see because of it."""
    complete: bool = True
    """The agent can go on with the record in `values` or `partial`, were a cut off one only closed."""


class SubagentSession(Struct, frozen=True):
    """A session of a sub-agent in a file of its own. `label` and `kind` are untrusted."""

    path: Path
    label: str
    """What it was to do: its description, or its first words."""
    call: str | None
    """The id of the call that began it."""
    kind: str | None = None


@runtime_checkable
class Branching(Protocol):
    """What a format can tell whose files fork, or whose agents have helpers."""

    def inactive(self, items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
        """Of each history that is not sent its leaf, and its records from where it leaves the others."""

    def companions(self, items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterable[SubagentSession]:
        """The sub-agents' sessions beside the file."""


@runtime_checkable
class OfSeveralApis(Protocol):
    """A format whose sessions speak one of several APIs: which one is found in the records."""

    def for_records(self, values: Sequence[Any]) -> Format:
        """The same format, with the profile of the API that these records speak."""


@runtime_checkable
class OwnRules(Protocol):
    """A format whose files can be wrong in ways of their own, and whose fixes change more than their titles say."""

    def check(self, context: Context, items: Sequence[Item], view: View) -> None:
        """Add the problems that only files of this format have."""

    def notes_on_fixes(self, items: Sequence[Item], transcript: Transcript, fixes: Sequence[Fix]) -> list[str | None]:
        """For each fix a phrase on what else it changes in the file."""


class Format(Protocol):
    """One agent's or API's way to write a session. Register an instance in `formats/__init__.py`."""

    id: str
    title: str
    profile: str
    containers: frozenset[str]
    """Which containers it lives in: "array" (elements of a JSON array), "lines" (JSONL)."""
    where: str
    """Where such files are found, for `toolpair formats`."""

    def sniff(self, values: Sequence[Any]) -> int:
        """How surely the first records' parsed values are this format's: 0 (not at all) to 100."""

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        """The transcript that these records make. Never raises on odd values; Damaged items get scope "malformed"."""

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        """The records after the edits, in file order.

        An untouched record is handed back as the same Item. A changed one keeps its uid and has a
        new value that is built from the old sub-values (the same objects, so that their bytes can be
        copied). New records have negative uids, all different. `transcript` is what `read(items)` gave.
        """

    def damage(
        self, items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]
    ) -> Sequence[ResumeEffect | None]:
        """What the format's agent makes of each of these damaged records, in their order; None: nothing to tell.

        All are given at once, so that what is looked up in the file is looked up once.
        """

    def sees(self, items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
        """What its agent would send when it resumes; None when there is no such agent."""

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        """What the format's own agent makes of the problem when it resumes; None when there is no such agent."""
