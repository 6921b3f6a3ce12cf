"""What has to be known of an agent's folder of sessions, and how its files become rows."""

from __future__ import annotations

import errno
import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from msgspec.structs import replace

from toolpair.source.record_values import BOM
from toolpair.source.rows.layout import MarkedText, Row, Stored, StoredSession, Table, Text
from toolpair.source.system import O_NOFOLLOW, O_WAITLESS

_INSIDE: Final = re.compile(r"(?:[^/\\\0.][^/\\\0]*/){0,3}[^/\\\0.][^/\\\0]*\.json")


class FolderLayout(ABC):
    """How one agent keeps sessions in files of a folder. Methods that read may raise OSError."""

    agent: str | None = None
    """The id of the agent whose folder it is; None where any program may keep such a one."""
    writer = ""
    """The library that writes it, where that is no agent."""
    title: str
    """What such a folder is, in a sentence."""
    tables: Sequence[Table] = ()
    """The kinds of files; the JSON of each is its row's last column."""
    kin = ("session of a sub-agent", "sessions of sub-agents")
    """What `left_out` names: one, and several."""
    open_beside: Sequence[str] = ()
    """Neighbouring folders in which the agent keeps a file open while it runs."""

    is_copied_whole = False
    """A copy of a session is made of all files of its folder as they are, since none is ever written."""

    @abstractmethod
    def claims(self, folder: str) -> bool:
        """Whether the folder is this agent's."""

    @abstractmethod
    def meant(self, path: str) -> tuple[str, str] | None:
        """The folder and the session that a path in such a folder means."""

    def moved_to(self, folder: str, session: str) -> str | None:
        """The database that holds this session by now: the agent no longer reads its files."""
        return None

    @abstractmethod
    def sessions(self, folder: str) -> Iterator[StoredSession]:
        """All sessions, the one used last first."""

    def words(self, folder: str, session: str) -> str | None:
        """The user's last text in a session."""
        return None

    @abstractmethod
    def files(self, folder: str, session: str) -> Iterator[Row]:
        """The files that make a session as rows without their content: its own, then the others in the order in which
        the agent reads them. Nothing if there is no such session.
        """

    def beside(self, folder: str, session: str) -> Iterator[str]:
        """The paths of the other files that a folder with this session alone needs."""
        return iter(())

    def left_out(self, folder: str, session: str) -> Sequence[str]:
        """What belongs with the session, but is not copied with it."""
        return [one.id for one in self.sessions(folder) if one.parent == session]

    def used_by(self, folder: str) -> str | None:
        """The program that has it open, as a file in the folder says; None where none says so."""
        return None

    def while_written(self, folder: str) -> AbstractContextManager[None]:
        """Within it files are exchanged: what else in the folder says something of them is made anew."""
        return nullcontext()

    def opened_by(self, folder: str) -> str | None:
        """How the library that writes such folders opens one, a sentence; None where an agent does."""
        return None

    def path_of(self, table: str, columns: Mapping[str, Stored]) -> str:
        """Where in the folder the file of a row is, with slashes."""
        raise NotImplementedError


def is_inside(path: str) -> bool:
    """Whether it is the path of a record's file: up to four names, none of them hidden."""
    return _INSIDE.fullmatch(path) is not None


def place(folder: str, path: str) -> str:
    return os.path.join(folder, path.replace("/", os.sep))


def read_file(path: str) -> bytes:
    """The content of a regular file; a link is not followed. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    with open(descriptor, "rb", buffering=0) as file:
        return file.readall()


def row_with_content(layout: FolderLayout, folder: str, row: Row) -> Row:
    """The row of a file with what it says, unless it has that already. Raises OSError."""
    if row.table.json[-1] in row.columns:
        return row
    content = read_file(place(folder, layout.path_of(row.table.name, row.columns)))
    kind = MarkedText if content.startswith(BOM) else Text
    return replace(row, columns={**row.columns, row.table.json[-1]: kind(content)})
