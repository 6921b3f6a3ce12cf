"""The data types of the resume model: parts of messages, and the texts that the agent inserts itself."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from toolpair.transcript.model import Block

INTERRUPTED: Final = (
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. "
    "Check whether it took effect before relying on it or running it again.]"
)
"""The result of a call left open at the end of the session; the agent writes it to the file."""
MISSING: Final = "[Tool result missing due to internal error]"
ORPHANED: Final = "[Orphaned tool result removed due to conversation resume]"
USE_INTERRUPTED: Final = "[Tool use interrupted]"
NO_CONTENT: Final = "(no content)"
NO_RESPONSE: Final = "No response requested."

THINKING: Final = ("thinking", "redacted_thinking")


class RequestPart(Struct, eq=False):
    """A block on its way into the request. Its type is cached, because it is needed often."""

    value: Any
    block: Block | None = None
    type: str = ""

    def __post_init__(self) -> None:
        value = self.value
        type_ = "text" if isinstance(value, str) else value.get("type")
        self.type = type_ if isinstance(type_, str) else ""

    @property
    def call_id(self) -> Any:
        return self.value.get("id")

    @property
    def result_id(self) -> Any:
        return self.value.get("tool_use_id")


class Draft(Struct, eq=False):
    """A record, later a message, on its way into the request."""

    role: str
    parts: list[RequestPart]
    message_id: str | None = None
    model: str | None = None
    whole: bool = False
    """Its content is one string, not a list of blocks."""
    made_up: bool = False
    """The agent wrote it itself."""
    emptied: bool = False
    """Everything in it was removed."""
    beside: bool = False
    """It is off the chain, and its call brought it in."""
    noted: bool = False
    """The agent adds text of its own to the same message."""
    meta: bool = False
    """The agent wrote it in the user role."""
    error: bool = False
    """The agent's own error message, which is never sent."""
    command: bool = False
    """The output of a command that the user ran, in a system record."""
    noted_before: bool = False
    """A note of the agent to the model comes before it."""

    def of_type(self, type_: str) -> list[RequestPart]:
        return [part for part in self.parts if part.type == type_]

    @property
    def answers(self) -> bool:
        """Whether it holds a result."""
        return "tool_result" in [part.type for part in self.parts]


def key_of(id_: Any) -> Any:
    """An id as a dict key; a missing id and null are the same."""
    return id_ if isinstance(id_, (str, int, float)) else None if id_ is None else repr(id_)


def text_part(words: str) -> RequestPart:
    return RequestPart({"type": "text", "text": words})


def error_result(id_: Any, words: str) -> RequestPart:
    return RequestPart({"type": "tool_result", "tool_use_id": id_, "content": words, "is_error": True})


def words_of(part: RequestPart) -> str | None:
    """The text of a text block; None for any other block."""
    if part.type != "text":
        return None
    text = part.value if isinstance(part.value, str) else part.value.get("text")
    return text if isinstance(text, str) else None


def is_blank(part: RequestPart) -> bool:
    """Whether it is a text block that is empty or white space."""
    if part.type != "text":
        return False
    words = words_of(part)
    return words is not None and not words.strip()
