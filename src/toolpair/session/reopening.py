"""The file of an open session read again, and others that belong to it: looked at in the same way."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial

from toolpair.session.session import Session, SessionError, open_session


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
