"""What the tests of agents' databases share: whether one is sound, what is read after a save, and rows made odd."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from toolpair.session.session import Session, open_session


def is_sound(db: sqlite3.Connection) -> bool:
    whole = db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return whole and not db.execute("PRAGMA foreign_key_check").fetchall()


def assert_saved_as_shown(session: Session, what: object = None) -> None:
    """What is read after a save is what was shown before it."""
    shown = session.to_bytes()
    session.save()
    assert _said_by(open_session(session.file.address or "").to_bytes()) == _said_by(shown), what


def _said_by(lines: bytes) -> list[Any]:
    """The rows without the columns that a new one need not name."""
    found = []
    for line in lines.splitlines():
        try:
            ((table, row),) = json.loads(line).items()
        except ValueError:
            found.append(line)
            continue
        found.append((table, {key: value for key, value in row.items() if value is not None}))
    return found


def places_in(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each value inside this one, as keys and indices."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [way for key in keys for way in ((*at, key), *places_in(value[key], (*at, key)))]


def make_odd(chance: random.Random, value: Any, odd: Sequence[Any]) -> None:
    """Remove something that is inside a value, or put an odd one in its place."""
    *above, last = chance.choice(places_in(value))
    for key in above:
        value = value[key]
    if chance.random() < 0.4:
        del value[last]
    else:
        value[last] = deepcopy(chance.choice(odd))
