"""Copies of tool outputs outside the sent history, as a format finds them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from toolpair.transcript.model import Block


class Copy(Struct, frozen=True, eq=False):
    """One copy of an output. `where` completes the phrase "the real output found …"."""

    content: Any
    where: str
    is_error: bool = False
    partial: bool = False
    """Recorded while the call was still running, so there may have been more."""
    certain: bool = True
    """False when only an id that several calls share connects it to the call."""


class Copies(Mapping[str, tuple[Any, str]]):
    """Copies of outputs by call, looked up on demand.

    As a mapping it holds only the certain ones: call id -> (content, where).
    """

    @abstractmethod
    def of_call(self, call: Block, is_open: bool = False) -> Sequence[Copy]:
        """The most trusted copies of the call's output: several when they differ, empty when there is none. `is_open`:
        it may be running still, so that no other session is searched for it.
        """

    def not_searched(self, id_: str) -> str | None:
        """Where an output of a call with this id may be, too, but was not looked for: the beginning of a sentence."""
        return None

    def files_naming(self, id_: str) -> Sequence[str]:
        """Other files that name the call id and that editing this file does not change."""
        return ()

    def __getitem__(self, id_: str) -> tuple[Any, str]:
        found = self.of_call(Block("call", None, -1, id=id_))
        if len(found) != 1 or not found[0].certain:
            raise KeyError(id_)
        return found[0].content, found[0].where

    @abstractmethod
    def __iter__(self) -> Iterator[str]: ...

    def __len__(self) -> int:
        return sum(1 for _ in self)


def copies_of_call(copies: Mapping[str, tuple[Any, str]], call: Block, is_open: bool = False) -> Sequence[Copy]:
    """The known copies of a call's output, from a `Copies` or a plain mapping."""
    if isinstance(copies, Copies):
        return copies.of_call(call, is_open)
    found = copies.get(call.id) if isinstance(call.id, str) else None
    return [Copy(*found)] if found is not None else []
