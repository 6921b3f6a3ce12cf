"""Replacing a file with new content, or with the changes made to it, and keeping the old one as a backup."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.byte_runs import Piece, chunks_of
from toolpair.source.container import Container
from toolpair.source.container_reading import read_container
from toolpair.source.document import Document
from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.packing import Packing, pack
from toolpair.source.saving.backups import prune
from toolpair.source.saving.checks import changed, refuse_links, refuse_unwritable
from toolpair.source.saving.file_names import KeptNames
from toolpair.source.saving.keeping import copy_old, flush_new_name, keep_old, put_aside
from toolpair.source.saving.made import Made, SaveResult, undone_on_failure
from toolpair.source.saving.opened_content import remembered
from toolpair.source.saving.replaced import Drained, Old, Replaced
from toolpair.source.saving.streaming import Differs, Progress, Source
from toolpair.source.saving.sweeping import sweep
from toolpair.source.saving.temporary import Temporary
from toolpair.source.snapshot import Snapshot, open_source
from toolpair.source.system import RENAMES_OPEN_FILES, SYSTEM, Io


def replace_file(
    old: Old,
    pieces: Iterable[Piece],
    *,
    source: int | None = None,
    now: datetime | None = None,
    io: Io = SYSTEM,
    allow_links: bool = False,
    aside: Sequence[bytes] = (),
    keep_backups: int | None = None,
    progress: Progress | None = None,
) -> SaveResult:
    """Replace a file, and keep it as a backup.

    `pieces` are the new content: new bytes, and runs of `source`, by default of the file being replaced. `aside` goes
    to a side file. `keep_backups` is the number of backups left afterwards, None for all. Raises Refused (nothing was
    written), SaveFailed (the message says which state the file is in), and whatever `progress` raises; it is called a
    last time just before the rename.
    """
    path = old.path
    names = KeptNames(path, now)
    with undone_on_failure(path) as made:
        replaced = Replaced(old, made, io)
        found = replaced.stat()
        refuse_unwritable(path, old.shown, found)
        replaced.lock()
        sweep(path, (found.st_dev, found.st_ino), io)
        replaced.names_removed(found)
        found = replaced.stat()
        notes: list[str] = []
        if refuse_links(old.shown, found, allow_links):
            notes.append(f"{old.shown} had other names (hard links); they still hold the old content.")
        replaced.refuse_writer()
        replaced.refuse_changed()
        new = Temporary(os.path.dirname(path), made, io)
        _write(new, pieces, replaced, old, source, progress)
        notes += new.take_on(found, replaced.descriptor)
        new.flush()
        aside_name = put_aside(aside, names, made, io, found)
        replaced.settle(new)
        backup, linked = keep_old(path, replaced.descriptor, old.shown, names, made, io)
        last = replaced.just_before(io.stat(backup) if linked else None)
        if progress is not None:
            progress(new.size)
        if not RENAMES_OPEN_FILES:
            made.close(replaced.descriptor)
        try:
            named = new.give_name(path, last)
        except FileNotFoundError:
            if made.is_in_place(path):
                raise
            named = False
        if not named:
            raise Refused(changed(old.shown), "changed")
        made.done = True
        notes += flush_new_name(path, io)
        if RENAMES_OPEN_FILES:
            backup, more = _after(replaced, new, backup, linked, names, made, io)
            notes += more
        identity = new.identity(path)
        new.release()
        if replaced.appended:
            notes.append(
                f"Another program has added {replaced.appended:,} bytes to {old.shown} since it was opened; they are "
                "kept after the new content, but were not checked: open it again."
            )
    removed = prune(path, backup, keep_backups, io) if keep_backups is not None else ()
    return SaveResult(
        Path(path),
        Path(backup),
        tuple(notes),
        identity,
        Path(aside_name) if aside_name is not None else None,
        replaced.appended,
        removed,
    )


def _write(
    new: Temporary,
    pieces: Iterable[Piece],
    replaced: Replaced,
    old: Old,
    source: int | None,
    progress: Progress | None,
) -> None:
    if source is None:
        content = old.content if isinstance(old.content, bytes) else None
        runs = Source(replaced.descriptor, content)
    else:
        runs = Source(source)
    try:
        new.write(pieces, runs, progress)
    except Differs:
        # The content of the file may have changed in between.
        replaced.refuse_changed()
        raise


def _after(
    replaced: Replaced, new: Temporary, backup: str, linked: bool, names: KeptNames, made: Made, io: Io
) -> tuple[str, list[str]]:
    """Copy what was appended to the old file until now. The save has happened, so a failure is only a note."""
    try:
        drained = replaced.drain(new, backup)
    except OSError:
        drained = Drained("left")
    if drained.late != "left" and not drained.held and not drained.unseen:
        return backup, []
    where = os.path.basename(backup)
    goes = f"goes to {where}" if linked else "is lost"
    notes: list[str] = []
    if drained.late == "left":
        if not linked:
            try:
                where = os.path.basename(copy_old(replaced.descriptor, replaced.stat(), names, made, io))
            except OSError as error:
                return backup, [
                    "Another program wrote to the old file during the save, and what it wrote is lost "
                    f"({error.strerror or error})."
                ]
        notes.append(f"Another program wrote to the old file during the save; what it wrote is only in {where}.")
    if drained.held:
        who = f"Another program ({drained.holders[0]})" if drained.holders else "Another program"
        notes.append(f"{who} still has the old file open: what it writes from now on {goes}; quit it.")
    if drained.unseen:
        notes.append(
            "The file belonged to another user, so toolpair cannot see whether a program still has it open: what such "
            f"a program writes from now on {goes}."
        )
    return backup, notes


class FileSave(Struct, eq=False):
    """One save of an opened file. Its steps share no state with anything else, and may run in another thread."""

    before: Snapshot
    container: Container
    documents: Sequence[Document]
    allow_links: bool = False
    keep_backups: int | None = None
    result: SaveResult | None = None
    """The result of `write`."""

    @property
    def size(self) -> int:
        """Roughly how many bytes are written."""
        return len(self.before.data)

    def write(self, progress: Progress | None = None) -> SaveResult:
        """Write the file. Raises Refused, SaveFailed, and what `progress` raises; see `replace_file`."""
        packed = self.before.packing is not None
        pieces: Iterable[Piece] = self.container.runs(self.documents)
        if packed:
            pieces = pack(chunks_of(pieces, self.before.data))
        old = Old.of(self.before, appendable=not packed and self.container.kind == "lines")
        self.result = replace_file(
            old,
            pieces,
            allow_links=self.allow_links,
            aside=tuple(piece for document in self.documents for piece in document.aside),
            keep_backups=self.keep_backups,
            progress=progress,
        )
        return self.result

    def read_again(self) -> tuple[Snapshot, Container]:
        """What the file holds now: what was written, and what others have appended. Call it after `write`."""
        assert self.result is not None
        try:
            snapshot = replace(open_source(self.result.path, self.before.limits), shown=self.before.shown)
            container = read_container(snapshot.data, snapshot.shown, limits=snapshot.limits)
        except UnreadableFile:
            return self._as_written(self.result.identity)
        if self.before.fingerprint is not None:
            snapshot = remembered(snapshot)
        return snapshot, container

    def _as_written(self, identity: Identity) -> tuple[Snapshot, Container]:
        """The content as written, when somebody has just removed the file or made it unreadable.

        No identity is attached to it, so that the next save compares contents.
        """
        data = b"".join(chunks_of(self.container.runs(self.documents), self.before.data))
        packing = Packing(b"", True) if self.before.packing is not None else None
        identity = Identity(identity.dev, identity.ino, 0 if packing else len(data), 0, 0)
        snapshot = replace(self.before, data=data, identity=identity, packing=packing, fingerprint=None)
        return snapshot, read_container(data, snapshot.shown, limits=snapshot.limits)
