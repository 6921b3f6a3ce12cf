"""Records that are a part of their file, read as if they were all of it: behind what the file begins with.

A history that is read in windows for a report alone needs no more where a record says what it says wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from toolpair.formats.engine.reading.view import Item, View


class PartFacts(Struct, frozen=True, eq=False):
    """What a file shows of the records that are a part of it."""

    begins: Sequence[Item] = ()
    """The records that say whose history it is."""
    model: Any = None
    """The one that continues."""


def part_facts(view: View) -> PartFacts | None:
    """What is known of the file; None where all of it is read."""
    found = None if view.surroundings is None else view.surroundings.agent_facts
    return found if isinstance(found, PartFacts) else None


def as_file(items: Sequence[Item], facts: PartFacts, parent: str | None = None) -> list[Item]:
    """The records as a file of their own. `parent`: the key of a link, of which the first leads to nothing."""
    own = {item.uid for item in items}
    made = [item for item in facts.begins if item.uid not in own]
    for item in items:
        if parent is not None and isinstance(item.value, dict) and parent in item.value:
            item, parent = Item(item.uid, {**item.value, parent: None}), None
        made.append(item)
    return made
