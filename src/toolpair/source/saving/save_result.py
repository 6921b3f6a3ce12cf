"""What a save did."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from toolpair.source.snapshot import Identity


class SaveResult(Struct, frozen=True):
    """What was written where. `identity` is the new file's, to check it before the next save.

    `notes` are sentences that a person has to read. `appended` counts the bytes behind the given content: what
    other programs had appended to the old file meanwhile, and the line end before it where one was needed.
    `removed` are older backups that the limit took away.
    """

    path: Path
    backup: Path | None
    notes: tuple[str, ...]
    identity: Identity
    aside: Path | None = None
    appended: int = 0
    removed: tuple[Path, ...] = ()
