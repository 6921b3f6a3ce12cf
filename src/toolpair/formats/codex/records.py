"""What Codex writes, as seen in 0.169 and 0.171: a line is an envelope with an item of the request, or something
about it.

`UNSET` stands for a key that is not there. Of what is sent all keys are named; of the rest, what is looked at.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from toolpair.formats.engine.reading.typed_records import TypedRecord

Text = str | None | UnsetType


class Item(Struct, tag_field="type", forbid_unknown_fields=True):
    """One item of the input of a request."""

    id: Text = UNSET
    status: Text = UNSET
    metadata: Any = UNSET
    internal_chat_message_metadata_passthrough: dict[str, Any] | UnsetType | None = UNSET
    """Codex's own metadata of an item."""


class Part(Struct, forbid_unknown_fields=True):
    type: Literal["input_text", "output_text"]
    text: str
    annotations: Any = UNSET
    logprobs: Any = UNSET


class Message(Item, tag="message", kw_only=True):
    role: str
    content: list[Part]
    phase: Literal["commentary", "final_answer"] | UnsetType | None = UNSET
    end_turn: bool | UnsetType | None = UNSET


class Summary(Struct):
    type: Literal["summary_text"]
    text: str


class Thought(Struct):
    type: Literal["reasoning_text", "text"]
    text: str


class Reasoning(Item, tag="reasoning", kw_only=True):
    summary: list[Summary]
    content: list[Thought] | UnsetType | None = UNSET
    encrypted_content: Text = UNSET


class FunctionCall(Item, tag="function_call", kw_only=True):
    name: str
    arguments: str
    call_id: str


class CustomCall(Item, tag="custom_tool_call", kw_only=True):
    name: str
    input: str
    call_id: str


class ShellCall(Item, tag="local_shell_call", kw_only=True):
    action: Any
    call_id: Any = UNSET


class FunctionOutput(Item, tag="function_call_output", kw_only=True):
    call_id: str
    output: Raw


class CustomOutput(Item, tag="custom_tool_call_output", kw_only=True):
    call_id: str
    output: Raw


class Snapshot(Struct, tag_field="type", tag="ghost_snapshot"):
    """Codex leaves it out of its history."""


class Line(TypedRecord, tag_field="type", kw_only=True):
    timestamp: str
    ordinal: Any = UNSET


class ItemLine(Line, tag="response_item", kw_only=True):
    payload: Message | Reasoning | FunctionCall | CustomCall | ShellCall | FunctionOutput | CustomOutput | Snapshot
    metadata: Any = UNSET


class Subject(Struct):
    """What an event tells of."""

    id: Any = None


class Told(Struct):
    """What happened, beside the items."""

    type: str
    call_id: Any = None
    item: Subject | None = None


class Context(Struct):
    model: Any = None


class Anything(Struct):
    """An object of which nothing is looked at."""


class EventLine(Line, tag="event_msg", kw_only=True, forbid_unknown_fields=True):
    payload: Told


class UsageLine(Line, tag="token_usage_record", kw_only=True, forbid_unknown_fields=True):
    payload: Anything


class ContextLine(Line, tag="turn_context", kw_only=True, forbid_unknown_fields=True):
    payload: Context


class MetaLine(Line, tag="session_meta", kw_only=True, forbid_unknown_fields=True):
    payload: dict[str, Any]


class StateLine(Line, tag="world_state", kw_only=True, forbid_unknown_fields=True):
    payload: Anything


class AgentsLine(Line, tag="inter_agent_communication_metadata", kw_only=True, forbid_unknown_fields=True):
    payload: Anything


class RetainedLine(Line, tag="retained_context", kw_only=True, forbid_unknown_fields=True):
    payload: Anything


OtherLine = EventLine | UsageLine | ContextLine | MetaLine | StateLine | AgentsLine | RetainedLine
"""Lines that are not sent."""
ENVELOPE = ("timestamp", "ordinal", "type", "payload")
