"""What only opencode's rows can break, and what becomes of a session with such a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolpair.dialects import opencode as dialect
from toolpair.dialects.block_texts import is_real_output
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.damage.lost import effect_on_readers
from toolpair.formats.engine.damage.own_problems import add_error, recommended
from toolpair.formats.format import Damage, Item, ResumeEffect, View
from toolpair.formats.opencode.detection import MESSAGE, SESSION
from toolpair.formats.opencode.history import (
    STOPS,
    Nearest,
    StoredHistory,
    StoredMessage,
    StoredPart,
    data_in,
    history_of,
    is_sent,
    lacks,
    new_info,
    new_session,
    with_ids,
)
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import ABSENT, InsertRecord, RemoveRecord, SetInRecord
from toolpair.transcript.model import Transcript

_INCOMPLETE: Final = Cause("part_incomplete", "another program wrote the row, or it was changed by hand")


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Iterator[ResumeEffect | None]:
    history = history_of(transcript)
    for one in found:
        if one.at < history.read_from:
            yield ResumeEffect("harmless", f"{history.agent} does not read it again after the summary", "healed")
        elif one.readable:
            yield effect_on_readers(one, history.agent)
        elif not history.in_folder and one.rule == "record.nul" and not one.values and not one.partial:
            yield ResumeEffect("harmless", f"{history.agent} skips it", "healed")
        else:
            yield ResumeEffect("stops", f"{history.agent} cannot load it: {STOPS}", "rejected", complete=_says(one))


def _says(damage: Damage) -> bool:
    """Whether a row says enough once its end is written."""
    data = dialect.data_of(damage.values[0] if damage.values else damage.partial)
    if type_name(data) == "tool":
        state = dialect.state_of(data)
        asked = isinstance(state.get("input"), dict) and next(reversed(state)) not in ("input", "status")
        return isinstance(data.get("callID"), str) and isinstance(data.get("tool"), str) and asked
    return isinstance(data.get("text"), str) and type_name(data) in ("text", "reasoning")


def check(context: Context, items: Sequence[Item], view: View) -> None:
    """What only these rows can break."""
    history = history_of(context.transcript)
    if history.lost is not None:
        _session_lost(context, history, history.lost)
    for place, message in enumerate(history.stored):
        if message.uid is None:
            _message_gone(context, history, message, place)
        elif not isinstance(message.role, str) or (message.info.get("time") is None and not history.in_folder):
            _row_says_nothing(context, history, message, message.uid, place)
    for message in history.active:
        if message.uid is not None and message.info.get("error") and not is_sent(message):
            _failed(context, history, message, message.uid)
        if is_sent(message):
            for part in message.parts:
                if part.uid in history.failing or _lacks_input(message, part):
                    _incomplete(context, history, message, part)


def _session_lost(context: Context, history: StoredHistory, uid: int) -> None:
    text = f"The session's own file is not JSON, so {history.agent} loads neither it nor the list of sessions."
    cause = Cause("session_damaged", "the disk was full, or the machine went down while it was written")
    edit = SetInRecord(uid, (SESSION, "data"), new_session(history))
    fix = recommended("write-session", "write the file again, from its messages", edit, loses="its title")
    add_error(context, "record.bad_json", text, uid, "stops", cause, fix)


def _outputs(message: StoredMessage) -> int:
    blocks = (block for part in message.parts for block in dialect.assistant_blocks(data_in(part), part.uid))
    return sum(map(is_real_output, blocks))


def _failed(context: Context, history: StoredHistory, message: StoredMessage, uid: int) -> None:
    outputs = _outputs(message)
    if not outputs:
        return
    text = f"This response ended in an error, so {history.agent} leaves it out with {plural(outputs, 'output')}."
    edit = SetInRecord(uid, (MESSAGE, "data", "error"), ABSENT)
    title = "remove the note of the error, so that the response is sent"
    fix = recommended("forget-error", title, edit, loses="the note of the error")
    cause = Cause("response_failed", "the provider's API failed after the tools had run")
    add_error(context, "record.failed", text, uid, "loses", cause, fix)


def _message_gone(context: Context, history: StoredHistory, message: StoredMessage, place: int) -> None:
    first = message.parts[0]
    row = {
        "id": message.id,
        "session_id": history.session.get("id"),
        "time_created": message.time,
        "time_updated": message.time,
        "data": _new_info(history, message, place),
    }
    outputs = _outputs(message)
    lost = f" with {plural(outputs, 'output')}" if outputs else ""
    text = f"The message of {plural(len(message.parts), 'part')} is gone, so {history.agent} leaves them out{lost}."
    cause = Cause("message_gone", "the row was deleted and its parts were not")
    edit = InsertRecord({MESSAGE: with_ids(history, MESSAGE, row)}, first.uid)
    gone = tuple(RemoveRecord(part.uid) for part in message.parts)
    fixes = (
        recommended("write-message", "write the row again", edit),
        Fix("remove-parts", "remove what is left of it", gone, loses="what it says"),
    )
    add_error(context, "record.no_message", text, first.uid, "loses", cause, *fixes)


def _row_says_nothing(context: Context, history: StoredHistory, message: StoredMessage, uid: int, place: int) -> None:
    row = {"id": message.id, "session_id": history.session.get("id"), "data": _new_info(history, message, place)}
    made = {**with_ids(history, MESSAGE, row)["data"], **message.info}
    if made.get("time") is None:
        made["time"] = {"created": message.time}
    stops = message.info.get("time") is None
    if history.in_folder:
        stops = message.data is None or isinstance(message.data, str)
    no_json = isinstance(message.data, str)
    what = "is not JSON" if no_json else f"has no {'role' if history.in_folder or not stops else 'time'}"
    then = "cannot load the session" if stops else "leaves it out"
    text = f"This message's row {what}, so {history.agent} {then}."
    title = "write the row again, from its parts and the messages around it"
    fix = recommended("write-message", title, SetInRecord(uid, (MESSAGE, "data"), made))
    cause = Cause("message_damaged", "the row was written wrongly or damaged")
    rule = "record.bad_json" if no_json else "field.missing"
    add_error(context, rule, text, uid, "stops" if stops else "loses", cause, fix)


def _new_info(history: StoredHistory, message: StoredMessage, place: int) -> dict[str, Any]:
    """What the row of a message says, as far as the others show it."""
    kinds = {type_name(part.data) for part in message.parts}
    role = "assistant" if kinds & {"step-start", "tool", "reasoning", "step-finish"} else "user"
    return new_info(role, message.time, Nearest(history.stored, place, itself=False))


def _lacks_input(message: StoredMessage, part: StoredPart) -> bool:
    """Whether it is a call without arguments, not even empty ones."""
    data = data_in(part)
    return message.role == "assistant" and type_name(data) == "tool" and "input" not in dialect.state_of(data)


def _incomplete(context: Context, history: StoredHistory, message: StoredMessage, part: StoredPart) -> None:
    """A part that the agent or the API fails on, and that no other rule finds."""
    data = data_in(part)
    missing = set(lacks(data))
    then = f"{history.agent} cannot send the session"
    if part.data is None:
        text = f"This part of a message is null, so {history.agent} cannot load the session."
        fix = recommended("remove-part", "remove it", RemoveRecord(part.uid))
        add_error(context, "record.bad_json", text, part.uid, "stops", _INCOMPLETE, fix)
        return
    if type_name(data) != "tool":
        what, edit = "text", SetInRecord(part.uid, (*dialect.DATA, "text"), "")
    elif "time" in missing and "output" not in missing:
        times = {"start": message.time, "end": message.time}
        what, edit = "time", SetInRecord(part.uid, (*dialect.STATE, "time"), times)
    elif "state" not in missing and _lacks_input(message, part):
        what, edit = "input", SetInRecord(part.uid, (*dialect.STATE, "input"), {})
        then = "the API refuses the session"
    else:
        return
    text = f"This part of a message has no {what}, so {then}."
    fix = recommended("complete", "write what is missing", edit)
    add_error(context, "field.missing", text, part.uid, "stops", _INCOMPLETE, fix)
