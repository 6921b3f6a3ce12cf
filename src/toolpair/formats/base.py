"""What a format is: how the records of one agent's file become a transcript, and edits become records again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from toolpair.rules.base import OnResume, Problem
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Transcript


@dataclass(frozen=True, slots=True, eq=False)
class Item:
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


@dataclass(frozen=True, slots=True)
class View:
    """How a file is looked at: by default as its agent would go on from it."""

    leaf: str | None = None
    """The id of the record that the history is to end at."""
    beside: Beside | None = None


AS_RESUMED: Final = View()

Fate = Literal["sent", "changed", "dropped", "replaced"]
"""What becomes of a block: sent as it is (wherever), sent in another form, left out, a placeholder in its stead."""


@dataclass(frozen=True, slots=True, eq=False)
class SentPart:
    """One content block (or item) of the request. `block` is where it comes from, None when the agent made it up."""

    value: Any
    block: Block | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SentMessage:
    """One message of the request."""

    role: str
    parts: tuple[SentPart, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the model would see if the agent resumed the file now."""

    agent: str
    version: str | None
    """The version whose ways these are."""
    messages: tuple[SentMessage, ...]
    fates: Mapping[int, Fate] = field(default_factory=dict)
    """id() of each call and result block of the transcript -> what becomes of it."""
    refuses: str | None = None
    """Why the agent does not resume the file at all, one sentence."""
    prepared: bool = True
    """False where the agent's own ways are not known and the messages are only what the file holds."""

    def reaches(self, block: Block) -> bool:
        """Whether what the block says reaches the model."""
        return self.fates.get(id(block)) in ("sent", "changed")


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

    def needs(self, items: Sequence[Item], values: Sequence[Any]) -> bool:
        """Whether the history of these records lacks `values`, which stand in a record that cannot be read."""

    def sees(self, items: Sequence[Item], transcript: Transcript) -> Seen | None:
        """What its agent would send when it resumes; None when there is no such agent."""

    def on_resume(self, transcript: Transcript, problem: Problem, seen: Seen | None = None) -> OnResume | None:
        """What the format's own agent makes of the problem when it resumes; None when there is no such agent."""

    def resume_command(self, transcript: Transcript) -> str | None:
        """What to type, or to do, to go on with the session; None when nothing is known."""
