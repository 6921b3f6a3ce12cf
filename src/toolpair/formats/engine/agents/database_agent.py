"""An agent that keeps its sessions in a database, or once kept them in a folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from toolpair.formats.agent import Agent, FoundSession, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.shell.machine import Machine
from toolpair.shell.program import resolved
from toolpair.source import peek
from toolpair.source.addresses import divided, joined
from toolpair.source.errors import UnreadableFile
from toolpair.source.rows.layout import FACTS

if TYPE_CHECKING:
    from toolpair.source.folders.layout import FolderLayout
    from toolpair.source.rows.layout import Layout, StoredSession


def is_lines(path: Path) -> bool:
    """Whether rows were saved as lines of JSON there: no agent resumes these."""
    return path.suffix in (".json", ".jsonl", ".zst")


def has_rows(path: Path, layout: Layout) -> bool:
    """Whether a file of lines was made of a session's rows, where the agent itself has written others."""
    first = (FACTS, *(table.name for table in layout.tables))
    return peek.head(str(path), 64).startswith(tuple(f'{{"{name}":'.encode() for name in first))


def entry_in(path: str, one: StoredSession, agent: str | None, title: str) -> FoundSession:
    """The entry of a session of a database."""
    name = (one.title or "").strip() or None
    return FoundSession(agent, title, joined(path, one.id), one.id, one.modified, one.size, one.folder, name=name)


def last_words(found: FoundSession) -> str | None:
    """The user's last text in a session of a database; None if it cannot be read."""
    from toolpair.formats.engine.agents.databases import words_of

    path, session = divided(found.path)
    try:
        return words_of(path, session)[0] if session is not None else None
    except UnreadableFile:
        return None


class DatabaseAgent(Agent):
    """Its `sessions` are named `DATABASE::SESSION`."""

    holder = "database"
    """Where its newest sessions are."""

    @abstractmethod
    def databases(self, machine: Machine) -> tuple[Path, ...]:
        """The databases that it uses; they need not exist."""

    def folders(self, machine: Machine) -> tuple[Path, ...]:
        """The folders in which it kept its sessions before; they need not exist."""
        return ()

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return tuple(path.parent for path in self.databases(machine))

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        """The sessions of its databases, without those of sub-agents; and of its folders, if they are nowhere else."""
        from toolpair.formats.engine.agents.databases import sessions_in, top_level

        seen: set[str] = set()
        places = (
            *((path, False) for path in self.databases(machine)),
            *((path, True) for path in self.folders(machine)),
        )
        for path, is_folder in places:
            if not (path.is_dir() if is_folder else path.is_file()):
                continue
            try:
                found = sessions_in(str(path), str(path)).sessions
            except UnreadableFile:
                continue
            known = seen if is_folder else ()
            own = (one for one in top_level(found) if one.id not in known)
            yield from (entry_in(str(path), one, self.id, self.title) for one in own)
            seen.update(one.id for one in found)

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return found.folder, last_words(found)

    def in_place(self, path: Path, session_id: str) -> bool:
        here = Machine.here()
        own = (*self.databases(here), *self.folders(here))
        return resolved(str(path)) in (resolved(str(one)) for one in own)

    def where_to_put(self, file: SessionFile, machine: Machine) -> str | None:
        """Nowhere: a copy of one session in place of the agent's database would take all others away."""
        return None

    def way_back(self, file: SessionFile) -> WayBack | None:
        if file.path is None or is_lines(file.path):
            place = "folder" if file.opened is not None and file.opened.is_dir() else self.holder
            return WayBack(
                (),
                sentence=f"{self.title} does not read a file of lines: save into its {place} to resume this session.",
            )
        if self.in_place(file.path, file.session_id):
            return self.way_in_its_own(file)
        return self.way_in_another(file.path, file)

    @abstractmethod
    def way_in_its_own(self, file: SessionFile) -> WayBack | None:
        """How to resume a session of one of `databases`."""

    @abstractmethod
    def way_in_another(self, path: Path, file: SessionFile) -> WayBack | None:
        """How to resume a session of a database that lies elsewhere, such as a copy."""


class FolderAgent(DatabaseAgent):
    """An agent each of whose sessions is a folder of its own, in the first of its `roots`, named by its id."""

    holder = "folder"
    layout: FolderLayout

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        return ()

    def folders(self, machine: Machine) -> tuple[Path, ...]:
        entries = peek.entries(self.roots(machine)[0])
        return tuple(Path(one.path) for one in entries if peek.is_folder(one) and self.layout.claims(one.path))

    def in_place(self, path: Path, session_id: str) -> bool:
        return resolved(str(path.parent)) == resolved(str(self.roots(Machine.here())[0]))
