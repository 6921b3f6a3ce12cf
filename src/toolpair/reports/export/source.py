"""What is exported: the messages that an agent would send, cut at a turn, and what the file says beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, Final, Literal

from msgspec import Struct, field

from toolpair.dialects import anthropic_content, openai_chat_content, openai_responses_content
from toolpair.dialects.block_texts import is_real_output
from toolpair.dialects.neutral import Call, Part, Result, Say, Tool, Turn
from toolpair.dialects.request_fields import most_tokens, own_fields, parameters_left, read_tools, system_of
from toolpair.dialects.sent_parts import as_block, with_id
from toolpair.formats.format import FileRecords, Item, KeptRequest, SentMessage
from toolpair.history.checked_records import CheckedRecords, items_of, passed_items
from toolpair.history.conversation import Conversation
from toolpair.history.sent_rows import messages_sent, own_messages, request_sent, sent_by_window
from toolpair.rules.wire import Written, wire_of, written_as
from toolpair.source.indexed_records import IndexedRecords

_APIS: Final = {
    "anthropic": "anthropic",
    "chat": "openai-chat",
    "responses": "openai-responses",
    "gemini": "gemini",
    "bedrock": "bedrock-converse",
}
_FORM_OF: Final[dict[str, Written]] = {"anthropic": "blocks", "openai-chat": "chat", "openai-responses": "items"}


class Unit(Struct, frozen=True, eq=False):
    """One message, or one item, of what is sent."""

    role: str
    values: tuple[Any, ...]
    """Its blocks, or the message or item itself."""
    records: tuple[int, ...] = ()
    """The uids of the records that it comes from; empty for what the agent adds."""


class Sent(Struct, frozen=True, eq=False):
    """What a request consists of."""

    form: Written
    """How the units are written."""
    api: str
    """The API that they were written for."""
    units: Sequence[Unit]
    turns: int
    """How many turns of the assistant the whole history has."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """The fields of its own API's body, besides messages."""
    system: Sequence[Part] = ()
    tools: Sequence[Tool] = ()
    model: str | None = None
    max_tokens: int | None = None
    betas: tuple[str, ...] = ()
    exact: bool = False
    altered: int = 0
    unresolved: int = 0
    unrecorded: bool = False
    unknown_fields: Sequence[str] = ()
    ends: Literal["user", "assistant"] = "user"
    dropped: int = 0
    """How many real outputs the agent itself does not send."""
    refuses: str | None = None
    """Why it does not resume the session at all."""

    def is_for(self, api: str) -> bool:
        """Whether the units can be sent to this API as they are."""
        return self.api == api and _FORM_OF.get(api) == self.form

    def parameters_left(self) -> list[str]:
        return parameters_left(dict(self.beside))

    def as_sent(self, say: Say) -> list[Any]:
        """The messages for their own API."""
        if self.form == "blocks":
            return list(anthropic_content.as_sent([(unit.role, unit.values) for unit in self.units], say))
        values = [value for unit in self.units for value in unit.values]
        if self.form == "items":
            return openai_responses_content.as_sent(values, say)
        return openai_chat_content.as_sent(values)

    def read(self, say: Say) -> list[Turn]:
        """The messages as turns."""
        return _read(self.form, self.units, say)


def _read(form: Written, units: Sequence[Unit], say: Say) -> list[Turn]:
    if form == "blocks":
        return anthropic_content.read_messages([(unit.role, unit.values) for unit in units])
    values = [value for unit in units for value in unit.values]
    return (
        openai_responses_content.read_items(values)
        if form == "items"
        else openai_chat_content.read_messages(values, say)
    )


class NoSuchTurn(ValueError):
    """The history has no assistant turn with this number."""


def sent_by(conversation: Conversation, turn: int | None) -> Sent:
    """What the conversation's agent would send, or the request that produced an assistant turn. Raises NoSuchTurn."""
    form = written_as(conversation.transcript)
    dropped = 0
    units: list[Unit] = []
    for judged, own in _units(conversation, form):
        units += own
        dropped += _outputs_dropped(judged)
    begins = turns_of(units)
    if turn is not None and not 1 <= turn <= len(begins):
        there = f"There are {len(begins)}" if len(begins) != 1 else "There is 1"
        raise NoSuchTurn(f"There is no assistant turn {turn}. {there}.")
    at = begins[turn - 1] if turn is not None else len(units)
    last = at if turn is not None else begins[-1] if begins else None
    response = units[last].records[0] if last is not None else None
    format_ = conversation.format
    kept = format_.request_kept(Records(conversation), response) if format_.request_kept is not None else KeptRequest()
    units, exact = units[:at], False
    if kept.messages is not None:
        recorded = [_recorded(message) for message in kept.messages]
        if turn is not None:
            units, exact = recorded, True
        elif last is not None and _pairs(form, recorded) == _pairs(form, units[:last]):
            units, exact = [*recorded, *units[last:]], True
    api = _APIS[wire_of(format_.profile)]
    outer = conversation.source.outer if isinstance(conversation.source.outer, dict) else {}
    beside = own_fields(outer, api) if api in _FORM_OF else {}
    model = kept.model or conversation.head.model or outer.get("model")
    if kept.api is not None:
        given = {"system": kept.system} if api == "anthropic" else {"instructions": kept.system}
        beside = {
            **(given if kept.system else {}),
            **({"tools": list(kept.tools)} if kept.tools else {}),
            **kept.parameters,
        }
    from_file = {**outer, **beside, **({"system": kept.system} if kept.system else {})}
    return Sent(
        form,
        api,
        units,
        len(begins),
        {key: value for key, value in beside.items() if key not in ("messages", "input", "model")},
        system_of(from_file),
        read_tools(list(kept.tools) or outer.get("tools")),
        model if isinstance(model, str) else None,
        most_tokens(from_file),
        kept.betas,
        exact,
        kept.altered if exact else 0,
        kept.unresolved,
        kept.unrecorded and turn is not None,
        sorted(key for key in outer if key not in beside) if api in _FORM_OF else (),
        "assistant" if turn is None and begins and units[-1].role == "assistant" else "user",
        dropped,
        request.refuses if (request := request_sent(conversation)) is not None else None,
    )


def _recorded(message: Any) -> Unit:
    content = message.get("content") if isinstance(message, dict) else message
    values = tuple(content) if isinstance(content, list) else (content,)
    return Unit(str(message.get("role")) if isinstance(message, dict) else "user", values)


def _pairs(form: Written, units: Sequence[Unit]) -> list[tuple[str, str]]:
    """The calls and results in the units, in order."""
    turns = _read(form, units, lambda *_: None)
    parts = (part for turn in turns for part in turn.parts if isinstance(part, (Call, Result)))
    return [(type(part).__name__, part.id) for part in parts]


class Records(FileRecords):
    """The records of a conversation: they are not kept."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def __len__(self) -> int:
        return len(self._conversation.document)

    def __getitem__(self, place: Any) -> Any:
        return [*self][place]

    def __iter__(self) -> Iterator[Item]:
        for window in self._conversation.windows:
            if not window.clean:
                yield from window.judged.items
                continue
            document = window.unread.document.now
            yield from passed_items(document) or items_of(document)

    def naming(self, words: Sequence[str], uid: int | None) -> Iterator[Item]:
        for window in self._conversation.windows:
            records = window.unread.document.now.records if window.clean else ()
            if isinstance(records, IndexedRecords):
                yield from starmap(Item, records.naming(words, uid))
            else:
                yield from window.judged.items


def _units(conversation: Conversation, form: Written) -> Iterator[tuple[CheckedRecords, Sequence[Unit]]]:
    """What is sent, window by window."""
    first = 0
    for judged, own in sent_by_window(conversation):
        if own is None:
            yield judged, [*_units_of(conversation.judged, messages_sent(conversation.judged)[first:], form)]
            return
        yield judged, [*_units_of(judged, own, form)]
        first += len(own)


def _units_of(judged: CheckedRecords, messages: Sequence[SentMessage], form: Written) -> Iterator[Unit]:
    if form == "chat" and judged.seen is None:
        for message in own_messages(judged.transcript):
            yield Unit(str(message.role), (message.value,), message.records)
        return
    for sent in messages:
        parts = [(part.value, () if part.block is None else (part.block.record,)) for part in sent.parts]
        records = tuple(dict.fromkeys(uid for _, uids in parts for uid in uids))
        if form == "blocks":
            role = "user" if sent.role == "tool" else sent.role
            yield Unit(role, tuple(with_id(as_block(part.value), part.block) for part in sent.parts), records)
        elif form == "chat":
            values = openai_chat_content.messages_of(sent.role, [value for value, _ in parts])
            yield from (Unit(sent.role, (value,), records) for value in values)
        else:
            yield from (Unit(sent.role, (value,), uids) for value, uids in parts)


def turns_of(units: Sequence[Unit]) -> list[int]:
    """The index of the first unit of each of the assistant's turns. What it says in a row is one turn.

    What the agent itself adds in the assistant's name is none: no request has produced it.
    """
    begins: list[int] = []
    counted = False
    for number, unit in enumerate(units):
        if unit.role != "assistant":
            counted = False
        elif not counted and unit.records:
            begins.append(number)
            counted = True
    return begins


def turn_of(conversation: Conversation, record: int) -> int | None:
    """The number of the assistant's turn that a record (its uid) is part of, or that comes next; None without one."""
    form = written_as(conversation.transcript)
    units = [unit for _, own in _units(conversation, form) for unit in own]
    begins = turns_of(units)
    at = next((number for number, unit in enumerate(units) if record in unit.records), None)
    if at is None:
        return None
    before = sum(begin <= at for begin in begins)
    turn = before if units[at].role == "assistant" else before + 1
    return turn if 1 <= turn <= len(begins) else None


def _outputs_dropped(judged: CheckedRecords) -> int:
    """How many real outputs the agent itself does not send."""
    seen = judged.seen
    if seen is None:
        return 0
    blocks = (block for message in own_messages(judged.transcript) for block in message.blocks)
    return sum(seen.fates.get(id(block)) in ("dropped", "replaced") and is_real_output(block) for block in blocks)
