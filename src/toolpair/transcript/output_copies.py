"""Where else the output of a call may stand: what a format finds beside the history that it sends."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from toolpair.transcript.model import Block


class Copy(Struct, frozen=True, eq=False):
    """One output that was found elsewhere. `where` goes on from "the real output found …"."""

    content: Any
    where: str
    is_error: bool = False
    partial: bool = False
    """Recorded while the call still ran: there may have been more."""
    certain: bool = True
    """False where nothing but an id that several calls share says whose it is."""


class Copies(Mapping[str, tuple[Any, str]]):
    """Copies by call, looked for only when they are asked for.

    As a mapping it holds only what is certain: call id -> (content, where).
    """

    @abstractmethod
    def of_call(self, call: Block) -> Sequence[Copy]:
        """The most trusted copies of what the call returned: several when they differ, none when there is none."""

    @abstractmethod
    def files_naming(self, id_: str) -> Sequence[str]:
        """The other files that name the call id, and that an edit of this one does not reach."""

    @abstractmethod
    def __getitem__(self, id_: str) -> tuple[Any, str]: ...

    @abstractmethod
    def __iter__(self) -> Iterator[str]: ...

    @abstractmethod
    def __len__(self) -> int: ...


def copies_of_call(copies: Mapping[str, tuple[Any, str]], call: Block) -> Sequence[Copy]:
    """What is known of a call's output, from any mapping of copies."""
    if isinstance(copies, Copies):
        return copies.of_call(call)
    found = copies.get(call.id) if isinstance(call.id, str) else None
    return [Copy(*found)] if found is not None else []
