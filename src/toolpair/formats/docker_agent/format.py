"""docker-agent (formerly cagent): the rows of a session in its database, one chat message each.

Sources: pkg/session of github.com/docker/docker-agent. It cannot be run here, so nothing of this is measured.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import openai_chat
from toolpair.dialects.block_texts import WrittenBlock
from toolpair.dialects.openai_chat_writer import WRITER
from toolpair.formats.engine.reading.clock import count_in, seconds_of, usage_of
from toolpair.formats.engine.reading.reading import as_text, facts_of, malformed_in, pairs_in
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.engine.writing.linear import Envelope, Linear
from toolpair.formats.format import (
    AS_RESUMED,
    Damage,
    Fate,
    Item,
    ResumeEffect,
    SentMessage,
    SentPart,
    SentRequest,
    Usage,
    View,
    profile_of,
)
from toolpair.rules.odd_records import type_name
from toolpair.rules.problem import Cause, Fix
from toolpair.source.rows.layout import FACTS
from toolpair.transcript.edits import Edit, MendBytes
from toolpair.transcript.model import COMPACTED, Boundary, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from toolpair.rules.context import Context
    from toolpair.transcript.draft import DraftMessage, Slot

TITLE: Final = "docker-agent"
NO_RESULT: Final = "No result provided"
SUMMARY: Final = "Session Summary: "
ITEM: Final = "session_items"
SESSION: Final = "sessions"
_MESSAGE: Final[Slot] = (ITEM, "message_json")
_PROFILES: Final = {"anthropic": "anthropic", "google": "gemini", "amazon-bedrock": "bedrock-converse"}
"""What a model's name begins with -> the profile that its session is checked against."""


# --- the transcript ----------------------------------------------------------------------------------------


class _Facts(Struct, frozen=True, eq=False):
    loaded: tuple[int, ...]
    """uids of the rows that docker-agent loads, in order: what a summary says it kept is a place in them."""
    stops: bool
    """A row cannot be read, so the session is not loaded."""


def _message_in(value: Any) -> Any:
    row = row_of(value, ITEM)
    return row.get("message_json") if row.get("item_type") == "message" else None


def _loaded(items: Sequence[Item]) -> list[Item]:
    without = facts_in(items).get("without_session")
    gone = without if isinstance(without, list) else ()
    kinds = ("message", "subsession", "summary")
    return [
        item
        for item in items
        if (row := row_of(item.value, ITEM)) and row.get("item_type") in kinds and row.get("id") not in gone
    ]


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    session = next((row for item in items if (row := row_of(item.value, SESSION))), {})
    loaded = _loaded(items)
    start, summary = 0, None
    for place, item in enumerate(loaded):
        row = row_of(item.value, ITEM)
        if row.get("item_type") == "summary" and row.get("summary_text"):
            kept = row.get("first_kept_entry")
            start, summary = (kept if isinstance(kept, int) and 0 < kept < place else place + 1), item
    sent = [item for item in loaded[start:] if _message_in(item.value) is not None]
    waiting = openai_chat.waiting_in([_message_in(item.value) for item in sent])
    scopes: dict[int, Scope] = malformed_in(items)
    messages: list[Message] = [] if summary is None else [_summary_of(summary)]
    for item in sent:
        message = _message(item, waiting)
        if message is None:
            scopes[item.uid] = "malformed"
        else:
            messages.append(message)
    beside = [item for item in loaded[:start] if _message_in(item.value) is not None]
    before = [message for item in beside if (message := _message(item, ())) is not None]
    scopes.update((item.uid, "inactive") for item in beside)
    compaction = () if summary is None else (Boundary(0, COMPACTED, summary.uid),)
    return Transcript(
        tuple(messages),
        layout="tool_messages",
        native=True,
        agent=TITLE,
        agent_facts=_Facts(tuple(item.uid for item in loaded), any(map(_is_unreadable, items))),
        session_id=as_text(session.get("id")),
        folder=as_text(session.get("working_dir")) or None,
        model=next((model for item in reversed(sent) if (model := _model(item.value))), None),
        scopes=scopes,
        inactive_blocks=pairs_in(block for message in before for block in message.blocks),
        boundaries=compaction,
    )


def _message(item: Item, waiting: Container[Any]) -> Message | None:
    found = openai_chat.message_of(_message_in(item.value), item.uid, waiting)
    if found is None:
        return None
    blocks = tuple(replace(block, slot=(*_MESSAGE, *block.slot)) for block in found.blocks)
    return replace(found, blocks=blocks, note="meta" if row_of(item.value, ITEM).get("implicit") else None)


def _summary_of(item: Item) -> Message:
    said = SUMMARY + str(row_of(item.value, ITEM)["summary_text"])
    block = WrittenBlock("text", said, item.uid, (ITEM, "summary_text"))
    return Message("user", (block,), (item.uid,), "string", {"role": "user", "content": said}, "summary")


def _is_unreadable(item: Item) -> bool:
    if isinstance(item.value, Damaged):
        return True
    found = _message_in(item.value)
    return row_of(item.value, ITEM).get("item_type") == "message" and not isinstance(found, (dict, type(None)))


def _model(value: Any) -> str | None:
    found = _message_in(value)
    return as_text(found.get("model")) if isinstance(found, dict) else None


# --- what is sent ------------------------------------------------------------------------------------------


def _sees(transcript: Transcript) -> SentRequest:
    """`sanitizeToolCalls`: results count until somebody else speaks, the first one of each call."""
    sent: list[SentMessage] = []
    open_calls: dict[Any, bool] = {}

    def flush() -> None:
        for id_, answered in open_calls.items():
            if not answered:
                value = {"role": "tool", "tool_call_id": id_, "content": NO_RESULT, "is_error": True}
                sent.append(SentMessage("tool", (SentPart(value),)))
        open_calls.clear()

    for message in transcript.messages:
        result = next((block for block in message.blocks if block.kind == "result"), None)
        if result is not None:
            if isinstance(result.id, str) and open_calls.get(result.id) is False:
                open_calls[result.id] = True
                sent.append(SentMessage("tool", (SentPart.of(result),)))
            continue
        if message.role != "system":
            flush()
        if message.calls or any(block.text.strip() for block in message.blocks) or _has_media(message):
            sent.append(SentMessage(str(message.role), tuple(map(SentPart.of, message.blocks))))
        open_calls.update((call.id, False) for call in message.calls if isinstance(call.id, str) and call.id)
    flush()
    reached = {id(part.block) for message in sent for part in message.parts}
    fates: dict[int, Fate] = {
        id(block): "sent" if id(block) in reached else "dropped"
        for message in transcript.messages
        for block in message.blocks
    }
    refuses = (
        "docker-agent does not load a session with a row that it cannot read."
        if facts_of(transcript, _Facts).stops
        else None
    )
    return SentRequest(TITLE, None, tuple(sent), fates, refuses)


def _has_media(message: Message) -> bool:
    return any(block.kind == "media" for block in message.blocks)


# --- edits -------------------------------------------------------------------------------------------------


class _Envelope(Envelope, frozen=True):
    def slot_in(self, value: Any) -> Slot:
        return _MESSAGE if isinstance(_message_in(value), dict) else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        home = row_of(beside.record, ITEM)
        time = home["message_json"].get("created_at") if isinstance(home.get("message_json"), dict) else None
        made = {**message, **({"created_at": time} if time is not None else {})}
        columns = {"id": None, "session_id": home.get("session_id"), "position": None, "item_type": "message"}
        return {ITEM: {**columns, "agent_name": home.get("agent_name"), "implicit": 0, "message_json": made}}


class _Rows(Linear):
    """Rows in the order of `position`, which a new one moves."""

    loaded: Sequence[int] = ()

    def _records(self) -> list[Item]:
        found = super()._records()
        ids = [id_ for item in found if isinstance(id_ := row_of(item.value, ITEM).get("id"), int)]
        known = facts_in(found).get("last_id")
        last = max([*ids, known if isinstance(known, int) else 0])
        rows = [number for number, item in enumerate(found) if row_of(item.value, ITEM)]
        taken = [row_of(found[number].value, ITEM).get("position") for number in rows]
        places = sorted(place for place in taken if isinstance(place, int))
        while len(places) < len(rows):
            places.append(places[-1] + 1 if places else 0)
        before: tuple[int, int] | None = None
        for number, place in zip(rows, places, strict=True):
            item = found[number]
            row = row_of(item.value, ITEM)
            changes: dict[str, Any] = {}
            if row.get("id") is None:
                last += 1
                changes["id"] = last
            # Rows at one position are in the order of their ids.
            here = id_ if isinstance(id_ := changes.get("id", row.get("id")), int) else 0
            if before is not None and (place, here) <= before:
                place = before[0] + 1
            before = place, here
            if row.get("position") != place:
                changes["position"] = place
            if changes:
                found[number] = Item(item.uid, {**item.value, ITEM: {**row, **changes}})
        return self._with_kept(found)

    def _with_kept(self, found: list[Item]) -> list[Item]:
        """What a summary kept is a place among the rows that are loaded: it moves with them, and begins with what
        was put there in the place of others.
        """
        now = {item.uid: place for place, item in enumerate(_loaded(found))}
        for number, item in enumerate(found):
            row = row_of(item.value, ITEM)
            kept = row.get("first_kept_entry")
            if isinstance(kept, int) and 0 < kept < len(self.loaded):
                before = (now[uid] + 1 for uid in reversed(self.loaded[:kept]) if uid in now)
                after = next(before, next((now[uid] for uid in self.loaded[kept:] if uid in now), kept))
                if after != kept:
                    found[number] = Item(item.uid, {**item.value, ITEM: {**row, "first_kept_entry": after}})
        return found


def _stops(damage: Damage) -> ResumeEffect:
    whole = damage.values[0] if damage.values else damage.partial
    complete = isinstance(_message_in(whole), dict)
    splits = all(row_of(value, ITEM) for value in damage.values)
    return ResumeEffect(
        "stops", "docker-agent does not load this session", "rejected", complete=complete, splits=splits
    )


def sniff(values: Sequence[Any]) -> int:
    records = [value for value in values if isinstance(value, dict)]
    own = sum(bool(row_of(value, ITEM)) or "tools_approved" in row_of(value, SESSION) for value in records)
    return 97 if own and own * 2 >= len(records) else 0


def knows(value: dict[str, Any]) -> bool:
    return bool(row_of(value, ITEM) or row_of(value, SESSION) or row_of(value, FACTS))


def profile_for(values: Sequence[Any]) -> str:
    model = next((model for value in reversed(values) if (model := _model(value))), "")
    maker = model.partition("/")[0] if "/" in model else "anthropic" if model.startswith("claude") else ""
    return profile_of(maker, _PROFILES)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    rows = _Rows(items, transcript, WRITER, _ENVELOPE)
    rows.loaded = facts_of(transcript, _Facts).loaded
    return rows.run(edits)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [None if damage.readable else _stops(damage) for damage in found]


def check(context: Context, items: Sequence[Item], view: View) -> None:
    for item in items:
        if not isinstance(item.value, Damaged) and _is_unreadable(item):
            _no_message(context, item)


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
    return _sees(transcript)


def time_of(value: Any) -> float | None:
    found = _message_in(value)
    time = found.get("created_at") if isinstance(found, dict) else None
    return seconds_of(time) if isinstance(time, str) else None


def usage(value: Any) -> Usage | None:
    found = _message_in(value)
    usage = found.get("usage") if isinstance(found, dict) else None
    written = count_in(usage, "output_tokens")
    read = count_in(usage, "input_tokens", "cached_input_tokens", "cached_write_tokens")
    return usage_of(read, written)


def _no_message(context: Context, item: Item) -> None:
    """A row of a message that holds JSON of another kind."""
    value = _message_in(item.value)
    says_nothing = not value or isinstance(value, (bool, int, float))
    aside = MendBytes(item.uid, "aside")
    context.add(
        "record.bad_json",
        f"This row does not hold a message but {type_name(value)}, so docker-agent does not load this session.",
        record=item.uid,
        severity="error",
        impact="stops",
        cause=Cause("no_message", "something else was written into the row"),
        fixes=(Fix("set-aside", "set it aside, in a file beside this one", (aside,), recommended=says_nothing),),
        no_fix=None if says_nothing else "Only you know what it was meant to be: set it aside, or write the message.",
    )


_ENVELOPE: Final = _Envelope(_MESSAGE)
