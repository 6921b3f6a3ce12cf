"""The interface of an agent's entry: where its sessions are, what its processes look like, and how it resumes one."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.formats.format import Beside, SentRequest
    from toolpair.rules.problem import Effect, OnResume, Problem
    from toolpair.shell.machine import Machine
    from toolpair.transcript.model import Transcript

Outcome = tuple["Effect", str, "str | None"]
"""What an agent does, a sentence, and what is lost."""
NOT_UNDERSTOOD = "not understood yet"
"""For an agent whose files are found but whose format toolpair does not support."""
ONLY_SHOWN = "only shown, not checked"


class FoundSession(Struct, frozen=True):
    """One session file. All texts are untrusted: names, ids and user text go through `text/` before they are shown."""

    agent: str | None
    """The agent's id, such as "claude-code"; None in a database that any program may keep."""
    title: str
    """The agent's display name, or that of the format."""
    path: str
    session_id: str
    modified: float
    """Seconds since the epoch."""
    size: int
    """Bytes."""
    folder: str | None = None
    """The project that the agent worked in; None while unknown."""
    words: str | None = None
    """The user's last text, on one line; None while unknown, or if there is none."""
    described: bool = False
    """Whether `folder` and `words` have been read."""
    here: bool = False
    """Whether it belongs to the folder in question."""
    understood: bool = True
    """Whether toolpair supports the format of the agent's files."""
    name: str | None = None
    """What the agent calls the session, where it gives sessions names."""
    shown: bool = False
    """Whether it can be looked at although it is not understood."""

    @property
    def why_unchecked(self) -> str | None:
        """What is said of it in place of the user's words; None where they are."""
        return None if self.understood else ONLY_SHOWN if self.shown else NOT_UNDERSTOOD


class SessionFile(Struct, frozen=True):
    """A session file that an agent is to resume, and facts about the session from its transcript."""

    path: Path | None
    """None: it came from standard input."""
    opened: Path | None
    """Where it was read from, when it was saved elsewhere."""
    session_id: str
    """Empty where the file has none."""
    folder: str | None


class Program(NamedTuple):
    """The command that starts an agent: how to recognise its processes, and where its version is found."""

    command: str
    title: str
    """What people call the running program."""
    scripts: str
    """A regex for its script's path when a JavaScript runtime or Python runs it, where it is not called as the command
    is.
    """
    session_options: tuple[str, ...]
    """Command-line options that take a session id."""
    other_work: frozenset[str] = frozenset()
    """Its subcommands that run no session."""
    package: str | None = None
    """Its npm package; None: it has none, or its behaviour does not depend on the installed version."""
    older_packages: tuple[str, ...] = ()
    """Its npm packages before."""
    places: tuple[str, ...] = ()
    """Folders below the user's home that may hold the command even if PATH does not list them."""
    distribution: str | None = None
    """What the folder begins with that pip leaves beside its modules; its version follows."""
    extension: str | None = None
    """Prefix of the folder of an editor extension that ships the same program; its version follows."""


class Agent(ABC):
    """One agent. Register an instance in `formats/__init__.py`. Methods never raise because of what is on disk.

    The traces it leaves in any list of messages (placeholders, notes, known causes) are in its record with the same id
    in `transcript/known_systems.py`.
    """

    id: str
    title: str
    """`Transcript.agent` of the sessions that it writes."""
    variable: str | None = None
    """The environment variable that overrides its home folder."""
    usual_home: str = ""
    """Relative to the user's home."""
    suffix: str | None = None
    """What follows the session id in the file name."""
    program: Program | None = None
    in_editor: bool = False
    """It runs inside an editor, whose process then counts as the agent's."""
    outcomes: Mapping[str, Outcome] = {}
    """What it does about problems on resume, by rule, where no request shows it, or says less."""
    tells_all: bool = False
    """Whether `on_resume` says all that is known, so that nothing else follows from what it would send."""
    filled: str | None = None
    """What it does about a call without a result, where its own words are no sentence: "tells the model that …"."""
    silently: str = " without telling you"
    """The end of a sentence about a result that it leaves out."""
    ask: Any = None
    """The lazy `Ask`, by which it is asked what it sends; None where it cannot be."""
    only_shown: bool = False
    """Its sessions are not understood well enough to check them, and can be looked at."""
    resumes: tuple[str, ...] = ()
    """The command that resumes a session, where its id is all that follows."""
    sub_agent: str | None = None
    """`Transcript.agent` of a sub-agent's own session, which cannot be resumed by itself."""

    @property
    def unchecked(self) -> str:
        """What is said of its sessions where no format is that of its files."""
        return ONLY_SHOWN if self.only_shown else NOT_UNDERSTOOD

    # --- its session files -------------------------------------------------------------------------------

    def home(self, machine: Machine) -> Path:
        """The agent's home folder: where its own variable says, as the agent itself does, else the user's settings."""
        usual = machine.path(machine.agents[self.id]) if self.id in machine.agents else machine.home / self.usual_home
        return machine.folder(self.variable, usual) if self.variable is not None else usual

    @abstractmethod
    def roots(self, machine: Machine) -> tuple[Path, ...]:
        """The folders that are searched, the usual one first; they need not exist."""

    @abstractmethod
    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        """Its session files, unordered."""

    def found(self, path: str, session_id: str, stat: os.stat_result, folder: str | None = None) -> FoundSession:
        size, shown = stat.st_size, self.only_shown
        return FoundSession(self.id, self.title, path, session_id, stat.st_mtime, size, folder, shown=shown)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        """Whether the session took place in `folder`, a resolved path."""
        return found.folder == folder

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        """The project folder and the user's last text, from a short read."""
        return found.folder, None

    def is_named(self, name: str) -> bool:
        """Whether a file with this name is one of its sessions, wherever it is.

        Asked only if several agents, or other programs, write the format.
        """
        return False

    def project_of(self, path: str) -> str | None:
        """The project folder, if the agent does not write it in the session file itself."""
        return None

    def wrote(self, transcript: Transcript, path: str | os.PathLike[str] | None) -> bool:
        """Whether it wrote a session of its format: by the transcript's agent if named, else by the file's name."""
        if transcript.agent is not None:
            return transcript.agent in (self.title, self.sub_agent)
        return path is not None and self.is_named(os.path.basename(path))

    # --- resuming ----------------------------------------------------------------------------------------

    def way_back(self, file: SessionFile) -> WayBack | None:
        """What to type or do to resume a session stored where the agent finds it."""
        if not self.resumes or not file.session_id or file.session_id.startswith("-"):
            return None
        from toolpair.formats.engine.agents.way_back import WayBack  # not before it is asked for

        return WayBack((*self.resumes, file.session_id), file.folder)

    def home_of(self, path: Path, session_id: str) -> Path | None:
        """The home folder of an agent that would find the file where it is; None if it would not, or needs none."""
        return None

    def in_place(self, path: Path, session_id: str) -> bool:
        """Whether the agent finds the file where it is."""
        return self.home_of(path, session_id) is not None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        """Where the agent would find the file."""
        return None

    def where_to_put(self, file: SessionFile, machine: Machine) -> str | None:
        """The target as a phrase, for a copy that was saved elsewhere: "at …"; None if it need not, or must not, be put
        anywhere.
        """
        if file.opened is not None and self.in_place(file.opened, file.session_id):
            return f"at {file.opened}"
        target = self.target(file, machine)
        return f"at {target}" if target is not None else f"where {self.title} had it, under {self.roots(machine)[0]}"

    def resumes_from(self, path: Path, folder: str | None, records: Iterable[Any]) -> str | None:
        """The folder from which the agent resumes the file. `folder` is the transcript's; `records` are read lazily."""
        return folder

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        """What the agent does about a problem when it resumes one of its own sessions, if the request alone does not
        tell; `seen` is that request, if known.
        """
        return None

    def notes_on_saving(self, transcript: Transcript, beside: Beside, before: int, after: int) -> Sequence[str]:
        """Notes on the agent's indexes of the file, shown before the file is saved in place.

        `before` and `after` are its sizes in bytes.
        """
        return ()


class Library(Agent):
    """A library with which programs keep sessions: whose program it is no file says, so it has no place on a machine,
    and only what it does with a session is known.
    """

    def __init__(self, id_: str, title: str) -> None:
        self.id, self.title = id_, title

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return ()

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        return iter(())
