"""Saving an opened file in place, step by step, and reading what it holds afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from toolpair.source.byte_runs import Piece, chunks_of
from toolpair.source.container import Container
from toolpair.source.container_reading import read_container
from toolpair.source.document import Document
from toolpair.source.errors import UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.packing import Packing, pack
from toolpair.source.saving.in_place import save_in_place
from toolpair.source.saving.opened_content import remembered
from toolpair.source.saving.save_result import SaveResult
from toolpair.source.saving.streaming import Progress
from toolpair.source.snapshot import Snapshot, open_source


class FileSave:
    """One save of an opened file. Its steps share no state with anything else, and may run in another thread."""

    def __init__(
        self,
        snapshot: Snapshot,
        container: Container,
        documents: Sequence[Document],
        *,
        allow_links: bool = False,
        keep_backups: int | None = None,
    ) -> None:
        self._before = snapshot
        self._container = container
        self._documents = tuple(documents)
        self._allow_links = allow_links
        self._keep_backups = keep_backups
        self.result: SaveResult | None = None
        """The result of `write`."""

    @property
    def size(self) -> int:
        """Roughly how many bytes are written."""
        return len(self._before.data)

    def write(self, progress: Progress | None = None) -> SaveResult:
        """Write the file. Raises Refused, SaveFailed, and what `progress` raises; see `save_in_place`."""
        packed = self._before.packing is not None
        pieces: Iterable[Piece] = self._container.runs(self._documents)
        if packed:
            pieces = pack(chunks_of(pieces, self._before.data))
        self.result = save_in_place(
            self._before,
            pieces,
            allow_links=self._allow_links,
            appendable=not packed and self._container.kind == "lines",
            aside=tuple(piece for document in self._documents for piece in document.aside),
            keep_backups=self._keep_backups,
            progress=progress,
        )
        return self.result

    def read_again(self) -> tuple[Snapshot, Container]:
        """What the file holds now: what was written, and what others have appended. Call it after `write`."""
        assert self.result is not None
        try:
            snapshot = replace(open_source(self.result.path, self._before.limits), shown=self._before.shown)
            container = read_container(snapshot.data, snapshot.shown, limits=snapshot.limits)
        except UnreadableFile:
            return self._as_written(self.result.identity)
        if self._before.fingerprint is not None:
            snapshot = remembered(snapshot)
        return snapshot, container

    def _as_written(self, identity: Identity) -> tuple[Snapshot, Container]:
        """The content as written, when somebody has just removed the file or made it unreadable.

        No identity is attached to it, so that the next save compares contents.
        """
        data = b"".join(chunks_of(self._container.runs(self._documents), self._before.data))
        packing = Packing(b"", True) if self._before.packing is not None else None
        identity = Identity(identity.dev, identity.ino, 0 if packing else len(data), 0, 0)
        snapshot = replace(self._before, data=data, identity=identity, packing=packing, fingerprint=None)
        return snapshot, read_container(data, snapshot.shown, limits=snapshot.limits)
