"""How records that name their parents form a tree: the paths through the file, and its broken links.

Agent-neutral: a format fills this in, and the chain rules read nothing else. Records are uids, ids are those written
in the file, and rules are named as in `rules/chain.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from msgspec import Struct

R = TypeVar("R")


class Repair(Struct, frozen=True):
    """How broken links between records are repaired."""

    title: str
    relink: tuple[tuple[int, str | None], ...] = ()
    """(record, id of its new parent; None for the start of the history)."""
    identify: tuple[tuple[int, str, tuple[int, ...]], ...] = ()
    """(record, its new id, the records whose links to the old id mean this one)."""
    move: tuple[tuple[int, int], ...] = ()
    """(record, the record that it moves after in the file)."""
    write: tuple[tuple[int, str, Any], ...] = ()
    """(record, key, new value)."""
    several: str | None = None
    """The title for many repairs of this kind."""


class Cut(Struct, frozen=True):
    """A lost link that makes the agent forget a part of the history."""

    rule: str
    messages: int
    outputs: int
    """How many messages and outputs the agent no longer sees."""
    repair: Repair | None = None
    """None when it cannot be repaired."""
    certain: bool = True
    """False when the user may have wanted it."""
    cause: str | None = None
    """How it came about, where more is known than the rule says."""


class BrokenLink(Struct, frozen=True):
    """A wrong link that is not a cut: what it hides, and how it is repaired."""

    rule: str
    record: int
    text: str
    severity: Literal["error", "warning", "info"]
    cause: str
    outputs: int = 0
    repair: Repair | None = None


class FailedRetries(Struct, frozen=True):
    """Prompts at the end that the API refused: the same words repeated, each followed by the agent's error message."""

    prompts: int
    records: tuple[int, ...]
    """The records that can be removed: the repeated prompts and all the error messages."""


class Branch(Struct, frozen=True):
    """One path through a file that forks: the history that ends at the record with the id `leaf`."""

    leaf: str
    record: int
    """The uid of the record it ends at."""
    kind: Literal["branch", "sub-agent"]
    words: str
    """The last user text on it; untrusted."""
    time: str | None
    messages: int
    active: bool
    """The agent would resume from here."""


class RecordTree(Struct, frozen=True):
    """Which path through the file a history is, and the problems of its links. Empty for records that form no tree."""

    leaf: str | None = None
    """The id where the history was asked to end; None without one, or when no single record has that id."""
    branches: tuple[Branch, ...] = ()
    """All paths through the file, newest first, when there is more than one."""
    resumed: bool = True
    """False for a history that its agent never resumes: a sub-agent's. Nothing in it is ever healed."""
    elsewhere: bool = False
    """The history was chosen to end somewhere else than where the agent would resume."""
    goes_on_in: str | None = None
    """The session that the agent resumes in place of this one; untrusted."""
    broken: tuple[BrokenLink, ...] = ()
    retries: FailedRetries | None = None


def record_named(by_id: Mapping[Any, R], name: str) -> R | None:
    """The record with this id, or the only one whose id begins so."""
    if name in by_id or not name:
        return by_id.get(name)
    found = [record for id_, record in by_id.items() if isinstance(id_, str) and id_.startswith(name)]
    return found[0] if len(found) == 1 else None
