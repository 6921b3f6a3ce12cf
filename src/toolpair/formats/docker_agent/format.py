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
from toolpair.formats.docker_agent.detection import ITEM, SESSION, message_in, model_of
from toolpair.formats.engine.damage.lost import read_by_go
from toolpair.formats.engine.damage.own_problems import add_error
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import count_in, seconds_of, usage_of
from toolpair.formats.engine.reading.reading import as_text, facts_of, malformed_in, pairs_in
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.engine.sending import Said, request
from toolpair.formats.format import (
    AS_RESUMED,
    Damage,
    Item,
    ResumeEffect,
    SentPart,
    SentRequest,
    Usage,
    View,
)
from toolpair.rules.odd_records import type_name
from toolpair.rules.problem import Cause, Fix
from toolpair.transcript.edits import MendBytes
from toolpair.transcript.model import COMPACTED, Boundary, Damaged, Message, Scope, Transcript

if TYPE_CHECKING:
    from toolpair.rules.context import Context
    from toolpair.transcript.draft import Slot

TITLE: Final = "docker-agent"
NO_RESULT: Final = "No result provided"
SUMMARY: Final = "Session Summary: "
MESSAGE: Final[Slot] = (ITEM, "message_json")


# --- the transcript ----------------------------------------------------------------------------------------


class LoadedRows(Struct, frozen=True, eq=False):
    loaded: tuple[int, ...]
    """uids of the rows that docker-agent loads, in order: what a summary says it kept is a place in them."""
    stops: bool
    """A row cannot be read, so the session is not loaded."""


def loaded_in(items: Sequence[Item]) -> list[Item]:
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
    around = view.surroundings
    loaded = loaded_in(items)
    start, summary = 0, None
    for place, item in enumerate(loaded):
        row = row_of(item.value, ITEM)
        if row.get("item_type") == "summary" and row.get("summary_text"):
            kept = row.get("first_kept_entry")
            start, summary = (kept if isinstance(kept, int) and 0 < kept < place else place + 1), item
    sent = [item for item in loaded[start:] if message_in(item.value) is not None]
    waiting = openai_chat.waiting_in([message_in(item.value) for item in sent])
    scopes: dict[int, Scope] = malformed_in(items)
    messages: list[Message] = [] if summary is None else [_summary_of(summary)]
    for item in sent:
        message = message_of_row(item, waiting)
        if message is None:
            scopes[item.uid] = "malformed"
        else:
            messages.append(message)
    beside = [item for item in loaded[:start] if message_in(item.value) is not None]
    before = [message for item in beside if (message := message_of_row(item, ())) is not None]
    scopes.update((item.uid, "inactive") for item in beside)
    compaction = () if summary is None else (Boundary(0, COMPACTED, summary.uid),)
    made = Transcript(
        tuple(messages),
        layout="tool_messages",
        native=True,
        agent=TITLE,
        agent_facts=LoadedRows(tuple(item.uid for item in loaded), any(map(_is_unreadable, items))),
        session_id=as_text(session.get("id")),
        folder=as_text(session.get("working_dir")) or None,
        model=next((model for item in reversed(sent) if (model := model_of(item.value))), None),
        scopes=scopes,
        inactive_blocks=pairs_in(block for message in before for block in message.blocks),
        boundaries=compaction,
        frame=None if around is None else BETWEEN,
    )
    if around is None:
        return made
    return replace(made, session_id=around.head.session_id, folder=around.head.folder, model=around.head.model)


def message_of_row(item: Item, waiting: Container[Any]) -> Message | None:
    found = openai_chat.message_of(message_in(item.value), item.uid, waiting)
    if found is None:
        return None
    blocks = tuple(replace(block, slot=(*MESSAGE, *block.slot)) for block in found.blocks)
    return replace(found, blocks=blocks, note="meta" if row_of(item.value, ITEM).get("implicit") else None)


def _summary_of(item: Item) -> Message:
    said = SUMMARY + str(row_of(item.value, ITEM)["summary_text"])
    block = WrittenBlock("text", said, item.uid, (ITEM, "summary_text"))
    return Message("user", (block,), (item.uid,), "string", {"role": "user", "content": said}, "summary")


def _is_unreadable(item: Item) -> bool:
    if isinstance(item.value, Damaged):
        return True
    found = message_in(item.value)
    return row_of(item.value, ITEM).get("item_type") == "message" and not isinstance(found, (dict, type(None)))


# --- what is sent ------------------------------------------------------------------------------------------


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    """`sanitizeToolCalls`: results count until somebody else speaks, the first one of each call."""
    said: list[Said] = []
    open_calls: dict[Any, bool] = {}

    def flush() -> None:
        for id_, answered in open_calls.items():
            if not answered:
                value = {"role": "tool", "tool_call_id": id_, "content": NO_RESULT, "is_error": True}
                said.append(("tool", [SentPart(value)]))
        open_calls.clear()

    for message in transcript.messages:
        result = next((block for block in message.blocks if block.kind == "result"), None)
        if result is not None:
            if isinstance(result.id, str) and open_calls.get(result.id) is False:
                open_calls[result.id] = True
                said.append(("tool", [SentPart.of(result)]))
            continue
        if message.role != "system":
            flush()
        if message.calls or any(block.text.strip() or block.kind == "media" for block in message.blocks):
            said.append((str(message.role), [*map(SentPart.of, message.blocks)]))
        open_calls.update((call.id, False) for call in message.calls if isinstance(call.id, str) and call.id)
    flush()
    blocks = [block for message in transcript.messages for block in message.blocks]
    stops = facts_of(transcript, LoadedRows).stops
    refuses = "docker-agent does not load a session with a row that it cannot read." if stops else None
    return request(TITLE, None, said, blocks, refuses, missed={block.kind for block in blocks})


# --- damage ------------------------------------------------------------------------------------------------


def _stops(damage: Damage) -> ResumeEffect:
    whole = damage.values[0] if damage.values else damage.partial
    complete = isinstance(message_in(whole), dict)
    splits = all(row_of(value, ITEM) for value in damage.values)
    return ResumeEffect(
        "stops", "docker-agent does not load this session", "rejected", complete=complete, splits=splits
    )


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [read_by_go(damage, "docker-agent") if damage.readable else _stops(damage) for damage in found]


def check(context: Context, items: Sequence[Item], view: View) -> None:
    for item in items:
        if not isinstance(item.value, Damaged) and _is_unreadable(item):
            _no_message(context, item)


def time_of(value: Any) -> float | None:
    found = message_in(value)
    time = found.get("created_at") if isinstance(found, dict) else None
    return seconds_of(time) if isinstance(time, str) else None


def usage(value: Any) -> Usage | None:
    found = message_in(value)
    usage = found.get("usage") if isinstance(found, dict) else None
    written = count_in(usage, "output_tokens")
    read = count_in(usage, "input_tokens", "cached_input_tokens", "cached_write_tokens")
    return usage_of(read, written)


def _no_message(context: Context, item: Item) -> None:
    """A row of a message that holds JSON of another kind."""
    value = message_in(item.value)
    says_nothing = not value or isinstance(value, (bool, int, float))
    aside = MendBytes(item.uid, "aside")
    fix = Fix("set-aside", "set it aside, in a file beside this one", (aside,), recommended=says_nothing)
    text = f"This row holds {type_name(value)} instead of a message, so docker-agent does not load this session."
    cause = Cause("no_message", "something else was written into the row")
    left = None if says_nothing else "Only you know what it was meant to be: set it aside, or write the message."
    add_error(context, "record.bad_json", text, item.uid, "stops", cause, fix, no_fix=left)
