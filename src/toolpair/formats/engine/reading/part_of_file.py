"""Records that are a part of their file, read as if they were all of it: behind what the file begins with.

A history that is read in windows for a report alone needs no more where a record says what it says wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.engine.reading.light import Finding
from toolpair.formats.engine.reading.view import FileFacts, Item, View
from toolpair.transcript.model import Transcript


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


def finding(
    read: Callable[[Sequence[Item], View], Transcript],
    version: str | None,
    begins: Sequence[Item],
    facts: PartFacts,
    suspect: Iterable[int] = (),
) -> Finding:
    """What a light finds of a file that `begins` so. `version`: of the agent that reads it."""
    around = FileFacts(Transcript(()), agent_facts=facts)
    head = replace(read(begins, View(surroundings=around, agent_version=version)), messages=())
    around = FileFacts(head, agent_facts=facts)
    return Finding(suspect, head=head, around=lambda first, end, count, records: around)
