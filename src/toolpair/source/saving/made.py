"""What a save has made: the files that are removed if it fails, and its result."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from toolpair.source.errors import SaveFailed
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


class Made:
    """The files that a save has created so far."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """Names that are always removed."""
        self.kept: list[str] = []
        """Backup and side file, removed unless the new content is in place."""
        self.inode: tuple[int, int] | None = None
        """Device and inode of the new file."""
        self.descriptors: list[int] = []
        self.done = False
        self.in_place: Callable[[], bool] | None = None
        """Whether the new content is in place, where no file shows it."""

    def close(self, descriptor: int) -> None:
        if descriptor in self.descriptors:
            self.descriptors.remove(descriptor)
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def is_in_place(self, path: str) -> bool:
        if self.done or self.in_place is not None:
            return self.done or (self.in_place is not None and self.in_place())
        found = stat_or_none(path)
        return found is not None and self.inode is not None and (found.st_dev, found.st_ino) == self.inode


@contextmanager
def undone_on_failure(path: str) -> Iterator[Made]:
    """Clean up after the body however it ends; turn system errors into SaveFailed."""
    made = Made()
    try:
        yield made
    except OSError as error:
        done = made.is_in_place(path)
        state = "the new content is in place" if done else "the file is unchanged"
        name = os.path.basename(path)
        raise SaveFailed(f"Saving {name} failed ({error.strerror or error}); {state}.") from error
    finally:
        done = made.is_in_place(path)
        # Not through the layer that tests inject failures into: cleaning up must work after the very call that failed.
        for descriptor in list(made.descriptors):
            made.close(descriptor)
        for name in made.names if done else made.names + made.kept:
            with contextlib.suppress(OSError):
                os.unlink(name)


def stat_or_none(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None
