"""What toolpair knows of an agent: where its sessions are, how its processes look, and how it resumes one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from toolpair.formats.format import Beside
    from toolpair.formats.way_back import WayBack
    from toolpair.shell.machine import Machine
    from toolpair.transcript.model import Transcript

NOT_UNDERSTOOD = "not understood yet"
"""Of an agent whose files are found, and whose format toolpair does not know."""


class FoundSession(Struct, frozen=True):
    """One session file. All texts are untrusted: names, ids and words are shown through `text/`."""

    agent: str
    """The agent's id, such as "claude-code"."""
    title: str
    """The agent's name for people."""
    path: str
    session_id: str
    modified: float
    """Seconds since the epoch."""
    size: int
    """Bytes."""
    folder: str | None = None
    """The project that the agent worked in; None while it is not known."""
    words: str | None = None
    """The user's last words, on one line; None while, or where, they are not known."""
    described: bool = False
    """Whether `folder` and `words` have been looked for."""
    here: bool = False
    """Whether it belongs to the folder that was asked for."""
    understood: bool = True
    """Whether toolpair knows the format of the agent's files."""


class SessionFile(Struct, frozen=True):
    """A session file that an agent is to resume, and what its transcript says of the session."""

    path: Path | None
    """None: it came from standard input."""
    opened: Path | None
    """Where it was read from, when it was saved elsewhere."""
    session_id: str
    """Empty where the file has none."""
    folder: str | None


class Program(NamedTuple):
    """The command that starts an agent: how its processes look, and where its version is written."""

    command: str
    title: str
    """What people call the running program."""
    scripts: str
    """A pattern in the path of its script, for where a JavaScript runtime runs it."""
    session_options: tuple[str, ...]
    """The words of a command line that a session's id follows."""
    other_work: frozenset[str] = frozenset()
    """Its commands that hold no session."""
    package: str | None = None
    """Its name at the registry of npm; None: no behaviour depends on which version is installed."""
    older_packages: tuple[str, ...] = ()
    """The names that it had there before."""
    places: tuple[str, ...] = ()
    """Folders below the user's own that may hold the command although PATH does not name them."""
    extension: str | None = None
    """How the folder of an editor's extension that carries the same program begins; its version follows."""


class Agent(ABC):
    """One agent. Register an instance in `formats/__init__.py`. Nothing here raises for what a disk may hold."""

    id: str
    title: str
    variable: str | None = None
    """The environment variable that names its home folder, in place of the usual one."""
    usual_home: str = ""
    """Below the user's own."""
    suffix: str | None = None
    """What follows the session's id in the name of its file."""
    program: Program | None = None
    in_editor: bool = False
    """It runs inside an editor, whose process is then the agent's."""
    sub_agent: str | None = None
    """`Transcript.agent` of a sub-agent's own session, which cannot be resumed by itself."""

    # --- its session files -------------------------------------------------------------------------------

    def home(self, machine: Machine) -> Path:
        """The agent's home folder."""
        usual = machine.home / self.usual_home
        return machine.folder(self.variable, usual) if self.variable is not None else usual

    @abstractmethod
    def roots(self, machine: Machine) -> tuple[Path, ...]:
        """The folders that are looked in, the usual one first; they need not exist."""

    @abstractmethod
    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        """Its session files, in no order."""

    def found(self, path: str, session_id: str, stat: os.stat_result, folder: str | None = None) -> FoundSession:
        return FoundSession(self.id, self.title, path, session_id, stat.st_mtime, stat.st_size, folder)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        """Whether the session was had in `folder`, a resolved path."""
        return found.folder == folder

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        """The project folder and the user's last words, from a short read."""
        return found.folder, None

    def is_named(self, name: str) -> bool:
        """Whether a file with this name is one of its sessions, wherever it lies.

        Asked only where several agents write the format, or others than agents do.
        """
        return False

    def project_of(self, path: str) -> str | None:
        """The project folder, where the agent does not write it into the session file itself."""
        return None

    # --- resuming ----------------------------------------------------------------------------------------

    def way_back(self, file: SessionFile) -> WayBack | None:
        """What to type, or to do, to go on with a session that lies where the agent finds it."""
        return None

    def home_of(self, path: Path, session_id: str) -> Path | None:
        """The home folder of an agent that would find the file where it lies; None: it would not, or needs none."""
        return None

    def in_place(self, path: Path, session_id: str) -> bool:
        """Whether the agent finds the file where it lies."""
        return self.home_of(path, session_id) is not None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        """Where the agent would find the file."""
        return None

    def where_to_put(self, file: SessionFile, machine: Machine) -> str:
        """The same as a phrase, for a copy that was saved elsewhere: "at …"."""
        if file.opened is not None and self.in_place(file.opened, file.session_id):
            return f"at {file.opened}"
        target = self.target(file, machine)
        return f"at {target}" if target is not None else f"where {self.title} had it, under {self.roots(machine)[0]}"

    def resumes_from(self, path: Path, folder: str | None, records: Iterable[Any]) -> str | None:
        """The working folder that it resumes the file from. `folder` is the transcript's; `records` are read lazily."""
        return folder

    def notes_on_saving(self, transcript: Transcript, beside: Beside, before: int, after: int) -> Sequence[str]:
        """What to know of the indexes that it keeps of the file, before the file is saved in its place.

        `before` and `after` are its sizes in bytes.
        """
        return ()
