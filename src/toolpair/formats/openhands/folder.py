"""The folder in which OpenHands keeps a conversation: `base_state.json`, and each event in a file of `events`."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from toolpair.formats.openhands.detection import EVENT, NAME, STATE, state_in
from toolpair.source import peek
from toolpair.source.folders.layout import FolderLayout, read_file
from toolpair.source.record_values import BOM, parse
from toolpair.source.rows.layout import Row, Stored, StoredSession, Table, Text
from toolpair.source.saving import holders

_STATE: Final = "base_state.json"
_EVENTS: Final = "events"
_LEASE: Final = "owner_lease.json"
_MARKED: Final = ".eventlog-len-{}.marker"
_MARK: Final = re.compile(r"\.eventlog-len-\d+\.marker")
_TABLES: Final = (Table(STATE, within=("folder",), json=("data",)), Table(EVENT, within=("folder",), json=("data",)))
_MOST_LOOKED_AT: Final = 50
"""Events from the end in which the user's last words are looked for."""


class OpenHandsFolder(FolderLayout):
    """A conversation, which is a folder of its own."""

    agent = "openhands"
    title = "the folder of a conversation of OpenHands"
    tables = _TABLES

    def claims(self, folder: str) -> bool:
        return os.path.isfile(os.path.join(folder, _STATE)) and bool(_names(folder))

    def meant(self, path: str) -> tuple[str, str] | None:
        name = os.path.normpath(path)
        whole = os.path.abspath(name)
        above = 2 if NAME.fullmatch(os.path.basename(whole)) else 1 if os.path.basename(whole) == _EVENTS else 0
        for _ in range(above):
            name, whole = os.path.dirname(name) or os.curdir, os.path.dirname(whole)
        folder = whole if name == os.curdir else name
        return (folder, os.path.basename(whole)) if above and self.claims(folder) else None

    def sessions(self, folder: str) -> Iterator[StoredSession]:
        states = [os.lstat(os.path.join(folder, _EVENTS, name)) for name in _names(folder)]
        last, size = max(one.st_mtime for one in states), sum(one.st_size for one in states)
        about = _about(folder).get("workspace")
        place = about.get("working_dir") if isinstance(about, dict) else None
        name = os.path.basename(os.path.abspath(folder))
        return iter([StoredSession(name, None, place if isinstance(place, str) else None, last, None, size)])

    def words(self, folder: str, session: str) -> str | None:
        for name in reversed(_names(folder)[-_MOST_LOOKED_AT:]):
            event = parse(read_file(os.path.join(folder, _EVENTS, name)))
            if not isinstance(event, dict) or event.get("source") != "user":
                continue
            message = event.get("llm_message")
            if words := peek.words_of(message.get("content") if isinstance(message, dict) else None):
                return words
        return None

    def files(self, folder: str, session: str) -> Iterator[Row]:
        if session == os.path.basename(os.path.abspath(folder)):
            state, event = _TABLES
            paths = (os.path.join(folder, _EVENTS, name) for name in _names(folder))
            marked = [place for place, path in enumerate(paths) if peek.head(path, 3) == BOM]
            facts = {"marked": marked} if marked else None
            yield Row(state, {"id": _stored(_STATE), "folder": _stored(session)}, facts)
            for name in _names(folder):
                yield Row(event, {"id": _stored(f"{_EVENTS}/{name}"), "folder": _stored(session)})

    def used_by(self, folder: str) -> str | None:
        """Its server renews a lease on each conversation that it has open, until it ends."""
        lease = peek.small_json(os.path.join(folder, _LEASE))
        until, pid = lease.get("expires_at"), lease.get("owner_pid")
        if not isinstance(until, int | float) or until < time.time():
            return None
        if lease.get("owner_host") != socket.gethostname() or not isinstance(pid, int):
            return "OpenHands' server"
        return None if holders.has_ended(pid) else f"OpenHands' server, process {pid}"

    @contextmanager
    def while_written(self, folder: str) -> Iterator[None]:
        """The mark of how many events there are: while it says what a program knows, it does not count them again, and
        would give its next event a number that is taken.
        """
        events = os.path.join(folder, _EVENTS)
        entries = [] if os.path.islink(events) else peek.entries(events)  # no event is written through a link
        marks = [one.path for one in entries if _MARK.fullmatch(one.name) and peek.regular(one)]
        for mark in marks:
            os.unlink(mark)
        try:
            yield
        finally:
            # Without one they are counted; it may be there again.
            with suppress(OSError):
                if marks:
                    open(os.path.join(events, _MARKED.format(len(_names(folder)))), "xb").close()

    def path_of(self, table: str, columns: Mapping[str, Stored]) -> str:
        stored = columns["id"]
        return os.fsdecode(stored) if isinstance(stored, bytes) else ""


def _about(folder: str) -> dict[str, Any]:
    return state_in({STATE: {"data": parse(read_file(os.path.join(folder, _STATE)))}})


def _stored(name: str) -> Text:
    return Text(os.fsencode(name))


def _names(folder: str) -> list[str]:
    """The names of the files of events, in order."""
    try:
        names = os.listdir(os.path.join(folder, _EVENTS))
    except OSError:
        return []
    found = ((int(match[1]), name) for name in names if (match := NAME.fullmatch(name)) is not None)
    return [name for _, name in sorted(found)]


OPENHANDS_FOLDER: Final = OpenHandsFolder()
