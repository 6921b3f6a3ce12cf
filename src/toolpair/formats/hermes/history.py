"""Hermes Agent's sessions: the rows of a session in its database, one chat message each. As measured on 0.19.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.dialects import openai_chat
from toolpair.formats.engine.damage.lost import effect_on_readers, held_in, ids_in, lost_outputs, outputs_text
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import seconds_in
from toolpair.formats.engine.reading.reading import as_text, malformed_in, pairs_in
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, View
from toolpair.formats.hermes.detection import (
    GOES_ON,
    MESSAGES,
    SESSIONS,
    call_id,
    is_active,
    is_message,
    message_in,
    profile_for,
    row_in,
)
from toolpair.rules.context import tool_of
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import Where
from toolpair.transcript.edits import SetValue
from toolpair.transcript.model import COMPACTED, Block, Boundary, Message, Scope, Transcript
from toolpair.transcript.record_tree import RecordTree

if TYPE_CHECKING:
    from toolpair.rules.context import Context

TITLE: Final = "Hermes Agent"
NEWEST: Final = "0.19.0"
_NOT_LOADED: Final = ResumeEffect("stops", f"{TITLE} does not load this session", "rejected")
_NOT_READ: Final = ResumeEffect("harmless", f"{TITLE} does not read that row", "healed")


class HermesSession(Struct, frozen=True, eq=False):
    in_turns: bool = False
    """It was had over Anthropic's API."""


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    session = next((row for item in items[:2] if (row := row_of(item.value, SESSIONS))), {})
    goes_on = as_text(facts_in(items[:1]).get(GOES_ON))
    around = view.surroundings
    scopes: dict[int, Scope] = malformed_in(items)
    messages: list[Message] = []
    beside: list[Block] = []
    compacted = False
    for item in items:
        if not is_message(item.value):
            continue
        message = message_of_row(item)
        if message is None:
            scopes[item.uid] = "malformed"
        elif is_active(item.value):
            messages.append(message)
        else:
            scopes[item.uid] = "inactive"
            beside += pairs_in(message.blocks)
            compacted = compacted or row_in(item.value).get("compacted") == 1
    begun_anew = compacted and messages
    made = Transcript(
        tuple(messages),
        layout="tool_messages",
        native=True,
        agent=TITLE,
        agent_facts=HermesSession(profile_for([{SESSIONS: session}]) == "anthropic"),
        session_id=as_text(session.get("id")),
        folder=as_text(session.get("cwd")) or None,
        tree=RecordTree(elsewhere=goes_on is not None, goes_on_in=goes_on),
        model=as_text(session.get("model")) or None,
        scopes=scopes,
        inactive_blocks=tuple(beside),
        boundaries=(Boundary(0, COMPACTED, messages[0].records[0]),) if begun_anew else (),
        frame=None if around is None else BETWEEN,
    )
    if around is None:
        return made
    head = around.head
    named = {"session_id": head.session_id, "folder": head.folder, "model": head.model, "tree": head.tree}
    return replace(made, agent_facts=head.agent_facts, **named)


def message_of_row(item: Item) -> Message | None:
    found = openai_chat.message_of(message_in(item.value), item.uid, ())
    if found is None:
        return None
    return replace(found, blocks=tuple(map(_of_row, found.blocks)))


def _of_row(block: Block) -> Block:
    placed = replace(block, slot=(MESSAGES, *block.slot))
    return replace(placed, id=call_id(block.value)) if block.kind == "call" else placed


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    """Only the calls of a row can be unreadable: Hermes reads the row as one without any. Of bytes that are not text
    `sqlite3` makes no value, wherever they are in what is read.
    """
    read = {item.uid for item in items if is_active(item.value)}
    blocks = [block for message in transcript.messages for block in message.blocks]
    results = {block.id for block in blocks if block.kind == "result" and isinstance(block.id, str)}
    called = {block.id for block in blocks if block.kind == "call" and isinstance(block.id, str)}

    def effect(damage: Damage) -> ResumeEffect | None:
        if damage.rule == "record.bad_utf8":
            return _NOT_LOADED if damage.record in read else _NOT_READ
        if damage.readable:
            return effect_on_readers(damage, TITLE)
        held = list(held_in(tuple(map(row_in, damage.values))))
        named = {one.id for one in held if not one.is_result} or ids_in(damage.raw)[1]
        outputs = len((named & results) - called) + lost_outputs(damage, held, results, called)
        loses = outputs_text(outputs)
        says = f"{TITLE} sends this message without its calls, and leaves their results out"
        return ResumeEffect("loses", says, loses=loses or "the calls", outputs=outputs, splits=False)

    return list(map(effect, found))


def check(context: Context, items: Sequence[Item], view: View) -> None:
    """Hermes pairs by ids over the whole history, so a pair with an id that was there before is not sent, and what is
    left of a response of such calls alone has an empty list of calls, which APIs refuse. Images in a result it takes
    out once the API has refused them, and asks again.
    """
    for number, problem in enumerate(context.problems):
        if problem.rule == "call.reused_id":
            context.problems[number] = replace(problem, severity="error", own_impact="loses")
        elif problem.rule == "result.type_not_allowed":
            context.problems[number] = replace(problem, severity="warning", own_impact="harmless")
    for message in context.messages:
        for call in message.calls:
            if isinstance(call.value, dict) and call.value.get("call_id") and call.value.get("id") != call.id:
                _two_ids(context, call)


def _two_ids(context: Context, call: Block) -> None:
    """As calls of the Responses API have them, which alone is sent the one that the result has."""
    text = f"{tool_of(call)} was called with two ids; APIs other than the Responses API get the one its result lacks."
    fix = Fix("one-id", "leave the call the id that its result has", (SetValue(call, {**call.value, "id": call.id}),))
    cause = Cause("id.call_item", "the call has the id of an item of the Responses API besides its own")
    where = Where(record=call.record)
    context.add("result.id_mismatch", text, where, severity="warning", impact="harmless", cause=cause, fixes=(fix,))


def time_of(value: Any) -> float | None:
    return seconds_in(row_in(value), "timestamp")
