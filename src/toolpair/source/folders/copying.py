"""A session of a folder in a new folder of its own, with nobody else's files."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from toolpair.source.addresses import DATABASES
from toolpair.source.container import Container
from toolpair.source.document import Document
from toolpair.source.errors import Refused
from toolpair.source.fingerprint import Identity
from toolpair.source.folders.layout import place, read_file
from toolpair.source.folders.save import FilesSave
from toolpair.source.folders.stored_session import StoredFiles
from toolpair.source.packing import SUFFIX
from toolpair.source.saving.checks import refuse_folder, refuse_name
from toolpair.source.saving.file_names import temporary_name
from toolpair.source.saving.made import SaveResult, undone_on_failure
from toolpair.source.saving.new_file import refuse_name_of_session
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.counting import plural

_NAMED: Final = 3
"""How many of what a copy leaves out are named."""
_NEW: Final = "a session that is many files goes into a new folder."
_FILES: Final = (*DATABASES, ".jsonl", ".json", ".ndjson", ".log", ".txt", SUFFIX)


def names_folder(name: str) -> bool:
    """Whether a copy of this name is to be a folder rather than lines. Ids in names of folders may have dots."""
    return not name.lower().endswith(_FILES)


def save_folder(
    path: str, snapshot: Snapshot, container: Container, now: Document, aside: Sequence[bytes]
) -> SaveResult:
    """Write the session as it is now into a new folder. Raises Refused or SaveFailed."""
    path = path.rstrip(os.sep + (os.altsep or ""))
    if os.path.basename(path) in ("", os.curdir, os.pardir):
        raise Refused(f"{path or os.sep} is no name that a new folder can get, and {_NEW}", "exists")
    refuse_name(path)
    target = os.path.realpath(path)
    refuse_folder(os.path.dirname(target), path, "give another name")
    own = os.path.realpath(snapshot.rows.path) if snapshot.rows is not None else None
    if own is not None and (target == own or target.startswith(own + os.sep)):
        raise Refused(f"{path} is the session itself, with all others of that folder; name a new folder.", "exists")
    if os.path.lexists(target):
        raise Refused(f"{path} exists, and {_NEW}", "exists")
    if aside:
        raise Refused("What fixes set aside is kept beside a file; give a name that ends in .jsonl.", "form")
    refuse_name_of_session(path)
    change = FilesSave(snapshot, container, [now])
    files = _files_of(change)
    made = f"{temporary_name(os.path.dirname(target))}.folder"
    with undone_on_failure(target) as save:
        try:
            _write(made, files)
            os.rename(made, target)
            save.done = True
        finally:
            shutil.rmtree(made, ignore_errors=True)
        _flush(os.path.dirname(target))
        return SaveResult(Path(target), None, tuple(_left_out(change.files)), Identity.of(os.stat(target)))


def _left_out(stored: StoredFiles) -> Iterator[str]:
    """A note on what belongs with the session, and is not in the copy."""
    if others := stored.layout.left_out(stored.path, stored.session):
        more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
        yield f"Not in the copy: {plural(len(others), *stored.layout.kin)} ({', '.join(others[:_NAMED])}{more})."


def _files_of(save: FilesSave) -> Mapping[str, bytes]:
    """What is to be in the folder, by path."""
    stored, held = save.files, dict[str, bytes | None]()
    layout = stored.layout
    try:
        for path in layout.beside(stored.path, stored.session):
            held[path] = read_file(place(stored.path, path))
    except OSError as error:
        raise Refused(_cannot_copy(error), "form") from None
    if layout.is_copied_whole:
        return {path: content for path, content in held.items() if content is not None}
    for row in stored.rows():
        held[layout.path_of(row.table.name, row.columns)] = bytes(row.columns[row.table.json[-1]])  # type: ignore[arg-type]
    held |= {change.path: change.after for change in save.wanted()}
    return {path: content for path, content in held.items() if content is not None}


def _cannot_copy(error: OSError) -> str:
    """About a file that belongs with the session, and is none that could be read."""
    name = os.fsdecode(error.filename)
    if error.errno in (errno.ELOOP, errno.EINVAL):
        return f"{name} is a link, or no file, so it is not copied; put the file itself there, or remove it."
    return f"{name} cannot be copied ({error.strerror or error}); nothing was written."


def _write(folder: str, files: Mapping[str, bytes]) -> None:
    os.mkdir(folder, 0o700)
    for path, content in files.items():
        name = place(folder, path)
        os.makedirs(os.path.dirname(name), 0o700, exist_ok=True)
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    for above, _, _ in os.walk(folder):
        _flush(above)


def _flush(folder: str) -> None:
    """The names in it, where a folder can be flushed at all."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
