"""The folder of JSON files in which opencode kept its sessions before 1.2, and what of it makes a session."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NoReturn

from toolpair.formats.engine.reading.clock import milliseconds_in
from toolpair.formats.engine.reading.stored_rows import object_in
from toolpair.formats.opencode.detection import MESSAGE, PART, SESSION
from toolpair.source import peek
from toolpair.source.addresses import joined
from toolpair.source.errors import UnreadableFile
from toolpair.source.folders.layout import FolderLayout, place, read_file
from toolpair.source.record_values import BOM
from toolpair.source.rows.layout import Row, Stored, StoredSession, Table, Text, tables_of, text
from toolpair.source.rows.reading import reading

_SESSION: Final = Table(SESSION, within=("project_id",), json=("data",), whole=True)
_MESSAGE: Final = Table(MESSAGE, within=("session_id",), json=("data",), whole=True)
_PART: Final = Table(PART, within=("message_id",), json=("data",))
_ENDS: Final = ".json"
_OLDER: Final = ("session", "info")
_MIGRATION: Final = "migration"
"""The file with the number of the layout, without which the agent makes the folder over."""
_OF_A_SESSION: Final = ("todo", "session_diff")
"""What else it keeps of a session: its list of things to do, and what it has changed in files."""
_WORDS_OF: Final = 20
"""How many messages are looked at for the user's last text."""
_NAMED: Final = 3
"""How many files that are in the way are named."""
_MEASURED: Final = 300
"""Of up to this many sessions in a folder, the sizes of all parts are added up."""
_USUAL: Final = 4096
"""Bytes that a message has otherwise."""


class OpencodeFolder(FolderLayout):
    """`session/PROJECT/ID.json`, `message/SESSION/ID.json`, `part/MESSAGE/ID.json`. No other file is read.

    The agent leaves the parts of messages that were undone, and never reads them again; nor are they read here.
    """

    tables = (_SESSION, _MESSAGE, _PART)
    open_beside = ("log",)

    def __init__(self, agent: str, title: str, name: str) -> None:
        self.agent, self.title, self._name = agent, title, name
        self._is_kilo = name == "kilo"

    def claims(self, folder: str) -> bool:
        is_kilos = os.path.basename(os.path.dirname(os.path.realpath(folder))) == "kilo"
        if is_kilos is not self._is_kilo or not os.path.isdir(os.path.join(folder, MESSAGE)):
            return False
        projects = _names(os.path.join(folder, SESSION), folders=True)
        return any(_has_session(os.path.join(folder, SESSION, project)) for project in projects)

    def meant(self, path: str) -> tuple[str, str] | None:
        name = os.path.normpath(path)
        depth = 3 if name.endswith(_ENDS) else 2
        name = name if name.count(os.sep) >= depth else os.path.abspath(name)
        *folder, kind = name.split(os.sep)[: 1 - depth]
        id_ = os.path.basename(name).removesuffix(_ENDS)
        found = os.sep.join(folder) or os.sep
        is_one = kind == (SESSION if depth == 3 else MESSAGE) and _is_id(id_, "ses")
        return (found, id_) if is_one and self.claims(found) else None

    def moved_to(self, folder: str, session: str) -> str | None:
        beside = os.path.dirname(os.path.realpath(folder))
        for name in sorted(_names(beside)):
            path = os.path.join(beside, name)
            if not (name.startswith(self._name) and name.endswith(".db")):
                continue
            try:
                with reading(path, path) as (connection, _):
                    if "id" not in tables_of(connection).get(SESSION, ()):
                        continue
                    if connection.execute("SELECT 1 FROM session WHERE id = ?", (session,)).fetchone():
                        return joined(path, session)
            except (UnreadableFile, sqlite3.Error):
                continue
        return None

    def sessions(self, folder: str) -> Iterator[StoredSession]:
        ids = list(self._ids(folder))
        is_measured = len(ids) <= _MEASURED
        listed = (self._listed(folder, project, id_, is_measured) for project, id_ in ids)
        found = [one for one in listed if one is not None]
        return iter(sorted(found, key=lambda one: (-one.modified, one.id)))

    def _ids(self, folder: str) -> Iterator[tuple[str, str]]:
        for project in sorted(_names(os.path.join(folder, SESSION), folders=True)):
            yield from ((project, id_) for id_ in self._in(folder, SESSION, project) if _is_id(id_, "ses"))

    def _listed(self, folder: str, project: str, id_: str, is_measured: bool) -> StoredSession | None:
        path = os.path.join(folder, SESSION, project, id_ + _ENDS)
        try:
            data = _object_in(path)
            modified = os.stat(path).st_mtime
        except OSError:
            return None
        time = data.get("time")
        at = milliseconds_in(time, "updated") or modified
        title, directory, parent = (_text(data.get(key)) or None for key in ("title", "directory", "parentID"))
        messages = self._in(folder, MESSAGE, id_)
        size = sum(map(partial(self._size_of_parts, folder), messages)) if is_measured else len(messages) * _USUAL
        return StoredSession(id_, title, directory, at, parent, size)

    def _size_of_parts(self, folder: str, message: str) -> int:
        return sum(_size(os.path.join(folder, PART, message, part) + _ENDS) for part in self._in(folder, PART, message))

    def words(self, folder: str, session: str) -> str | None:
        for id_ in list(reversed(self._in(folder, MESSAGE, session)))[:_WORDS_OF]:
            if self._object(folder, MESSAGE, session, id_).get("role") != "user":
                continue
            parts = (self._object(folder, PART, id_, part) for part in self._in(folder, PART, id_))
            said = [one for one in parts if one.get("type") == "text" and not one.get("synthetic")]
            words = peek.one_line(" ".join(_text(one.get("text")) for one in said))
            if words is not None:
                return words
        return None

    def _object(self, folder: str, *names: str) -> dict[str, Any]:
        try:
            return _object_in(os.path.join(folder, *names) + _ENDS)
        except OSError:
            return {}

    def files(self, folder: str, session: str) -> Iterator[Row]:
        projects = sorted(_names(os.path.join(folder, SESSION), folders=True))
        paths = ((project, os.path.join(folder, SESSION, project, session + _ENDS)) for project in projects)
        project = next((project for project, path in paths if peek.regular_file(path) is not None), None)
        if project is None or not _is_id(session, "ses"):
            return
        names = _names(os.path.join(folder, MESSAGE, session))
        messages = _ids_of(names)
        parts = {id_: _names(os.path.join(folder, PART, id_)) for id_ in messages}
        facts: dict[str, Any] = {"folder": True, **({"kilo": True} if self._is_kilo else {})}
        # What the agent takes for a record by its place, and then does not find by its name.
        places = [(MESSAGE, session, names), *((PART, id_, found) for id_, found in parts.items())]
        strays = (f"{kind}/{above}/{n}" for kind, above, found in places for n in found if not n.endswith(_ENDS))
        if first := sorted(strays)[:_NAMED]:
            facts["strays"] = first
        yield Row(_SESSION, {"id": _stored(session), "project_id": _stored(project)}, facts)
        of = {"session_id": _stored(session)}
        for id_ in messages:
            yield Row(_MESSAGE, {"id": _stored(id_), **of})
            for part in _ids_of(parts.pop(id_)):
                yield Row(_PART, {"id": _stored(part), "message_id": _stored(id_), **of})

    def beside(self, folder: str, session: str) -> Iterator[str]:
        projects = sorted(_names(os.path.join(folder, SESSION), folders=True))
        of = (one for one in projects if session in self._in(folder, SESSION, one))
        own = [f"{kind}/{session}{_ENDS}" for kind in _OF_A_SESSION]
        found = [f"project/{one}{_ENDS}" for one in of], own, [_MIGRATION]
        yield from (path for paths in found for path in paths if peek.regular_file(place(folder, path)) is not None)

    def path_of(self, table: str, columns: Mapping[str, Stored]) -> str:
        above = {SESSION: "project_id", MESSAGE: "session_id", PART: "message_id"}[table]
        return f"{table}/{_name(columns[above])}/{_name(columns['id'])}{_ENDS}"

    def _in(self, folder: str, *names: str) -> list[str]:
        """The ids of the files there, in order."""
        return _ids_of(_names(os.path.join(folder, *names)))


def _ids_of(names: Iterable[str]) -> list[str]:
    """The ids of the files with these names, in order."""
    return sorted(name.removesuffix(_ENDS) for name in names if name.endswith(_ENDS) and name != _ENDS)


def _names(folder: str, folders: bool = False) -> set[str]:
    """The names of the regular files, or of the folders, that are not hidden; empty if it is none."""
    try:
        with os.scandir(folder) as entries:
            return {
                entry.name
                for entry in entries
                if not entry.name.startswith(".")
                and (peek.is_folder(entry) if folders else entry.is_file(follow_symlinks=False))
            }
    except (FileNotFoundError, NotADirectoryError):
        return set()


def _has_session(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(_is_id(entry.name, "ses") and entry.name.endswith(_ENDS) for entry in entries)
    except OSError:
        return False


def _object_in(path: str) -> dict[str, Any]:
    """What a file says. Raises OSError."""
    return object_in(read_file(path).removeprefix(BOM))


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _is_id(name: str, kind: str) -> bool:
    return name.startswith(f"{kind}_")


def _stored(name: str) -> Text:
    return Text(os.fsencode(name))


def _name(stored: Stored) -> str:
    return os.fsdecode(stored) if isinstance(stored, bytes) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else text(value)


OPENCODE_FOLDER: Final = OpencodeFolder("opencode", "opencode's folder of sessions", "opencode")
KILO_FOLDER: Final = OpencodeFolder("kilo-cli", "Kilo's folder of sessions", "kilo")


# --- before 0.6 ----------------------------------------------------------------------------------------------


class OpencodeOlderFolder(FolderLayout):
    """A folder for each project, recognised and not read: `project/NAME/storage`.

    In it are `session/info/ID.json`, `session/message/…` and `session/part/…`.
    """

    agent = "opencode"
    title = "opencode's folder of sessions from before 0.6"

    def claims(self, folder: str) -> bool:
        try:
            names = os.listdir(os.path.join(folder, *_OLDER))
        except OSError:
            return False
        return any(name.startswith("ses_") and name.endswith(_ENDS) for name in names)

    def meant(self, path: str) -> tuple[str, str] | None:
        folder, *inside = os.path.abspath(path).rsplit(os.sep, 3)
        is_one = tuple(inside[:2]) == _OLDER and inside[2].endswith(_ENDS)
        return (folder, inside[2].removesuffix(_ENDS)) if is_one and self.claims(folder) else None

    def sessions(self, folder: str) -> Iterator[StoredSession]:
        _refuse(folder)

    def files(self, folder: str, session: str) -> Iterator[Row]:
        _refuse(folder)


def _refuse(folder: str) -> NoReturn:
    raise UnreadableFile(
        f"{folder} is opencode's folder of sessions from before 0.6; start opencode 1.1.65 once (`npx "
        "opencode-ai@1.1.65 session list`), which copies the sessions of Git repositories into the folder storage, and "
        "open them there."
    )


OPENCODE_OLDER_FOLDER: Final = OpencodeOlderFolder()
