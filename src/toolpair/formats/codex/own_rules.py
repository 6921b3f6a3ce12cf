"""The rules about a rollout as a file: what stops Codex from resuming it, and records that it skips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.formats.codex import unloaded
from toolpair.formats.codex.history import is_readable_compaction, replacement_of
from toolpair.formats.codex.meta import completed_meta, from_old_meta, rebuilt_meta, session_time, unread_fields
from toolpair.formats.codex.rollout_lines import RolloutLine, is_line, is_old_meta, is_paginated, lines_of, ordinal_of
from toolpair.formats.codex.sent_items import facts_of
from toolpair.formats.format import Item, View
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import Where
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import ABSENT, InsertRecord, SetInRecord
from toolpair.transcript.model import Damaged, Slot, Transcript

REFUSES: Final = "Codex does not resume this session"


def refusal(items: Sequence[Item], begins: bool = True, without_parent: str | None = None) -> str | None:
    """Why Codex does not resume the file at all, as far as its records show. `begins`: the file starts with `items`."""
    if begins and not any(is_line(item.value) for item in items):
        return f"{REFUSES}: no line of it is in the form that Codex reads."
    if begins and _no_meta(items):
        return f"{REFUSES}: it does not start with its session_meta line."
    if begins and (fields := _unread_in_meta(items)):
        return f"{REFUSES}: it cannot read {_named(fields)} of its session_meta line."
    if _without_ordinal(items) is not None:
        return f"{REFUSES}: its last line has no ordinal."
    return f"{REFUSES}: {without_parent}." if without_parent is not None else None


def begins_file(transcript: Transcript) -> bool:
    """Whether the transcript was read from the first records of the file."""
    return transcript.edges is None or not transcript.edges.before


def check(context: Context, items: Sequence[Item], view: View) -> None:
    begins = begins_file(context.transcript)
    lines = lines_of(items)
    old = _old_form(context, items, lines, view, begins)
    if begins and not (old and in_old_form(items, lines)):
        _first_line(context, items, view)
        _meta_fields(context, items, view)
    _last_ordinal(context, items)
    _compactions(context, lines)
    unloaded.check(context, items, lines, view)
    _parent(context, lines)


def _no_meta(items: Sequence[Item]) -> bool:
    """Whether the first record is not a session_meta. A damaged one is reported as damage."""
    first = items[0].value if items else None
    return not (isinstance(first, dict) and first.get("type") == "session_meta" and "payload" in first)


def _unread_in_meta(items: Sequence[Item]) -> list[str]:
    """The fields of the first record that Codex cannot read. A missing time is reported with those of other records."""
    first = items[0].value if items else None
    if not isinstance(first, dict) or first.get("type") != "session_meta":
        return []
    return unread_fields(first)


def _named(fields: Sequence[str]) -> str:
    shown = ", ".join(fields[:_SHOWN])
    return shown if len(fields) <= _SHOWN else f"{shown}, …"


_SHOWN: Final = 4
_UNCERTAIN: Final = "The session's id or time is not certain from what the file tells."


def _without_ordinal(items: Sequence[Item]) -> Item | None:
    """The last readable record of a paginated rollout, if it has no ordinal."""
    if not is_paginated(items):
        return None
    last = next((item for item in reversed(items) if isinstance(item.value, dict)), None)
    return last if last is not None and ordinal_of(last.value) is None else None


def _first_line(context: Context, items: Sequence[Item], view: View) -> None:
    if not items or isinstance(items[0].value, Damaged) or not _no_meta(items):
        return
    value = rebuilt_meta(items, view)
    fix = Fix(
        "rebuild-meta",
        "write a session_meta line at the start, from the file's name and its other lines",
        (InsertRecord(value, items[0].uid),),
        recommended=True,
        note="anything else it held, such as the model's instructions, is no longer in the file",
    )
    unloaded.add_stop(
        context,
        "rollout.no_meta",
        "The file does not start with its session_meta line, so Codex does not resume this session.",
        items[0].uid,
        Cause("rollout.no_meta", "the first line was lost or cut off"),
        fix if value is not None else None,
        "What is left does not give the session's id, time and folder for certain.",
    )


def _meta_fields(context: Context, items: Sequence[Item], view: View) -> None:
    """Report a session_meta line that Codex does not accept."""
    fields = _unread_in_meta(items)
    if not fields:
        return
    first = items[0]
    made = completed_meta(first.value, items, view)
    fix = None
    if made is not None:
        gone = [key for key in fields if key in first.value["payload"] and key not in made["payload"]]
        fix = Fix(
            "complete-meta",
            "add the fields Codex needs and drop those it can't read",
            (SetInRecord(first.uid, (), made),),
            recommended=True,
            note=f"{_named(gone)} {'goes' if len(gone) == 1 else 'go'}" if gone else None,
        )
    unloaded.add_stop(
        context,
        "rollout.no_meta",
        f"Codex cannot read {_named(fields)} of the session_meta line, so it does not resume this session.",
        first.uid,
        Cause("rollout.meta_fields", "another program wrote the record, or took fields out of it"),
        fix,
        _UNCERTAIN,
    )


def _last_ordinal(context: Context, items: Sequence[Item]) -> None:
    last = _without_ordinal(items)
    if last is None:
        return
    numbers = [number for item in items if (number := ordinal_of(item.value)) is not None]
    if numbers:
        edits = [SetInRecord(last.uid, ("ordinal",), numbers[-1] + _missing_after(items))]
    else:
        edits = [
            SetInRecord(item.uid, ("ordinal",), number)
            for number, item in enumerate(item for item in items if isinstance(item.value, dict))
        ]
    title = "write the ordinal" if numbers else f"write the ordinals of all {len(edits):,} lines"
    unloaded.add_stop(
        context,
        "rollout.last_ordinal",
        "The last line has no ordinal, so Codex does not resume this session.",
        last.uid,
        Cause("rollout.last_ordinal", "another program wrote the record, or removed the ordinals"),
        Fix("write-ordinal", title, tuple(edits), recommended=True),
    )


def _missing_after(items: Sequence[Item]) -> int:
    """How many readable records follow the last one with an ordinal."""
    count = 0
    for item in reversed(items):
        if ordinal_of(item.value) is not None:
            break
        count += isinstance(item.value, dict)
    return count


def _compactions(context: Context, lines: Sequence[RolloutLine]) -> None:
    for line in lines:
        if line.kind != "compacted" or is_readable_compaction(line):
            continue
        history = replacement_of(line)
        slot: Slot = (*line.slot, "replacement_history_metadata")
        notes = line.payload.get("replacement_history_metadata") if isinstance(line.payload, dict) else None
        fixes = []
        if notes is not None:
            kept: Any = ABSENT
            if history is not None and isinstance(notes, list):
                kept = [notes[number] if number < len(notes) else {} for number in range(len(history))]
            title = "remove the list beside it" if kept is ABSENT else "make the list beside it as long as the history"
            fixes.append(Fix("fit-metadata", title, (SetInRecord(line.uid, slot, kept),), recommended=True))
        context.add(
            "rollout.compaction_ignored",
            (
                "Codex cannot read this compaction, because its two lists differ in length, so the history before it "
                "comes back."
            ),
            Where(record=line.uid),
            severity="warning",
            impact="loses",
            cause=Cause("rollout.compaction_ignored", "an item was removed from only one of its lists"),
            fixes=fixes,
            no_fix=None if fixes else "What it should contain is not in the file.",
        )


def _parent(context: Context, lines: Sequence[RolloutLine]) -> None:
    """A fork continues its parent's file, which must exist."""
    why = facts_of(context.transcript).missing
    meta = next((line for line in lines if line.kind == "meta"), None)
    if meta is None or why is None:
        return
    context.add(
        "rollout.parent_missing",
        f"Codex does not resume this session: {why}.",
        Where(record=meta.uid),
        severity="warning",
        impact="stops",
        cause=Cause(
            "rollout.parent_missing", "the file was copied on its own, or the parent was deleted, moved or made shorter"
        ),
        no_fix="Put the parent's rollout back, as it was, under the same sessions folder.",
    )


_OLD_FORM: Final = "rollout.old_form"


def is_old_item(line: RolloutLine) -> bool:
    """Whether the line is an item as the first versions wrote it."""
    return line.kind == "item" and line.slot == ()


def in_old_form(items: Sequence[Item], lines: Sequence[RolloutLine]) -> bool:
    """Whether the whole file is in that form, so that Codex finds nothing in it."""
    first = next((item.value for item in items if isinstance(item.value, dict)), None)
    return (first is not None and is_old_meta(first)) or all(line.slot == () for line in lines)


def _old_form(context: Context, items: Sequence[Item], lines: Sequence[RolloutLine], view: View, begins: bool) -> bool:
    """Report all such lines as one problem; returns whether there are any. `begins`: the file starts with `items`."""
    old = [line for line in lines if is_old_item(line)]
    meta = lines[0] if begins and lines and lines[0].kind == "meta" and is_old_meta(lines[0].value) else None
    if not old and meta is None:
        return False
    whole = begins and in_old_form(items, lines)
    first = meta or old[0]
    fix = _as_today(items, old, meta, view)
    count = f"{plural(len(old), 'line')} of this rollout {'is' if len(old) == 1 else 'are'}"
    what = "This rollout is" if whole else count
    does = "does not load it" if whole else f"passes {'it' if len(old) == 1 else 'them'} by"
    context.add(
        _OLD_FORM,
        f"{what} in the form of the first versions (2025), and today's Codex {does}.",
        Where(record=first.uid),
        severity="error",
        impact="stops" if whole else "loses",
        cause=Cause(_OLD_FORM, "a version of Codex before September 2025 wrote it"),
        fixes=() if fix is None else (fix,),
        no_fix=_UNCERTAIN if fix is None else None,
    )
    return True


def _as_today(items: Sequence[Item], old: Sequence[RolloutLine], meta: RolloutLine | None, view: View) -> Fix | None:
    """The fix that puts each of the lines into an envelope."""
    time = session_time(items, view)
    if time is None:
        return None
    edits: list[SetInRecord] = []
    if meta is not None:
        begun = from_old_meta(meta.value, items, view)
        if begun is None:
            return None
        edits.append(SetInRecord(meta.uid, (), begun))
    wanted = {line.uid for line in old}
    number: int | None = None
    for item in items:
        value = item.value
        if item.uid in wanted:
            edits.append(SetInRecord(item.uid, (), _enveloped(value, time, number)))
        elif isinstance(value, dict):
            known = value.get("timestamp")
            time = known if isinstance(known, str) else time
            own = ordinal_of(value)
            number = own if own is not None else number
    return Fix(
        "todays-form",
        "write it in today's form, as it was said",
        tuple(edits),
        recommended=True,
        note="the time of each line is not in the file: they get that of the line before",
    )


def _enveloped(item: Mapping[str, Any], time: str, number: int | None) -> dict[str, Any]:
    own = item.get("timestamp")
    record: dict[str, Any] = {"timestamp": own if isinstance(own, str) else time}
    if number is not None:
        record["ordinal"] = number
    return {**record, "type": "response_item", "payload": item}
