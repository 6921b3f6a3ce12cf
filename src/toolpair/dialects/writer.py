"""What each dialect writes when edits become a draft: the values of new blocks, and new or changed messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from toolpair.transcript.draft import DraftBlock


class Writer(ABC):
    """How an API spells what edits produce. What most dialects share is here."""

    results_are_messages = False
    """True: a result is a message of its own after the one with its call. False: it is a block of the next message."""
    answers_first = False
    """For results that are messages: whether a new one goes before those that answer none of the calls."""
    words_stay_in_record = True
    """Whether the text of a result that was a message stays in the same record; else it gets a new one."""
    reasoning_goes_with_calls = False
    """Whether the API refuses reasoning right before a call that is removed with nothing of the model after it."""

    @abstractmethod
    def renamed(self, block: DraftBlock, id_: str) -> Any:
        """The value of a call or a result with this id."""

    @abstractmethod
    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        """A result for the call. `id_` is the id to write; None for the call's own."""

    def stands_alone(self, block: DraftBlock) -> bool:
        """Whether the API takes this block only as a message of its own."""
        return False

    @abstractmethod
    def said(self, text: str) -> Any:
        """The value of an assistant block with the text of a former call."""

    def block(self, value: Any) -> DraftBlock:
        """A new block with this value, which an edit gives a message as a part of its content."""
        return DraftBlock("other", value)

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        """A new message with this content."""
        return {"role": role, "content": content}

    def words(self, result: Any, content: str | list[Any]) -> dict[str, Any]:
        """The user message that replaces a result that was a message."""
        return self.message("user", content)

    @abstractmethod
    def holder(self, role: str) -> dict[str, Any]:
        """An empty message to put blocks into."""

    @abstractmethod
    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        """The message's object with these blocks; unchanged sub-values stay the same objects."""

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        """All blocks of a message, given those that the transcript knows; the others keep their places."""
        return known

    def finished(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        """The final form of a changed message, whose blocks and fields are already in `value`."""
        return value
