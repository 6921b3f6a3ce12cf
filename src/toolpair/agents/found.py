"""A session that was found, and what an agent has to say of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from toolpair.agents.machine import Machine


class Found(Struct, frozen=True):
    """One session file. All texts are untrusted: names, ids and words are shown through `text/`."""

    agent: str
    """The agent's id, such as "claude-code"."""
    title: str
    """The agent's name for people."""
    path: str
    session_id: str
    modified: float
    """Seconds since the epoch."""
    size: int
    """Bytes."""
    folder: str | None = None
    """The project that the agent worked in; None while it is not known."""
    words: str | None = None
    """The user's last words, on one line; None while, or where, they are not known."""
    described: bool = False
    """Whether `folder` and `words` have been looked for."""
    here: bool = False
    """Whether it belongs to the folder that was asked for."""


class Agent(Protocol):
    """Where one agent keeps its sessions. Nothing here raises for what a disk may hold."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        """The folders that are looked in, the usual one first; they need not exist."""

    def sessions(self, machine: Machine) -> Iterator[Found]:
        """Its session files, in no order."""

    def belongs(self, found: Found, folder: str) -> bool:
        """Whether the session was had in `folder`, a resolved path."""

    def describe(self, found: Found) -> tuple[str | None, str | None]:
        """The project folder and the user's last words, from a short read."""
