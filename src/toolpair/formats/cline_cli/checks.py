"""What can be wrong with Cline CLI's sessions alone, and what it does about damaged ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from toolpair.dialects.item_types import type_name
from toolpair.formats.cline_cli.compaction import Compaction
from toolpair.formats.cline_cli.history import TITLE
from toolpair.formats.engine.damage.lost import can_be_closed, effect_on_readers
from toolpair.formats.engine.damage.own_problems import add_error, no_message, recommended
from toolpair.formats.format import Damage, Item, ResumeEffect, View
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import Where, at_block
from toolpair.transcript.edits import Remove, Reorder, SetValue
from toolpair.transcript.model import Block, Damaged, Transcript

_BEGINS_ANEW: Final = "Cline CLI begins an empty session in its place"


def _damage(damage: Damage) -> ResumeEffect | None:
    if damage.readable and damage.rule not in ("record.trailing_comma", "record.torn", "record.bad_json"):
        return effect_on_readers(damage, TITLE)
    closed = True
    if damage.rule == "record.torn" and not damage.readable:
        closed = can_be_closed(damage.values[0] if damage.values else damage.partial, bool(damage.values))
    return ResumeEffect("loses", _BEGINS_ANEW, "dropped", "history", complete=closed, begins_anew=True)


def check(context: Context, items: Sequence[Item], view: View) -> None:
    merges = context.transcript.merged
    if isinstance(context.transcript.agent_facts, Compaction):
        context.problems[:] = [found for found in context.problems if found.rule != "turn.first_not_user"]
    for item in items:
        if not isinstance(item.value, (dict, Damaged)):
            text = "This element of the list is not a message, so Cline CLI cannot send the session."
            unknown = "Only you know what it was meant to be."
            no_message(context, item, text, empty=item.value is None, impact="stops", no_fix=unknown)
    calls = (block for message in context.messages for block in message.blocks if block.kind == "call")
    names = {repr(call.id): call.name for call in calls}
    for number, message in enumerate(context.messages):
        kinds = [block.kind for block in message.blocks]
        if not merges and message.role == "user" and "result" in kinds[1:] and kinds[0] != "result":
            text = "Text stands before a result, and Cline CLI sends it before the result, which the API refuses."
            fix = recommended("results-first", "move the results to the front", Reorder(message, "results_first"))
            where = Where(at=(number, kinds.index("result")), about=message)
            add_error(context, "result.not_first", text, where, None, None, fix)
        for place, block in enumerate(message.blocks):
            if (mended := _mended(block, names)) is not None:
                text = "Cline CLI cannot send the session: it does not know what to do with this block."
                cause = Cause("wrong_type", "a program other than Cline CLI wrote it")
                add_error(context, "field.missing", text, at_block(number, place, message), "stops", cause, mended)


def _mended(block: Block, names: Mapping[str, str | None]) -> Fix | None:
    """How a block that stops the agent is repaired; None for any other."""
    value = block.value
    if value is None:
        return recommended("remove-block", "remove the block", Remove(block))
    if type_name(value) != "tool_result" or ("content" in value and isinstance(value.get("name"), str)):
        return None
    name = value["name"] if isinstance(value.get("name"), str) else names.get(repr(block.id)) or "unknown"
    head = {key: value[key] for key in ("type", "tool_use_id") if key in value}
    made = {**head, **value, "name": name, "content": value.get("content", [])}
    return recommended("complete", "write what is missing in it", SetValue(block, made))


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return list(map(_damage, found))
