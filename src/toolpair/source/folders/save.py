"""Changing the files of a session in a folder: exchanged together, with a backup of them first."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Final

from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.folders.exchange import FileChange, exchanging, finish_saves
from toolpair.source.folders.layout import FolderLayout, is_inside, place, read_file
from toolpair.source.folders.stored_session import StoredFiles
from toolpair.source.rows.backup import RowsBackup, made
from toolpair.source.rows.changes import RowChange, changes_between, moved_columns
from toolpair.source.rows.layout import Stored, Text
from toolpair.source.rows.records_save import RecordsChange, RecordsSave
from toolpair.source.saving.checks import changed, is_protected, refuse_folder
from toolpair.source.saving.file_names import KeptNames
from toolpair.source.saving.holders import holders, paths
from toolpair.source.saving.keeping import put_aside
from toolpair.source.saving.made import SaveResult, undone_on_failure
from toolpair.source.saving.streaming import Progress
from toolpair.source.saving.sweeping import sweep_folder
from toolpair.source.snapshot import Snapshot
from toolpair.source.system import keeps_names

_COPY: Final = "save a copy as NAME.jsonl"


class FilesChange(RecordsChange):
    """A change of files; `path` is the folder."""

    @property
    def files(self) -> StoredFiles | None:
        """The session that was opened; None where a backup is put back."""
        return None

    @property
    def layout(self) -> FolderLayout | None:
        """What is known of the folder."""
        return self.files.layout if self.files is not None else None

    def wanted(self) -> list[FileChange]:
        """What is to be changed. Raises Refused, and FileNotFoundError where files are gone."""
        raise NotImplementedError

    def is_as_wanted(self) -> bool:
        """Whether the files are as they should be, before the exchange is final."""
        raise NotImplementedError

    def state(self) -> Identity:
        return self.files.state() if self.files is not None else Identity.of(os.stat(self.path))

    def carry_out(self, progress: Progress | None = None) -> SaveResult:
        folder, shown, io = self.path, self.shown, self.io
        layout = self.layout
        try:
            finished = finish_saves(folder, self.session, shown, io)
        except UnreadableFile as error:
            raise Refused(str(error), "held") from None
        if finished and self.files is not None:
            raise Refused(f"{finished[0]} {shown} is another one than the one opened; open it again.", "changed")
        if not os.path.isdir(folder):
            raise Refused(f"{folder} is no longer there; nothing was written.", "gone")
        advice = "save under a new name in another folder"
        refuse_folder(folder, shown, advice)
        refuse_folder(os.path.dirname(folder), folder, advice)
        refuse_held(folder, shown, layout)
        sweep_folder(os.path.dirname(folder), io)
        names = KeptNames(folder, None)
        with undone_on_failure(folder) as kept, exchanging(folder, self.session, shown, io) as exchange:
            kept.in_place = lambda: exchange.is_done
            self.step("read")
            try:
                changes = self.wanted()
            except FileNotFoundError:
                raise Refused(changed(shown), "changed") from None
            _refuse_unwritable(folder, changes)
            found = os.stat(folder)
            self.step("prepare")
            exchange.prepare(changes, shown)
            backup, aside = self.keep(lambda: made(None, self.session, list(map(_as_row, changes))), found, names, kept)
            refuse_held(folder, shown, layout)
            if progress is not None:
                progress(self.size)
            with layout.while_written(folder) if layout is not None else nullcontext():
                exchange.carry_out(self.step, shown)
                self.step("compare")
                if not self.is_as_wanted():
                    why = "another program wrote to it at the same moment"
                    raise self.not_as_wanted(why, "the session is unchanged")
                self.step("finish")
                exchange.finish()
            late = list(exchange.late())
            notes = [*finished, *exchange.notes]
            if late:
                late_name = put_aside(late, names, kept, io, found)
                notes.append(
                    f"Another program wrote to the session during the save; what it wrote is only in {late_name}."
                )
        return self.done(backup, aside, notes)


class FilesSave(RecordsSave, FilesChange):
    """One save of a session of a folder."""

    blocked_by = "a file that cannot be read is in the way of another one; repair it, or set it aside"

    @property
    def files(self) -> StoredFiles:
        assert isinstance(self.stored, StoredFiles)
        return self.stored

    def wanted(self) -> list[FileChange]:
        files = self.files
        rows = list(files.rows())
        if moved_columns(rows, self.base.records) != frozenset():
            raise Refused(changed(self.shown), "changed")
        by_uid = {record.uid: row for record, row in zip(self.base.records, rows, strict=True)}
        held = {files.layout.path_of(row.table.name, row.columns): _bytes_in(row.columns, "data") for row in rows}
        found = changes_between(self.base, self.now, by_uid, files.layout.tables, self.shown)
        changes = self._file_changes(found, held)
        if any(one.before is None and os.path.lexists(place(self.path, one.path)) for one in changes):
            raise Refused(self.in_the_way() or changed(self.shown), "in-the-way")
        return changes

    def _file_changes(self, found: Sequence[RowChange], held: Mapping[str, bytes | None]) -> list[FileChange]:
        """What becomes of each file. A record that has another name now leaves its file, which another may get."""
        after: dict[str, bytes | None] = {}
        for change in found:
            old, new = (self._path(change.table, columns) for columns in (change.before, change.after))
            if old is not None:
                after.setdefault(old, None)
            if new is not None:
                columns = change.after or {}
                after[new] = _bytes_in(columns, "data") if "data" in columns or old is None else held[old]
        # Where records move to the names of those behind them, the last one goes first: a kill leaves none out.
        changes = [FileChange(path, held.get(path), content) for path, content in reversed(after.items())]
        return sorted(changes, key=lambda one: one.before is not None)

    def _path(self, table: str, columns: Mapping[str, Stored] | None) -> str | None:
        """Where a record's file is; None for a record that is not there. Raises Refused."""
        if columns is None:
            return None
        path = self.files.layout.path_of(table, columns)
        if not is_inside(path) or any(part in ("", ".", "..") for part in path.split("/")):
            said = f"{self.shown} cannot be saved: a record of it has no name that a file can have; {_COPY}."
            raise Refused(said, "form")
        return path

    def is_as_wanted(self) -> bool:
        return moved_columns(list(self.files.rows()), self.now.records) == frozenset()


def _bytes_in(columns: Mapping[str, Stored] | None, name: str) -> bytes | None:
    found = None if columns is None else columns.get(name, b"")
    return bytes(found) if isinstance(found, bytes) else None


class _FilesBack(FilesChange):
    """Putting back the files that a save changed."""

    def __init__(self, folder: str, shown: str, backup: str, held: RowsBackup, layout: FolderLayout | None) -> None:
        super().__init__(folder, shown, held.session)
        self._layout = layout
        self._name = os.path.basename(backup)
        self._back = [
            FileChange(one.table, _bytes_in(one.after, "content"), _bytes_in(one.before, "content"))
            for one in reversed(held.changes)
        ]
        if not all(is_inside(change.path) for change in self._back):
            raise Refused(f"{self._name} is not a backup of {shown}; choose another one.", "form")

    @property
    def layout(self) -> FolderLayout | None:
        return self._layout

    def wanted(self) -> list[FileChange]:
        back = self._back
        there = [_there(place(self.path, change.path)) for change in back]
        if back and there == [change.after for change in back]:
            raise Refused(
                f"{self.shown} already holds the files that {self._name} would put back; nothing was written.", "same"
            )
        if there != [change.before for change in back]:
            raise Refused(
                f"Files that {self._name} would put back have changed since that save; restore a newer backup first.",
                "changed",
            )
        return back

    def is_as_wanted(self) -> bool:
        return all(_there(place(self.path, change.path)) == change.after for change in self._back)


def restore_files(
    folder: str, backup: str, held: RowsBackup, only_over: Snapshot | None = None, layout: FolderLayout | None = None
) -> SaveResult:
    """Put the files back that a save changed, if they are still as it left them. Raises Refused or SaveFailed."""
    shown = only_over.shown if only_over is not None else folder
    files = only_over.rows if only_over is not None else None
    if only_over is not None and files is not None and only_over.identity != files.state():
        raise Refused(changed(shown), "changed")
    return _FilesBack(folder, shown, backup, held, layout).carry_out()


def _there(path: str) -> bytes | None:
    try:
        return read_file(path)
    except FileNotFoundError:
        return None


def _as_row(change: FileChange) -> RowChange:
    """A file in a backup: a row of a table that is called as the file is."""

    def columns(content: bytes | None) -> dict[str, Stored] | None:
        return None if content is None else {"path": Text(change.path.encode()), "content": content}

    return RowChange(change.path, ("path",), columns(change.before), columns(change.after))


def refuse_held(folder: str, shown: str, layout: FolderLayout | None) -> None:
    """Refuse while another process uses the folder: agents keep the history in memory. Raises Refused."""
    parent, open_beside = os.path.dirname(folder), layout.open_beside if layout is not None else ()
    within = [os.path.join(folder, ""), *(os.path.join(parent, name, "") for name in open_beside)]
    found = list(map(str, holders(lambda pid: any(path.startswith(tuple(within)) for path in paths(pid)))))
    owner = layout.used_by(folder) if layout is not None and not found else None
    if found or owner is not None:
        raise Refused(f"{shown} is in use by {owner or ', '.join(found)}; close it first, or save a copy.", "held")


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
