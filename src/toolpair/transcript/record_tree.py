"""How records hang together where each names the one before it: ways through the file, and what is broken in them.

Whatever its agent calls them: a format fills this in, and the rules about chains read nothing else. Records are uids,
ids are those that the file writes, rules are named as in `rules/chain.py`.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class Repair(Struct, frozen=True):
    """How broken links between records are mended."""

    title: str
    relink: tuple[tuple[int, str | None], ...] = ()
    """A record, and the id of its new parent; None for the one that the history begins with."""
    identify: tuple[tuple[int, str, tuple[int, ...]], ...] = ()
    """A record, its new id, and the records whose links to the old id mean this one."""
    move: tuple[tuple[int, int], ...] = ()
    """A record, and the one that it is put behind in the file."""
    write: tuple[tuple[int, str, Any], ...] = ()
    """A record, a key of it, and the value that it gets."""
    several: str | None = None
    """The title for many of its kind."""


class Cut(Struct, frozen=True):
    """A lost link by which the agent forgets a part of the history."""

    rule: str
    messages: int
    outputs: int
    """What it hides from the agent."""
    repair: Repair | None = None
    """None when it cannot be mended."""
    certain: bool = True
    """False where it may be what the user wanted."""
    cause: str | None = None
    """How it came about, where more is known than its rule says."""


class BrokenLink(Struct, frozen=True):
    """Something wrong with the links of one record that is no cut: what it hides, and how it is mended."""

    rule: str
    record: int
    text: str
    severity: Literal["error", "warning", "info"]
    cause: str
    outputs: int = 0
    repair: Repair | None = None


class FailedRetries(Struct, frozen=True):
    """Prompts at the end that the API refused: words said again, and the agent's own error messages behind them."""

    prompts: int
    records: tuple[int, ...]
    """What can go: the repeated prompts and all the error messages."""


class Branch(Struct, frozen=True):
    """One way through a file that forks: the history that ends at the record with the id `leaf`."""

    leaf: str
    record: int
    """The record that it ends at."""
    kind: Literal["branch", "sub-agent"]
    words: str
    """The user's last words on it, untrusted."""
    time: str | None
    messages: int
    active: bool
    """The agent would go on from here."""


class RecordTree(Struct, frozen=True):
    """Which way through the file a history is, and what is wrong with the links. Without any: records in a row."""

    leaf: str | None = None
    """Where the history was asked to end; None when it was not asked, or when no one record is called so."""
    branches: tuple[Branch, ...] = ()
    """All ways through the file, when there is more than one; the newest first."""
    resumed: bool = True
    """False for a history that its agent never goes on from: a sub-agent's. Nothing in it is ever healed."""
    elsewhere: bool = False
    """The history was chosen to end elsewhere than where the agent itself would go on."""
    broken: tuple[BrokenLink, ...] = ()
    retries: FailedRetries | None = None
