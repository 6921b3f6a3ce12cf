"""What a session can be compared with: its backups, the session that it was forked from, its forks."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from toolpair.session.session import Session
from toolpair.source.saving.backups import backups

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
