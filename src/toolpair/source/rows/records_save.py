"""What all changes of stored records have in common: a save of a session, and putting back what one changed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from toolpair.source.container import Container
from toolpair.source.container_reading import container_in
from toolpair.source.document import Document
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.fingerprint import Identity
from toolpair.source.saving.backups import prune
from toolpair.source.saving.file_names import KeptNames
from toolpair.source.saving.keeping import put_aside
from toolpair.source.saving.made import Made, SaveResult
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.streaming import Progress, Step
from toolpair.source.snapshot import Snapshot
from toolpair.source.system import SYSTEM, Io
from toolpair.transcript.model import Damaged


def no_step(name: str) -> None: ...


class RecordsChange:
    """A change of records in the database or the folder that holds them. A subclass says what is changed, and how.

    `path` is what holds them, `shown` what the user calls it.
    """

    aside: Sequence[bytes] = ()
    """What goes to a side file."""
    keep_backups: int | None = None
    """The number of backups left afterwards; None for all."""

    def __init__(self, path: str, shown: str, session: str, step: Step = no_step, io: Io = SYSTEM) -> None:
        self.path = path
        self.shown = shown
        self.session = session
        self.step = step
        self.io = io

    def carry_out(self, progress: Progress | None = None) -> SaveResult:
        """Make the change, and keep a backup. Raises Refused, SaveFailed, and what `progress` raises."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Roughly how many bytes are written."""
        return 0

    def state(self) -> Identity:
        """The state of what holds the records. Raises OSError."""
        raise NotImplementedError

    def in_the_way(self) -> str | None:
        """Why records may not be as they should once they are written, as a sentence, where that is known."""
        return None

    def keep(
        self, backup: Callable[[], bytes], like: os.stat_result, names: KeptNames, made: Made
    ) -> tuple[str, str | None]:
        """Write a backup, and what is set aside, for the owner of `like`. Returns their names."""
        self.step("backup")
        name = names.free("bak")
        made.kept.append(name)
        content = backup()
        try:
            save_as(name, [content], mode=0o600, io=self.io)
        except Refused as error:
            if error.reason == "name-too-long":
                raise Refused(
                    f"The name of {self.shown} is too long to keep the original beside it; save a copy.",
                    "name-too-long",
                ) from None
            raise
        if hasattr(os, "chown"):
            with contextlib.suppress(OSError):
                os.chown(name, like.st_uid, like.st_gid)
        return name, put_aside(self.aside, names, made, self.io, like)

    def not_as_wanted(self, why: str, state: str) -> Refused | SaveFailed:
        """What to raise when the records are not as they should be: `why`, if nothing is known to be in the way."""
        said = self.in_the_way()
        if said is not None:
            return Refused(said, "in-the-way")
        return SaveFailed(f"Saving {self.shown} failed ({why}); {state}.")

    def done(self, backup: str, aside: str | None, notes: Iterable[str]) -> SaveResult:
        """The result, once older backups are deleted."""
        removed = prune(self.path, backup, self.keep_backups, self.io) if self.keep_backups is not None else ()
        side_file = Path(aside) if aside is not None else None
        return SaveResult(Path(self.path), Path(backup), tuple(notes), self.state(), side_file, removed=removed)


class RecordsSave(RecordsChange):
    """One save of a session; used as `FileSave` is."""

    blocked_by: str
    """What is in the way of other records where one cannot be read, and what to do, as a part of a sentence."""

    def __init__(
        self,
        snapshot: Snapshot,
        container: Container,
        documents: Sequence[Document],
        *,
        keep_backups: int | None = None,
        step: Step = no_step,
        io: Io = SYSTEM,
    ) -> None:
        assert snapshot.rows is not None
        super().__init__(snapshot.rows.path, snapshot.shown, snapshot.rows.session, step, io)
        self.stored = snapshot.rows
        self._before = snapshot
        self.base = container.conversations[0].document
        self.now = documents[0]
        self.aside = self.now.aside
        self.keep_backups = keep_backups
        self.result: SaveResult | None = None
        """The result of `write`."""

    @property
    def size(self) -> int:
        return len(self._before.data)

    def write(self, progress: Progress | None = None) -> SaveResult:
        """Write the records. Raises Refused, SaveFailed, and what `progress` raises."""
        self.result = self.carry_out(progress)
        return self.result

    def read_again(self) -> tuple[Snapshot, Container]:
        """What the session holds now. Call it after `write`."""
        snapshot = self.stored.read(self.shown)
        return snapshot, container_in(snapshot)

    def in_the_way(self) -> str | None:
        damaged = any(isinstance(record.value, Damaged) for record in self.now.records)
        return f"{self.shown} cannot be saved: {self.blocked_by}, first." if damaged else None
