"""What the saves of a session have in common whose records are no lines of a file."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.source.container import Container
from toolpair.source.container_reading import container_in
from toolpair.source.document import Document
from toolpair.source.saving.save_result import SaveResult
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.model import Damaged


class RecordsSave:
    """One save of a session; used as `FileSave` is."""

    def __init__(
        self,
        snapshot: Snapshot,
        container: Container,
        documents: Sequence[Document],
        keep_backups: int | None,
    ) -> None:
        self._before = snapshot
        self._base = container.conversations[0].document
        self._now = documents[0]
        self._keep_backups = keep_backups
        self.result: SaveResult | None = None
        """The result of `write`."""

    @property
    def size(self) -> int:
        """Roughly how many bytes are written."""
        return len(self._before.data)

    def read_again(self) -> tuple[Snapshot, Container]:
        """What the session holds now. Call it after `write`."""
        assert self._before.rows is not None
        snapshot = self._before.rows.read(self._before.shown)
        return snapshot, container_in(snapshot)

    def _in_the_way(self, what: str) -> str | None:
        """Why records may not be read back as they should, one sentence; `what` says what is in the way."""
        damaged = any(isinstance(record.value, Damaged) for record in self._now.records)
        return f"{self._before.shown} cannot be saved: {what}, first." if damaged else None
