"""The result of a save."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from toolpair.source.fingerprint import Identity


class SaveResult(Struct, frozen=True):
    """What was written where. `identity` is the new file's, to be checked before the next save.

    `notes` are sentences for the user. `appended` counts the bytes after the given content: what other programs had
    appended to the old file meanwhile, with a line end before it if one was needed. `removed` are older backups deleted
    by the limit.
    """

    path: Path
    backup: Path | None
    notes: tuple[str, ...]
    identity: Identity
    aside: Path | None = None
    appended: int = 0
    removed: tuple[Path, ...] = ()
