"""What a format is given to read: records, what is around and beside them, and how to look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from msgspec import Struct

from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    import os
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
    def file(self) -> str | os.PathLike[str]:
        """The name of the session file itself."""

    @property
    def path(self) -> Path:
        """The same as a path."""

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
    """The window's meaning depends on how the file ends."""
    added: int = 0
    """How many records edits have added after the window."""
    agent_facts: object = None
    """Facts about one agent's files. Only that agent's format reads them."""
    copies: Callable[[Iterable[str]], Sequence[Item]] = lambda ids: ()
    """The other records of the file that may hold copies of the outputs of calls with these ids."""


class View(Struct, frozen=True):
    """How to read a file; by default as its agent would resume it."""

    leaf: str | None = None
    """The id of the record where the history ends."""
    beside: Beside | None = None
    surroundings: FileFacts | None = None
    """The surroundings, if the records are a window of a longer file."""
    agent_version: str | None = None
    """The version of the agent that resumes the file, whichever wrote it; None: the newest one measured."""
    reporting: bool = False
    """Only findings are needed, and nothing is shown or changed, so record values need not stay in memory."""


AS_RESUMED: Final = View()
