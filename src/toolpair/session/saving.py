"""Saving a session: the result is reported, and later failures do not undo the save."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.format import View
from toolpair.source.addresses import is_database, joined
from toolpair.source.errors import Refused, UnreadableFile

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.history.conversation import Conversation
    from toolpair.rules.problem import Fix, Problem
    from toolpair.session.opening import OpenedState
    from toolpair.source.byte_runs import Piece
    from toolpair.source.container import Container
    from toolpair.source.document import Document
    from toolpair.source.rows.records_save import RecordsSave
    from toolpair.source.saving.in_place import FileSave
    from toolpair.source.saving.made import SaveResult
    from toolpair.source.saving.streaming import Progress
    from toolpair.source.snapshot import Snapshot, StoredRecords

    Save = FileSave | RecordsSave

T = TypeVar("T")


class Saved(Struct, frozen=True):
    """The result of a save. `resume` is what to type, or do, to resume the session.

    `aside` is the file with what fixes set aside, `removed` are older backups deleted by the limit.
    """

    path: Path
    backup: Path | None
    notes: tuple[str, ...]
    resume: str | None
    aside: Path | None = None
    removed: tuple[Path, ...] = ()
    name: str = ""
    """What `restore` takes the save back by: the path, or that of what holds the session, with its id."""


_COMPARED: Final = 64 << 20
"""Bytes. Of larger files it is not looked at which session they hold."""


def refuse_other_session(path: str | Path, backup: str | Path) -> None:
    """Refuse a backup that holds another session than the file, as far as both say which. Raises Refused."""
    ids = [_session_id(path), _session_id(backup)]
    if None not in ids and ids[0] != ids[1]:
        raise Refused(f"{backup} is a backup of another session ({ids[1]}) than {path} ({ids[0]}); nothing changed.")


def _session_id(path: str | Path) -> str | None:
    from toolpair.session.opening import FileReader, open_file

    try:
        if is_database(str(path)) or os.path.getsize(path) > _COMPARED:
            return None
        with open(path, "rb") as file:
            _, state = open_file(path, file.read(), FileReader(None, None, View()), None, None, None, None)
    except (OSError, UnreadableFile):
        return None
    return state.conversations[-1].transcript.session_id


class SaveInPlace(Struct, frozen=True, eq=False):
    """A save in steps: `write`, then `saved`, or `saved_and_after` to continue with the new state.

    All may run in another thread, as long as nothing is staged and the file is not followed.
    """

    save: Save
    report: Callable[[SaveResult], Saved]
    """Describes the result."""
    index_notes: Callable[[], tuple[str, ...]]
    """Says which indexes of the agent are now out of date."""
    read: Callable[[Snapshot, Container], OpenedState]
    """Reads the file again."""

    def write(self, progress: Progress | None = None) -> None:
        """Write it. Raises Refused or SaveFailed; an exception from `progress` ends the save with nothing changed."""
        self.save.write(progress)

    def saved(self) -> Saved:
        """The report of the save."""
        assert self.save.result is not None
        saved = self.report(self.save.result)
        none: tuple[str, ...] = ()
        notes, failed = attempted("what its agent keeps of the file", self.index_notes, none)
        return replace(saved, notes=(*saved.notes, *notes, *failed))

    def after(self) -> OpenedState:
        """What the file holds after the save."""
        return self.read(*self.save.read_again())

    def saved_and_after(self, judged: int | None = None) -> tuple[Saved, OpenedState | None]:
        """`saved` and `after`, with the conversation at index `judged` checked.

        The file is saved: if it cannot be read again, a note says so, and there is no state to continue with.
        """

        def state() -> OpenedState | None:
            found = self.after()
            if judged is not None:
                found.judge(judged)
            return found

        saved = self.saved()
        after, failed = attempted("what it holds now", state, None)
        return replace(saved, notes=(*saved.notes, *failed)), after


def save_of(
    file: OpenedState, documents: Sequence[Document], allow_links: bool, keep_backups: int | None
) -> FileSave | RecordsSave:
    """A save in place of the file, or of its records in a database or a folder. Raises Refused."""
    from toolpair.source.saving.backups import limit_of_backups

    opened, limit = (file.snapshot, file.container, documents), limit_of_backups(keep_backups)
    if file.snapshot.rows is None:
        from toolpair.source.saving.in_place import FileSave

        return FileSave(*opened, allow_links=allow_links, keep_backups=limit)
    if file.snapshot.rows.in_folder:
        from toolpair.source.folders.save import FilesSave

        return FilesSave(*opened, keep_backups=limit)
    from toolpair.source.rows.save import RowsSave

    return RowsSave(*opened, keep_backups=limit)


def saved_from(result: SaveResult, resume_command: Callable[[Path], str | None], session: str | None = None) -> Saved:
    """The result together with what to type to resume. `session`: it is one of several that the path holds."""
    from pathlib import Path

    backup = Path(result.backup) if result.backup is not None else None
    resume, failed = attempted("the way to go on", lambda: resume_command(Path(result.path)), None)
    name = str(result.path) if session is None else joined(str(result.path), session)
    return Saved(Path(result.path), backup, (*result.notes, *failed), resume, result.aside, result.removed, name)


def save_copy(
    file: OpenedState,
    conversations: Sequence[Conversation],
    path: str | Path,
    force: bool,
    progress: Progress | None,
) -> SaveResult:
    """Write the file with its conversations in this state elsewhere, packed when the name ends in .zst."""
    from toolpair.source.byte_runs import OriginalRun, chunks_of
    from toolpair.source.packing import SUFFIX, pack
    from toolpair.source.saving.new_file import save_as
    from toolpair.source.saving.opened_content import source_of

    snapshot = file.snapshot
    if snapshot.rows is not None and snapshot.rows.in_folder:
        from toolpair.source.folders.copying import names_folder, save_folder

        if names_folder(str(path)):
            return save_folder(str(path), snapshot, file.container, conversations[0].document, set_aside(conversations))
    source = source_of(snapshot)
    pieces: Iterable[Piece] = file.runs(conversations)
    if str(path).endswith(SUFFIX):
        packing = snapshot.packing
        as_it_is = all(
            now.document is then.document for now, then in zip(conversations, file.conversations, strict=True)
        )
        unpacked = chunks_of(file.runs(conversations), snapshot.data)
        raw = packing.raw if packing is not None and as_it_is else None
        pieces = pack(unpacked) if raw is None else chunks_of([OriginalRun(0, len(raw))], raw)
    elif (made := _as_database(file, conversations, path)) is not None:
        pieces = [made]
    elif source is None:
        pieces = chunks_of(file.runs(conversations), snapshot.data)
    return save_as(
        path,
        pieces,
        force=force,
        aside=set_aside(conversations),
        source=source,
        progress=progress,
        over_database=force and _is_copy(path, snapshot.rows),
    )


def _as_database(file: OpenedState, conversations: Sequence[Conversation], path: str | Path) -> bytes | None:
    """What a copy of stored records holds, if its name is that of a database."""
    rows = file.snapshot.rows
    if rows is None:
        return None
    from toolpair.source.rows.copying import copied

    base = file.container.conversations[0].document
    return copied(rows, str(path), base, conversations[0].document, file.snapshot.shown)


def _is_copy(path: str | Path, rows: StoredRecords | None) -> bool:
    """Whether a database holds this session alone. Raises Refused for the one that the session is in."""
    from toolpair.formats.engine.agents.databases import holds_only

    if rows is None or not is_database(str(path)):
        return False
    if os.path.realpath(path) == os.path.realpath(rows.path):
        raise Refused(f"{path} is the database itself; save in place, which keeps what is there now.", "database")
    try:
        return holds_only(str(path), rows.session)
    except UnreadableFile:
        return False


def in_the_way(conversation: Conversation) -> Sequence[tuple[Problem, Fix]]:
    """The records that cannot be read, each with the fix that sets it aside, where a save was refused for them."""
    return [
        (problem, fix)
        for problem in conversation.problems
        if problem.record is not None and conversation.transcript.scopes.get(problem.record) == "malformed"
        for fix in problem.fixes
        if fix.id == "set-aside"
    ]


def set_aside(conversations: Sequence[Conversation]) -> tuple[bytes, ...]:
    """The bytes that the staged fixes set aside, in the order of the file's conversations."""
    return tuple(piece for found in conversations for piece in found.document.aside)


def attempted(what: str, found: Callable[[], T], otherwise: T) -> tuple[T, tuple[str, ...]]:
    """The result of `found` and no sentence; if it fails, `otherwise` and the reason. For steps that follow a save."""
    try:
        return found(), ()
    except Exception as error:
        if os.environ.get("TOOLPAIR_TRACEBACK"):
            raise
        return otherwise, (f"The file is saved, but {what} could not be looked up ({type(error).__name__}: {error}).",)
