"""Rules about damaged records, and the ones among them that a transcript shows: half surrogate pairs, which no API
accepts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolpair.dialects import openai_chat
from toolpair.dialects.besides import content_elsewhere, named_keys
from toolpair.dialects.block_texts import written_arguments
from toolpair.dialects.block_values import is_cut_in_character, whole_escapes, with_whole_characters
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.rule import Rule
from toolpair.rules.where import NamedPlace, Where, at_block
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import MendBytes, SetInRecord
from toolpair.transcript.model import EmptyObject


def check(context: Context) -> None:
    for number, message in enumerate(context.messages):
        for position, block in enumerate(message.blocks):
            if not is_cut_in_character(block):
                continue
            edit = with_whole_characters(message, block)
            context.add(
                "record.lone_surrogate",
                f"This {block.kind} contains half a character, so the request is not valid JSON.",
                at_block(number, position, message),
                severity="error",
                cause=_CAUSE,
                fixes=(Fix("replace-half", _REPLACE, (edit,), recommended=True),),
            )


def _named(context: Context, place: NamedPlace) -> None:
    """Arguments that hold half a character once they are read as JSON, as servers and gateways read them."""
    found = [
        (number, position, block, openai_chat.with_function(block, arguments=new))
        for number, message in enumerate(context.messages)
        if place.message in (None, number)
        for position, block in enumerate(message.blocks)
        if block.kind == "call" and (raw := written_arguments(block)) and (new := whole_escapes(raw)) is not raw
    ]
    if not found:
        return
    number, position, first, _ = found[0]
    more = f", and of {plural(len(found) - 1, 'more call')}" if len(found) > 1 else ""
    context.add(
        "record.lone_surrogate",
        f"The arguments of {tool_of(first)}{more} hold half a character once they are read.",
        at_block(number, position, context.messages[number]),
        severity="error",
        cause=_CAUSE,
        fixes=(Fix("replace-half", _REPLACE, tuple(edit for *_, edit in found), recommended=True),),
    )


_CAUSE: Final = Cause("lone_surrogate", "a text was cut in the middle of a character that is written as two halves")
_REPLACE: Final = "replace the half character with U+FFFD"
RULES: Final = (
    Rule("record.lone_surrogate", "records", check, fix_order=10, of_file=True, named=_named),
    Rule("record.torn", "records", fix_order=10, of_file=True),
    Rule("record.glued", "records", fix_order=10, of_file=True),
    Rule("record.nul", "records", fix_order=10, of_file=True),
    Rule("record.bad_json", "records", fix_order=10, of_file=True),
    Rule("record.bad_utf8", "records", fix_order=10, of_file=True),
    Rule("record.duplicate_key", "records", fix_order=10, of_file=True),
    Rule("record.big_number", "records", fix_order=10, of_file=True),
    Rule("record.bom", "records", fix_order=10, of_file=True),
    Rule("record.trailing_comma", "records", fix_order=10, of_file=True),
)
"""Damage to a record. `formats/engine/damage/` finds it in the bytes, and half surrogates outside messages."""

ROW_RULES: Final = (Rule("record.failed", "records", fix_order=10, of_file=True),)
"""Rows of a database: found by the format of opencode."""

LIST_RULES: Final = (Rule("record.no_message", "records", fix_order=10, of_file=True),)
"""Elements of a list in a file: found by `no_message`."""

SENDING_RULES: Final = (Rule("record.left_out", "records", fix_order=50, of_file=True, of_unsent=True),)
"""Records that an agent understands and does not send: found by the format of Gemini CLI."""

ROLLOUT_RULES: Final = (
    Rule("rollout.no_meta", "rollout", fix_order=40, of_file=True),
    Rule("rollout.envelope", "rollout", fix_order=30, of_file=True),
    Rule("rollout.old_form", "rollout", fix_order=20, of_file=True),
    Rule("rollout.last_ordinal", "rollout", of_file=True),
    Rule("rollout.parent_missing", "rollout", of_file=True),
    Rule("rollout.compaction_ignored", "rollout", of_file=True),
    Rule("rollout.not_loaded", "rollout", of_file=True),
    Rule("rollout.no_timestamp", "rollout", fix_order=30, of_file=True),
)
"""Rules about session files as a whole: found by the formats of Codex, pi, Copilot CLI and Qwen Code."""


def no_message(context: Context, value: Any, records: Sequence[int], count: int, *, in_file: bool) -> None:
    """Report elements of a plain list that are not messages: consecutive ones of one kind, `count` in all."""
    edits = tuple(MendBytes(record, "aside") for record in records)
    says_nothing = isinstance(value, EmptyObject)
    if count == 1:
        what = f"This list element is not a message but {type_name(value)}{_with_content_elsewhere(value)}"
        fix = Fix("set-aside", "set it aside, in a file beside this one", edits)
    else:
        what = f"{count:,} list elements in a row are not messages but {_SEVERAL[type_name(value)]}"
        fix = Fix("set-aside", "set them aside, in a file beside this one", edits, recommended=says_nothing)
    context.add(
        "record.no_message",
        f"{what}, so the request is refused.",
        Where(record=records[0], until=records[-1] if len(records) > 1 else None),
        severity="error",
        cause=Cause("no_message", "something else was written into the list of messages"),
        fixes=(fix,) if in_file else (),
        no_fix=None
        if says_nothing
        else "Only you know what it was meant to be: remove it, or write the message that belongs there.",
    )


def _with_content_elsewhere(value: Any) -> str:
    keys = content_elsewhere(value) if isinstance(value, dict) else ()
    return f" whose content is under other keys ({named_keys(keys)})" if keys else ""


def no_numbers(context: Context, record: int, value: Any) -> None:
    """Report NaN and Infinity in an element of a list in memory. In a file they are found in the bytes."""
    found = [(slot, _WORDS.get(number, "NaN")) for slot, number in _floats(value) if not math.isfinite(number)]
    if found:
        context.add(
            "record.bad_json",
            "This message has NaN or Infinity, so the request is not valid JSON.",
            Where(record=record),
            severity="error",
            cause=NO_NUMBER,
            fixes=(Fix("as-text", AS_TEXT, tuple(SetInRecord(record, *one) for one in found), recommended=True),),
        )


_WORDS: Final = {math.inf: "Infinity", -math.inf: "-Infinity"}
NO_NUMBER: Final = Cause("record.no_number", "Python writes NaN and Infinity, which JSON does not have")
AS_TEXT: Final = "write NaN and Infinity as texts"


def _floats(value: Any) -> Iterator[tuple[tuple[str | int, ...], float]]:
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while todo:
        slot, here = todo.pop()
        if isinstance(here, float):
            yield slot, here
        elif isinstance(here, (dict, list)):
            members = here.items() if isinstance(here, dict) else enumerate(here)
            todo.extend(((*slot, key), member) for key, member in members)


def type_name(value: Any) -> str:
    """The type of a JSON value, in words."""
    names = {"NoneType": "null", "str": "a string", "bool": "true or false", "list": "a list", "dict": "an object"}
    return "an empty object" if isinstance(value, EmptyObject) else names.get(type(value).__name__, "a number")


_SEVERAL: Final = {
    "null": "null",
    "a string": "strings",
    "true or false": "true or false",
    "a list": "lists",
    "an object": "objects",
    "an empty object": "empty objects",
    "a number": "numbers",
}
