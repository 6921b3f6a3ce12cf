"""Opening a file twice: checked whole, and in windows however short it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import toolpair.history.open_windows
import toolpair.history.outline
import toolpair.session.opening
from toolpair.history.scans.scan_registry import scan_for
from toolpair.rules.profiles import Profile
from toolpair.session.session import Session, open_session


@contextmanager
def judged_by(least: int | None) -> Iterator[None]:
    """Conversations are read in windows of `least` messages; whole when that is None."""
    size = 1 << 60 if least is None else -1

    def scan(format_id: str, profile: Profile, declared: Any = None, given: int | None = None, **more: Any) -> object:
        return scan_for(format_id, profile, declared, (least or 0) if given is None else given, **more)

    with (
        patch.object(toolpair.session.opening, "SHORT", size),
        patch.object(toolpair.session.opening, "SMALL", size),
        patch.object(toolpair.history.open_windows, "scan_for", scan),
        patch.object(toolpair.history.outline, "MANY", 0),
    ):
        yield


def both(data: bytes, format: str | None, profile: str | None, least: int, name: str = "x") -> tuple[Session, Session]:
    """Checked whole, and in windows."""
    with judged_by(None):
        whole = open_session(name, data=data, format=format, profile=profile)
    with judged_by(least):
        return whole, open_session(name, data=data, format=format, profile=profile)
