"""What an API's dialect writes when edits become a draft: the values of new blocks and messages, and messages anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from toolpair.transcript.draft import DraftBlock


class Writer(Protocol):
    """How an API spells what edits make."""

    results_are_messages: bool
    """Whether a result is a message of its own, after the one with its call; else it is a block of the next one."""
    answers_first: bool
    """Of results that are messages: whether a new one stands in front of those that answer none of the calls."""
    words_stay_in_record: bool
    """Whether what is kept of such a result as text stays in its record; else that is another one."""
    reasoning_goes_with_calls: bool
    """Whether reasoning right before a call is refused where nothing of the model follows it."""

    def renamed(self, block: DraftBlock, id_: str) -> Any:
        """The value of a call or a result with this id."""

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        """A result for the call; `id_` is the id to write, the call's own when None."""

    def said(self, text: str) -> Any:
        """The value of a block of the assistant's that says what a call was."""

    def block(self, value: Any) -> DraftBlock:
        """A new block with this value, which an edit gives a message as a part of its content."""

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        """A message with this content, as it is inserted."""

    def words(self, result: Any, content: str | list[Any]) -> dict[str, Any]:
        """What the user says in the place of a result that was a message."""

    def holder(self, role: str) -> dict[str, Any]:
        """A message that blocks are put into."""

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        """The message's object with these blocks, of the old sub-values."""

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        """All blocks of a message, of which the transcript knows some: what it leaves out stays where it is."""

    def finished(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        """What is written of a changed message, whose blocks and fields are in `value`."""


class WriterBase:
    """What most dialects have in common."""

    results_are_messages = False
    answers_first = False
    words_stay_in_record = True
    reasoning_goes_with_calls = False

    def block(self, value: Any) -> DraftBlock:
        return DraftBlock("other", value)

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        return {"role": role, "content": content}

    def words(self, result: Any, content: str | list[Any]) -> dict[str, Any]:
        return self.message("user", content)

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        return known

    def finished(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        return value
