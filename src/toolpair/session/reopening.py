"""The file of an open session read again, and others that belong to it, such as backups and forks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from toolpair.session.session import Session, SessionError, open_session
from toolpair.source.saving.backups import backups


def reopened(session: Session, progress: Callable[[int], None] | None = None) -> Session:
    """What the file holds now, without what is staged: in the same format, by the same profile, on the same branch.

    `progress` is called with the number of bytes read; an exception from it ends the reading. Raises SessionError with
    one sentence when it cannot be read.
    """
    assert session.file.address is not None
    reader = session.reader
    opened = partial(
        open_beside, session, session.file.address, format=reader.format, profile=reader.profile, progress=progress
    )
    if reader.view.leaf is not None:
        with contextlib.suppress(SessionError):  # the branch may be gone
            return opened(leaf=reader.view.leaf)
    return opened()


def open_beside(
    session: Session,
    path: str,
    /,
    *,
    data: bytes | None = None,
    progress: Callable[[int], None] | None = None,
    checking: Callable[[int, int], None] | None = None,
    format: str | None = None,
    profile: str | None = None,
    leaf: str | None = None,
) -> Session:
    """Open a file that belongs to this one, resumed by the same agent and read within the same limits.

    Raises SessionError with one sentence when it cannot be read.
    """
    limits = session.file.snapshot.limits
    return open_session(
        path,
        data=data,
        format=format,
        profile=profile,
        leaf=leaf,
        progress=progress,
        checking=checking,
        agent_version=session.reader.view.agent_version,
        max_size=limits.line if limits.asked_for else None,
    )


_FIRST: Final = 20


class Relative(Struct, frozen=True):
    """Another file with a history of the same origin. Names are untrusted."""

    what: str
    path: Path


def relatives_of(session: Session) -> list[Relative]:
    """They are looked for by name and by their first bytes, so that a key may ask."""
    path, beside = session.path, session.reader.view.beside
    if path is None:
        return []
    found = [Relative(f"the original of {one.time:%Y-%m-%d %H:%M}", one.path) for one in backups(path)]
    relatives = session.format.relatives
    if beside is not None and relatives is not None:
        first = [record.value for record in islice(session.conversation.document.records, _FIRST)]
        found += [Relative(what, path.parent / name) for what, name in relatives(first, beside)]
    return found
