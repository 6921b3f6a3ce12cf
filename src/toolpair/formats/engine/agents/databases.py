"""The databases and folders in which agents keep their sessions: whose one is, and what sessions it holds."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.formats import folder_layout, layouts
from toolpair.shell.program import command
from toolpair.source.addresses import divided, is_database, joined
from toolpair.source.databases import LOOKED_AT, name_of, tables_in
from toolpair.source.errors import UnreadableFile
from toolpair.source.rows.layout import Row, StoredSession, holds_rows, tables_of, those_there
from toolpair.source.rows.private_copy import Progress
from toolpair.source.rows.reading import reading
from toolpair.source.rows.session_rows import StoredRows
from toolpair.source.snapshot import why_not_opened
from toolpair.transcript.counting import plural

if TYPE_CHECKING:
    from toolpair.source.folders.layout import FolderLayout
    from toolpair.source.limits import Limits
    from toolpair.source.rows.layout import Layout
    from toolpair.source.snapshot import Snapshot, StoredRecords

AT_ONCE: Final = 100
"""Sessions of a database that are listed before the others are looked for."""
_EXPORT: Final = "export the session as JSON or JSONL first"


class _Holder(Struct, frozen=True):
    """A database or a folder, being read."""

    layout: Layout | FolderLayout
    sessions: Callable[[], Iterator[StoredSession]]
    newest: Callable[[int], Iterator[StoredSession]] | None
    """As many of them, without looking at all; None where they are all to be looked at."""
    there: Callable[[set[str]], set[str]]
    """Those of these ids that sessions have."""
    words: Callable[[str], str | None]
    rows: Callable[[str], Iterator[Row]]
    stored: Callable[[str, Limits], StoredRecords]
    moved_to: Callable[[str], str | None]
    """Where a session is by now, if its agent no longer reads it here."""


@cache
def all_layouts() -> tuple[Layout, ...]:
    """What is known of agents' databases, in the order in which they are tried."""
    return tuple(layouts())


def open_stored(
    path: str, session: str | None, shown: str, limits: Limits, progress: Progress | None = None
) -> Snapshot:
    """A session of a database or a folder; without a name its only one. Raises Unreadable with one sentence.

    `progress` gets bytes read so far; what it raises ends the reading.
    """
    path = os.path.realpath(path)
    with _holding(path, shown, progress) as holder:
        # The others are only looked through for an id that is not whole.
        if session is None or next(iter(holder.rows(session)), None) is None:
            found = _listed(holder)
            if session:
                session = _meant(session, found.sessions, path)
            else:
                shown, _ = divided(shown)
                session = _only(found, shown)
                shown = joined(shown, session)
        moved = holder.moved_to(session)
        if moved is not None:
            raise UnreadableFile(
                f"{shown} is left over: its agent has moved this session into a database, and reads it there alone; "
                f"open {moved}."
            )
        stored = holder.stored(session, limits)
    return stored.read(shown, progress)


class Listed(Struct, frozen=True):
    """What a database or a folder holds."""

    layout: Layout | FolderLayout
    sessions: list[StoredSession]
    """The newest first."""
    nameless: int
    """How many more there are whose id is no text."""

    def notice_on(self, shown: str) -> str | None:
        """A sentence on the sessions that cannot be opened."""
        if not self.nameless:
            return None
        its = "its id is" if self.nameless == 1 else "their ids are"
        return f"{plural(self.nameless, 'session')} in {shown} cannot be opened: {its} not text."


def sessions_in(path: str, shown: str, progress: Progress | None = None) -> Listed:
    """The sessions of a database or a folder. Raises Unreadable with one sentence."""
    with _holding(path, shown, progress) as holder:
        return _listed(holder)


def _listed(holder: _Holder) -> Listed:
    return _named(holder, list(holder.sessions()))


def _named(holder: _Holder, found: list[StoredSession]) -> Listed:
    named = [one for one in found if not one.nameless]
    return Listed(holder.layout, named, len(found) - len(named))


def pages_in(path: str, shown: str) -> Iterator[Listed]:
    """The sessions that no other one started: the newest of many at once, then the others. Only the last page counts
    those without a name. Raises Unreadable.
    """
    given: set[str] = set()
    with _holding(path, shown, None) as holder:
        newest = [] if holder.newest is None else list(holder.newest(AT_ONCE))
        is_all = holder.newest is None or len(newest) < AT_ONCE
        found = _listed(holder) if holder.newest is None else _named(holder, newest)
        if not is_all:
            there = holder.there({one.parent for one in newest if one.parent})
            found = Listed(holder.layout, _started_by_none(found.sessions, there), 0)
            given = {one.id for one in found.sessions}
    if not is_all:
        yield found
        found = sessions_in(path, shown)
    rest = [one for one in top_level(found.sessions) if one.id not in given]
    yield Listed(found.layout, rest, found.nameless)


def top_level(found: list[StoredSession]) -> list[StoredSession]:
    """The sessions that no other one started; one whose parent is gone counts, and all where there is no other."""
    return _started_by_none(found, {one.id for one in found}) or found


def _started_by_none(found: list[StoredSession], there: set[str]) -> list[StoredSession]:
    return [one for one in found if one.parent is None or (one.parent and one.parent not in there)]


def words_of(path: str, *sessions: str) -> list[str | None]:
    """The user's last text in each of these sessions. Raises Unreadable."""
    with _holding(path, path, None) as holder:
        return [holder.words(session) for session in sessions]


def holds_only(path: str, session: str) -> bool:
    """Whether a database holds this session alone, as a copy of it does, and nothing of anybody else's in any table.

    Raises Unreadable.
    """
    with reading(path, path) as (connection, _):
        layout = _readable(connection, path, path)
        if [(one.id, one.nameless) for one in layout.sessions(connection)] != [(session, False)]:
            return False
        parts = (part.table for table in layout.tables for part in table.parts)
        return not holds_rows(connection, {*layout.besides, *(table.name for table in layout.tables), *parts})


def has_moved(path: str, session: str) -> bool:
    """Whether a session's agent reads it elsewhere by now. Raises Unreadable."""
    with _holding(path, path, None) as holder:
        return holder.moved_to(session) is not None


@contextmanager
def _holding(path: str, shown: str, progress: Progress | None) -> Iterator[_Holder]:
    folder = folder_layout(path)
    if folder is not None:
        try:
            yield _of_folder(folder, path)
        except OSError as error:
            raise UnreadableFile(why_not_opened(str(error.filename or shown), error)) from None
        return
    with reading(path, shown, progress) as (connection, _):
        layout = _readable(connection, path, shown)
        yield _Holder(
            layout,
            partial(layout.sessions, connection),
            partial(layout.sessions, connection),
            partial(those_there, connection, layout.tables[0]),
            partial(layout.words, connection),
            partial(layout.rows, connection),
            lambda session, limits: StoredRows(layout, path, session, limits),
            lambda session: None,
        )


def _of_folder(layout: FolderLayout, folder: str) -> _Holder:
    from toolpair.source.folders.stored_session import StoredFiles

    return _Holder(
        layout,
        partial(layout.sessions, folder),
        None,
        lambda ids: ids,
        partial(layout.words, folder),
        partial(layout.files, folder),
        lambda session, limits: StoredFiles(layout, folder, session, limits),
        partial(layout.moved_to, folder),
    )


def _readable(connection: sqlite3.Connection, path: str, shown: str) -> Layout:
    layout = _layout(connection, path, shown)
    refusal = layout.refusal(connection)
    if refusal is not None:
        raise UnreadableFile(f"{shown} is {layout.title}, {refusal}.")
    return layout


def _layout(connection: sqlite3.Connection, path: str, shown: str) -> Layout:
    tables = tables_of(connection)
    found = next((layout for layout in all_layouts() if layout.claims(tables, connection)), None)
    if found is not None:
        return found.of(tables, connection)
    with open(path, "rb") as file:
        known = name_of(file.read(LOOKED_AT))
    if known is not None:
        raise UnreadableFile(
            f"{shown} is {known}, which toolpair cannot read yet; give it a request that the agent sent, as JSON, if "
            "you have one in a log."
        )
    raise UnreadableFile(f"{shown} is an SQLite database, but no agent's that is known; {_EXPORT}.")


def _meant(name: str, found: list[StoredSession], path: str) -> str:
    exact = [one.id for one in found if one.id == name]
    best = exact or [one.id for one in found if one.id.startswith(name)]
    if len(best) == 1:
        return best[0]
    if not best:
        raise UnreadableFile(f"{path} has no session {name!r}; {_listing(path)}.")
    raise UnreadableFile(f"{path} has {len(best):,} sessions whose ids begin with {name!r}; give more of the id.")


def _only(found: Listed, shown: str) -> str:
    own = top_level(found.sessions)
    if not own:
        raise UnreadableFile(found.notice_on(shown) or f"There are no sessions in {shown}.")
    if len(own) > 1:
        raise UnreadableFile(
            f"{shown} holds {len(own):,} sessions; name one as {joined(shown, own[0].id)}, {_listing(shown)}."
        )
    return own[0].id


def _listing(path: str) -> str:
    return f"`{command('sessions')} {path}` lists them"


def holds_sessions(path: str) -> bool:
    """Whether it is a database, or a folder of sessions."""
    return is_database(path) or folder_layout(path) is not None


def looks_known(path: str) -> bool:
    """Whether a database may be an agent's, by a quick look: its tables are in its beginning, or wait beside it."""
    with open(path, "rb") as file:
        beginning = file.read(LOOKED_AT)
    known = {table.name.lower().encode() for layout in all_layouts() for table in layout.tables}
    named = any(layout.column and layout.column.encode() in beginning for layout in all_layouts())
    return named or bool(known & tables_in(beginning)) or os.path.exists(os.path.realpath(path) + "-wal")


def named_sessions(path: str) -> tuple[list[str], str | None]:
    """The names of all sessions in a database or a folder, and a sentence on those without. Raises Unreadable."""
    found = sessions_in(path, path)
    return [joined(path, one.id) for one in found.sessions], found.notice_on(path)
