"""What can be wrong with Continue's sessions alone, and what it does about damaged ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.dialects import continue_dev as dialect
from toolpair.formats.continue_dev.detection import CONTEXT
from toolpair.formats.continue_dev.history import ANEW, TITLE, UnfoldedHistory, has_context
from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import add_error, no_message, recommended
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.format import Damage, Item, ResumeEffect, View
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import Where
from toolpair.transcript.edits import SetField, SetInRecord
from toolpair.transcript.model import Damaged, Message, Transcript

_UNKNOWN: Final = "Only you know what it was meant to be."


def _damage(damage: Damage) -> ResumeEffect | None:
    """Anything that is not JSON makes Continue begin a new session."""
    if damage.readable and damage.rule in (
        "record.bad_utf8",
        "record.lone_surrogate",
        "record.duplicate_key",
        "record.big_number",
    ):
        return effect_on_readers(damage, TITLE)
    whole = damage.values[0] if damage.values else damage.partial
    message = dialect.message_of(whole) or {}
    said = isinstance(message.get("role"), str) and "content" in message
    complete = said and (bool(damage.values) or "toolCalls" not in message or next(reversed(whole)) != dialect.MESSAGE)
    return ResumeEffect("loses", ANEW, "dropped", "the whole history", complete=complete, begins_anew=True)


def check(context: Context, items: Sequence[Item], view: View) -> None:
    """Entries that Continue cannot send, with which it does not start."""
    facts = facts_of(context.transcript, UnfoldedHistory)
    if facts.marked and facts.items:
        text = f"The file begins with a byte order mark, so {ANEW}."
        no_fix = "Save the file without a byte order mark (as UTF-8) in an editor."
        cause = Cause("record.bom", "an editor left it")
        add_error(context, "record.bom", text, facts.items[0].uid, "loses", cause, no_fix=no_fix)
    for part in facts.parts:
        item = part.item
        if item.uid in facts.copies:
            continue
        if part.own and part.message is None and not isinstance(item.value, Damaged):
            says = [found for found in item.value.values() if found] if isinstance(item.value, dict) else item.value
            text = "This entry of the history has no message, so Continue does not start with this session."
            no_message(context, item, text, empty=not says, no_fix=_UNKNOWN)
            continue
        if part.own and part.message is not None and not has_context(item.value):
            _no_context(context, item)
        if part.own and part.message is not None and _lacks_content(part.message):
            text = "The content of this message is null or absent, so Continue does not start with this session."
            fix = recommended("empty-text", "write an empty text", SetField(part.message, "content", ""))
            cause = Cause("content_null", "another program wrote this message")
            add_error(context, "content.null", text, Where(about=part.message, record=item.uid), None, cause, fix)


def _no_context(context: Context, item: Item) -> None:
    value = item.value.get(CONTEXT)
    kept = [found for found in value if found is not None] if isinstance(value, list) else []
    edit = SetInRecord(item.uid, (CONTEXT,), kept)
    loses = "what stands there in place of a list" if value and not isinstance(value, list) else None
    title = f"take what is null out of `{CONTEXT}`" if kept else f"write an empty `{CONTEXT}`"
    text = f"This entry of the history has no list `{CONTEXT}`, so Continue does not start with this session."
    cause = Cause("rollout.envelope", "another program wrote the entry, or it was cut off")
    fix = Fix("write-envelope", title, (edit,), recommended=loses is None, loses=loses)
    no_fix = _UNKNOWN if loses else None
    add_error(context, "rollout.envelope", text, item.uid, None, cause, fix, no_fix=no_fix)


def _lacks_content(message: Message) -> bool:
    return message.value.get("role") in ("user", "assistant") and message.value.get("content") is None


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    return [_damage(damage) for damage in found]
