"""What stops goose or makes it lose something, besides broken pairs; and what becomes of each problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects import goose as dialect
from toolpair.dialects.block_values import words
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import add_error, recommended
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import Damage, Item, ResumeEffect, View
from toolpair.formats.goose.detection import MESSAGES, SESSIONS, content_key, fields_of, is_message, row_slot
from toolpair.formats.goose.history import GooseRecords, unreadable_in
from toolpair.formats.goose.readable import IN_RESULT, cannot_be_read, has_fields, is_part, odd_columns
from toolpair.rules.context import Context, tool_of
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import Where, at_message
from toolpair.transcript.edits import Edit, InsertMessage, Reorder, SetInRecord
from toolpair.transcript.model import Transcript

_NOTICES: Final = ("contextLengthExceeded", "summarizationRequested", "conversationCompacted")
"""Types of parts that older versions wrote for the screen; the newest one stops at them."""
_SETTINGS: Final = "model_config_json"
_OLD_CALL: Final = "frontendToolRequest"
_WITHIN: Final = ("result.type_not_allowed", "name.missing")
"""Rules whose problems are part of why a row cannot be read."""


# --- what can be read --------------------------------------------------------------------------------------


def _readable(part: Any) -> Any:
    """A part as goose reads it; None for what it never sent."""
    if is_part(part):
        return part
    kind = type_name(part)
    if part is None or kind in _NOTICES:
        return None
    if isinstance(part, dict) and "toolResult" in part and "toolCall" not in part:
        part, kind = {**part, "type": dialect.RESULT}, dialect.RESULT  # whatever it says that it is
    if kind in (dialect.CALL, _OLD_CALL) and isinstance(part.get("id"), str):
        return {**part, "type": dialect.CALL, "toolCall": _call(part.get("toolCall"))}
    if kind == dialect.RESULT and isinstance(part.get("id"), str):
        return {**part, "toolResult": _result(part.get("toolResult"))}
    if kind == "thinking" and isinstance(part.get("thinking"), str):
        return {**part, "signature": ""}
    text = part.get("text") if isinstance(part, dict) and isinstance(part.get("text"), str) else None
    return {"type": "text", "text": text if text is not None else part if isinstance(part, str) else words(part)}


def _call(said: Any) -> dict[str, Any]:
    found = said if isinstance(said, dict) else {}
    if found.get("status") == "error":
        return {"status": "error", "error": words(found.get("error"))}
    value = found.get("value", found)
    value = value if isinstance(value, dict) else {}
    name = value.get("name")
    given = {"arguments": value["arguments"]} if "arguments" in value else {"arguments": {}}
    return {"status": "success", "value": {"name": name if isinstance(name, str) else "unknown", **given}}


def _result(said: Any) -> dict[str, Any]:
    found = said if isinstance(said, dict) else {}
    if found.get("status") == "error":
        return {"status": "error", "error": words(found.get("error"))}
    value = found.get("value", said)
    outer = value if isinstance(value, dict) else {}
    content = outer.get("content") if outer.keys() <= {"content", "isError", "structuredContent"} else outer
    content = content if isinstance(value, dict) else value
    parts = content if isinstance(content, list) else [content] if content is not None else []
    made = [part if has_fields(part, IN_RESULT) else _as_text(part) for part in parts if part is not None]
    return {"status": "success", "value": {"content": made, "isError": outer.get("isError") is True}}


def _as_text(part: Any) -> dict[str, Any]:
    return {"type": "text", "text": part if isinstance(part, str) else words(part)}


# --- rules of its own --------------------------------------------------------------------------------------


def check(context: Context, items: Sequence[Item], view: View) -> None:
    unreadable = unreadable_in(context.transcript)
    _left_out(context)
    _settings(context, items)
    context.problems[:] = [one for one in context.problems if one.record not in unreadable or one.rule not in _WITHIN]
    numbers = {record: number for number, one in enumerate(context.messages) for record in one.records}
    for item in items if unreadable else ():
        if item.uid in unreadable:
            _unreadable(context, item, numbers.get(item.uid))
    if not facts_of(context.transcript, GooseRecords).in_turns:
        _words_before_results(context)
    _leading_response(context)


def _left_out(context: Context) -> None:
    """What goose does not send, whatever the API would accept. It writes a call together with its result: one that is
    alone at the end never gets one.
    """
    for number, problem in enumerate(context.problems):
        if problem.rule == "turn.trailing_call":
            text = f"{tool_of(problem.call)} was called at the very end, and no result for it is in this history."
            context.problems[number] = replace(problem, severity="error", own_impact="loses", text=text)
        elif problem.rule == "result.id_mismatch":
            context.problems[number] = replace(problem, severity="error", own_impact="loses")


def _settings(context: Context, items: Sequence[Item]) -> None:
    """The settings of the model, in the session's own row."""
    of_session = next((item for item in items[:2] if row_of(item.value, SESSIONS)), None)
    found = row_of(of_session.value, SESSIONS).get(_SETTINGS) if of_session is not None else None
    if of_session is None or found is None or isinstance(found, dict):
        return
    text = (
        f"The session's model settings ({_SETTINGS}) are not JSON, so goose continues with those of its configuration."
    )
    edit = SetInRecord(of_session.uid, (SESSIONS, _SETTINGS), None)
    context.add(
        "record.bad_json",
        text,
        Where(record=of_session.uid),
        severity="warning",
        impact="harmless",
        cause=Cause("settings_damaged", "the column was cut off, or written by another program"),
        fixes=(Fix("clear", "empty the column", (edit,), loses="what is left of the settings"),),
    )


def _unreadable(context: Context, item: Item, number: int | None) -> None:
    in_row = bool(row_slot(item.value))
    slot, key = row_slot(item.value), content_key(item.value)
    content = fields_of(item.value)[key]
    given = content if isinstance(content, list) else [content]
    readable = [made for part in given if (made := _readable(part)) is not None]
    notices = any(type_name(part) in _NOTICES for part in given)
    edits: list[Edit] = [SetInRecord(item.uid, (*slot, name), v) for name, v in odd_columns(item.value).items()]
    if not isinstance(content, list) or not all(map(is_part, content)):
        edits.append(SetInRecord(item.uid, (*slot, key), readable))
    text = "goose does not know what to do with this message, and skips it."
    if in_row:
        text = "goose does not start: it does not know what to do with this row."
    loses = "goose's own notice, which it never sent" if notices else None
    fix = recommended("complete", "write it as goose reads it", *edits, loses=loses)
    where = Where(at=None if number is None else (number, None), record=item.uid)
    cause = Cause("wrong_type", "another version of goose, or another program, wrote it")
    add_error(context, "field.missing", text, where, "stops" if in_row else "loses", cause, fix)


def _words_before_results(context: Context) -> None:
    """Chat messages get the words of a row before its results, wherever they stand in it."""
    for number, message in enumerate(context.messages):
        kinds = {block.kind for block in message.blocks if not _is_unsent(block.value)}
        if message.role != "user" or "result" not in kinds or kinds == {"result"}:
            continue
        at = next(n for n, block in enumerate(message.blocks) if block.kind == "result")
        text = "Text stands in one message with a result, and goose sends it before the result, which the API refuses."
        title = "put the text into a message after the results"
        fix = recommended("results-first", title, Reorder(message, "results_first"))
        cause = Cause("text_with_result", "text was put into the message of a result")
        add_error(context, "result.not_first", text, Where(at=(number, at), about=message), None, cause, fix)


def _is_unsent(value: Any) -> bool:
    return type_name(value) not in ("text", "tool_result", "image", "document") or value.get("text") == ""


def _leading_response(context: Context) -> None:
    """goose leaves a response out that nothing of the user's comes before, and the results of its calls."""
    first = context.messages[0] if context.messages else None
    edges = context.transcript.edges
    if first is None or first.role != "assistant" or (edges is not None and edges.before):
        return
    if any(problem.rule == "turn.first_not_user" for problem in context.problems):
        return
    words = InsertMessage(None, "user", "(conversation resumed)")
    fix = recommended("insert-user", "add a short user message at the start", words)
    context.add(
        "turn.first_not_user",
        "The conversation does not start with a user message, so goose leaves the first response out.",
        at_message(0, first),
        severity="error" if first.calls else "warning",
        impact="loses" if first.calls else "harmless",
        cause=Cause("begins_with_assistant", "the beginning was cut off, or the assistant greeted first"),
        fixes=(fix,),
    )


def _damage(damage: Damage, in_rows: bool) -> ResumeEffect | None:
    """What goose makes of a record that cannot be read."""
    if damage.rule == "record.big_number":
        return effect_on_readers(damage, "goose")
    closed = damage.values[0] if damage.values else damage.partial
    if damage.rule == "record.bad_utf8" and (session := row_of(closed, SESSIONS)):
        if "\ufffd" in str(session.get("working_dir")):
            return ResumeEffect("stops", "goose does not find this session", "rejected", "history")
        return ResumeEffect("harmless", "goose resumes without the text that they are in", "healed")
    whole = is_message(closed) and not cannot_be_read(closed)
    if in_rows:
        splits = all(row_slot(value) for value in damage.values)
        return ResumeEffect("stops", "goose crashes at it", "rejected", "history", complete=whole, splits=splits)
    return ResumeEffect("loses", "goose skips it", "dropped", "what it says", complete=whole)


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    in_rows = any(MESSAGES in item.value for item in items if isinstance(item.value, dict))
    return [_damage(one, in_rows) for one in found]
