"""What a conversation's file says of a call beside what is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.formats.engine.reading.call_details import CallDetails, DetailReader

if TYPE_CHECKING:
    from toolpair.history.conversation import Conversation
    from toolpair.source.record import Record
    from toolpair.transcript.model import Block


def details_of(conversation: Conversation, call: Block | None, result: Block | None) -> CallDetails:
    """The details of a pair. Reads its records again."""
    answered = _record_of(conversation, result)
    if answered is None:
        return CallDetails()
    return DetailReader(conversation.format).details(_record_of(conversation, call), answered)


def _record_of(conversation: Conversation, block: Block | None) -> Record | None:
    try:
        return conversation.document.record(block.record) if block is not None else None
    except LookupError:
        return None


def output_file(conversation: Conversation, result: Block) -> str | None:
    """The file with the whole of an output that is sent shortened, by its path relative to the session's folder."""
    format, beside = conversation.format, conversation.reading.view.beside
    if beside is None or format.output_file is None:
        return None
    return format.output_file(result.text, beside)


def start_of_file(conversation: Conversation, name: str, count: int) -> bytes:
    """The first bytes of a file beside the session's."""
    beside = conversation.reading.view.beside
    return beside.start(name, count) if beside is not None else b""
