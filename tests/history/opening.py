"""One file opened twice: checked whole, and in windows however short it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import toolpair.history.open_windows
import toolpair.history.outline
import toolpair.session.opening
from toolpair.session.session import Session, open_session

SIZES = (1, 24, 1 << 40)
"""Messages in a window, at least: each exchange alone, as many as there are in life, all that there are."""


@contextmanager
def judged_by(least: int | None) -> Iterator[None]:
    """Conversations are read in windows of `least` messages; checked whole when that is None."""
    size = 1 << 60 if least is None else -1

    with (
        patch.object(toolpair.session.opening, "SHORT", size),
        patch.object(toolpair.session.opening, "SMALL", size),
        patch.object(toolpair.history.open_windows, "LEAST", least or 0),
        patch.object(toolpair.history.outline, "MANY", 0),
    ):
        yield


def both(data: bytes, format: str | None, profile: str | None, least: int, name: str = "x") -> tuple[Session, Session]:
    """Checked whole, and in windows."""
    with judged_by(None):
        whole = open_session(name, data=data, format=format, profile=profile)
    with judged_by(least):
        return whole, open_session(name, data=data, format=format, profile=profile)
