"""Saving a session of a folder: the files that fixes changed, exchanged together, and a backup of them first."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from toolpair.source.container import Container
from toolpair.source.document import Document
from toolpair.source.errors import Refused, SaveFailed, UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.folders.exchange import FileChange, Step, exchanging, finish_saves
from toolpair.source.folders.layout import FilesOfSession, is_inside, place, read_file
from toolpair.source.rows.backup import RowsBackup, made
from toolpair.source.rows.changes import RowChange, changes_between, moved_columns
from toolpair.source.rows.layout import Stored, Text
from toolpair.source.rows.records_save import RecordsSave
from toolpair.source.saving import descriptors
from toolpair.source.saving.backups import prune
from toolpair.source.saving.checks import changed, is_protected, refuse_folder
from toolpair.source.saving.file_names import KeptNames
from toolpair.source.saving.holders import Holder
from toolpair.source.saving.keeping import put_aside
from toolpair.source.saving.made import undone_on_failure
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.save_result import SaveResult
from toolpair.source.saving.streaming import Progress
from toolpair.source.saving.sweeping import sweep_folder
from toolpair.source.snapshot import Snapshot
from toolpair.source.system import Io, keeps_names

_SYSTEM: Final = Io()
_FILES: Final = "files"
"""What a backup calls the table of the files that it holds."""
_COPY: Final = "save a copy as NAME.jsonl"


def _no_step(name: str) -> None: ...


class FilesSave(RecordsSave):
    """One save of a session of a folder."""

    def __init__(
        self,
        snapshot: Snapshot,
        container: Container,
        documents: Sequence[Document],
        *,
        keep_backups: int | None = None,
        step: Step = _no_step,
        io: Io = _SYSTEM,
    ) -> None:
        super().__init__(snapshot, container, documents, keep_backups)
        stored: object = snapshot.rows
        assert isinstance(stored, FilesOfSession)
        self._stored = stored
        self._step = step
        self._io = io

    def write(self, progress: Progress | None = None) -> SaveResult:
        """Write the files. Raises Refused, SaveFailed, and what `progress` raises."""
        files, shown = self._stored, self._before.shown

        def wanted() -> list[FileChange]:
            rows = list(files.rows())
            if moved_columns(rows, self._base.records) != frozenset():
                raise Refused(changed(shown), "changed")
            by_uid = {record.uid: row for record, row in zip(self._base.records, rows, strict=True)}
            found = changes_between(self._base, self._now, by_uid, files.layout.tables, shown)
            return [_file_change(files, change, shown) for change in found]

        def is_as_seen() -> bool:
            rows = list(files.rows())
            return moved_columns(rows, self._now.records) == frozenset()

        what = "a file that cannot be read is in the way of another one; repair it, or set it aside"
        self.result = change_files(
            files.path,
            shown,
            files.session,
            wanted,
            is_as_seen,
            open_beside=files.layout.open_beside,
            state=files.state,
            in_the_way=self._in_the_way(what),
            aside=self._now.aside,
            keep_backups=self._keep_backups,
            progress=progress,
            size=self.size,
            step=self._step,
            io=self._io,
        )
        return self.result


def _file_change(files: FilesOfSession, change: RowChange, shown: str) -> FileChange:
    columns = change.after or change.before or {}
    path = files.layout.path_of(change.table, columns)
    contents = (_content(change.before), _content(change.after))
    if not is_inside(path) or any(part in ("", ".", "..") for part in path.split("/")):
        raise Refused(f"{shown} cannot be saved: a record of it has no name that a file can have; {_COPY}.", "form")
    return FileChange(path, *contents)


def _content(columns: object) -> bytes | None:
    found = columns.get("data", b"") if isinstance(columns, dict) else None
    return bytes(found) if isinstance(found, bytes) else None


def restore_files(folder: str, backup: str, held: RowsBackup, only_over: Snapshot | None = None) -> SaveResult:
    """Put the files back that a save changed, if they are still as it left them. Raises Refused or SaveFailed."""
    shown = only_over.shown if only_over is not None else folder
    files = only_over.rows if only_over is not None else None
    if only_over is not None and files is not None and only_over.identity != files.state():
        raise Refused(changed(shown), "changed")
    name = os.path.basename(backup)
    back = [FileChange(one.table, _kept(one.after), _kept(one.before)) for one in reversed(held.changes)]
    if not all(is_inside(change.path) for change in back):
        raise Refused(f"{name} is not a backup of {shown}; choose another one.", "form")

    def wanted() -> list[FileChange]:
        there = [_there(place(folder, change.path)) for change in back]
        if back and there == [change.after for change in back]:
            raise Refused(f"{shown} already holds the files that {name} would put back; nothing was written.", "same")
        if there != [change.before for change in back]:
            raise Refused(
                f"Files that {name} would put back have changed since that save; restore a newer backup first.",
                "changed",
            )
        return back

    def is_as_wanted() -> bool:
        return all(_there(place(folder, change.path)) == change.after for change in back)

    return change_files(folder, shown, held.session, wanted, is_as_wanted)


def _there(path: str) -> bytes | None:
    try:
        return read_file(path)
    except FileNotFoundError:
        return None


def _kept(columns: object) -> bytes | None:
    found = columns.get("content") if isinstance(columns, dict) else None
    return bytes(found) if isinstance(found, bytes) else None


def _as_row(change: FileChange) -> RowChange:
    """A file in a backup: a row of a table that is called as the file is."""

    def columns(content: bytes | None) -> dict[str, Stored] | None:
        return None if content is None else {"path": Text(change.path.encode()), "content": content}

    return RowChange(change.path, ("path",), columns(change.before), columns(change.after))


def change_files(
    folder: str,
    shown: str,
    session: str,
    wanted: Callable[[], list[FileChange]],
    is_as_seen: Callable[[], bool],
    *,
    open_beside: Sequence[str] = (),
    state: Callable[[], Identity] | None = None,
    in_the_way: str | None = None,
    aside: Sequence[bytes] = (),
    keep_backups: int | None = None,
    progress: Progress | None = None,
    size: int = 0,
    step: Step = _no_step,
    now: datetime | None = None,
    io: Io = _SYSTEM,
) -> SaveResult:
    """Exchange the files that `wanted` finds, together, and keep a backup. Raises Refused or SaveFailed.

    `is_as_seen` looks at the files before the exchange is final. `in_the_way` says why they may not be as they should,
    as a sentence, where that is known.
    """
    try:
        finished = finish_saves(folder, session, shown, io)
    except UnreadableFile as error:
        raise Refused(str(error), "held") from None
    if finished and state is not None:
        raise Refused(f"{finished[0]} {shown} is another one than the one opened; open it again.", "changed")
    if not os.path.isdir(folder):
        raise Refused(f"{folder} is no longer there; nothing was written.", "gone")
    advice = "save under a new name in another folder"
    refuse_folder(folder, shown, advice)
    refuse_folder(os.path.dirname(folder), folder, advice)
    refuse_held(folder, shown, open_beside)
    sweep_folder(os.path.dirname(folder), io)
    names = KeptNames(folder, now)
    with undone_on_failure(folder) as kept, exchanging(folder, session, shown, io) as exchange:
        kept.in_place = lambda: exchange.is_done
        step("read")
        try:
            changes = wanted()
        except FileNotFoundError:
            raise Refused(changed(shown), "changed") from None
        _refuse_unwritable(folder, changes)
        found = os.stat(folder)
        step("prepare")
        exchange.prepare(changes, shown)
        step("backup")
        backup = names.free("bak")
        kept.kept.append(backup)
        save_as(backup, [made(None, session, [_as_row(change) for change in changes])], mode=0o600, io=io)
        if hasattr(os, "chown"):
            with contextlib.suppress(OSError):
                os.chown(backup, found.st_uid, found.st_gid)
        aside_name = put_aside(aside, names, kept, io, found)
        refuse_held(folder, shown, open_beside)
        if progress is not None:
            progress(size)
        exchange.carry_out(step, shown)
        step("compare")
        if not is_as_seen():
            if in_the_way is not None:
                raise Refused(in_the_way, "in-the-way")
            raise SaveFailed(
                f"Saving {shown} failed (another program wrote to it at the same moment); the session is unchanged."
            )
        step("finish")
        exchange.finish()
        late = list(exchange.late())
        notes = [*finished, *exchange.notes]
        if late:
            late_name = put_aside(late, names, kept, io, found)
            notes.append(f"Another program wrote to the session during the save; what it wrote is only in {late_name}.")
    removed = prune(folder, backup, keep_backups, io) if keep_backups is not None else ()
    identity = state() if state is not None else Identity.of(os.stat(folder))
    beside = Path(aside_name) if aside_name is not None else None
    return SaveResult(Path(folder), Path(backup), tuple(notes), identity, beside, removed=removed)


def refuse_held(folder: str, shown: str, open_beside: Sequence[str]) -> None:
    """Refuse while another process uses the folder: agents keep the history in memory. Raises Refused."""
    if not descriptors.can_be_seen():
        return
    beside = os.path.dirname(folder)
    within = [os.path.join(folder, ""), *(os.path.join(beside, name, "") for name in open_beside)]
    holders = [Holder(pid, descriptors.name_of(pid)) for pid in descriptors.processes() if _uses(pid, within)]
    if holders:
        raise Refused(f"{shown} is in use by {', '.join(map(str, holders))}; close it first, or save a copy.", "held")


def _uses(pid: int, folders: Sequence[str]) -> bool:
    return any(path.startswith(folder) for path in descriptors.paths(pid) for folder in folders)


def _refuse_unwritable(folder: str, changes: Sequence[FileChange]) -> None:
    here = os.stat(folder)
    for change in changes:
        path = place(folder, change.path)
        above = os.path.dirname(path)
        above = above if os.path.isdir(above) else os.path.dirname(above)
        if os.stat(above).st_dev != here.st_dev:
            raise Refused(f"{above} is on another disk than {folder}; {_COPY}.", "form")
        if not os.access(above, os.W_OK | os.X_OK) or keeps_names(above):
            raise Refused(f"You are not allowed to write to {above}; {_COPY}.", "read-only")
        if change.before is None:
            continue
        found = os.lstat(path)
        if is_protected(os.stat(above), found):
            said = f"{path} belongs to another user, and in its folder only that user may replace it; {_COPY}."
            raise Refused(said, "read-only")
        if not stat.S_ISREG(found.st_mode) or not found.st_mode & 0o222 or not os.access(path, os.W_OK):
            raise Refused(f"{path} is read-only; make it writable, or {_COPY}.", "read-only")
        if found.st_nlink > 1:
            said = f"{path} has other names (hard links) that would keep the old content; {_COPY}."
            raise Refused(said, "form")
