"""What is wrong with a rollout as a file: what keeps Codex from resuming it, and records that it passes by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.base import Item, View
from toolpair.formats.codex import unloaded
from toolpair.formats.codex.forks import parent_id, parent_is_there
from toolpair.formats.codex.history import is_readable_compaction, replacement_of
from toolpair.formats.codex.items import Slot
from toolpair.formats.codex.meta import rebuilt_meta
from toolpair.formats.codex.records import Line, lines_of, ordinal_of
from toolpair.rules.base import Cause, Fix
from toolpair.rules.context import Context
from toolpair.transcript.edits import ABSENT, InsertRecord, SetInRecord
from toolpair.transcript.model import Damaged, Transcript

REFUSES: Final = "Codex does not resume this session"


def refusal(items: Sequence[Item], begins: bool = True) -> str | None:
    """Why Codex does not resume the file at all, as far as its records tell. `begins`: the file begins with them."""
    if begins and _no_meta(items):
        return f"{REFUSES}: it does not start with its session_meta line."
    if _without_ordinal(items) is not None:
        return f"{REFUSES}: its last line has no ordinal."
    return None


def begins_file(transcript: Transcript) -> bool:
    """Whether nothing stands in front of the records that it was read from."""
    return transcript.beyond is None or not transcript.beyond.before


def check(context: Context, items: Sequence[Item], view: View) -> None:
    if begins_file(context.transcript):
        _first_line(context, items, view)
    _last_ordinal(context, items)
    lines = lines_of(items)
    _compactions(context, lines)
    unloaded.check(context, items, lines)
    _parent(context, lines, view)


def is_paginated(items: Sequence[Item]) -> bool:
    for item in items:
        value = item.value
        if isinstance(value, dict) and value.get("type") == "session_meta" and isinstance(value.get("payload"), dict):
            return bool(value["payload"].get("history_mode") == "paginated")
    return False


def _no_meta(items: Sequence[Item]) -> bool:
    """The first record is none that tells of the session. Damaged ones are told of as such."""
    first = items[0].value if items else None
    if isinstance(first, Damaged):
        return True
    new_shape = any(isinstance(item.value, dict) and "payload" in item.value for item in items[:50])
    return new_shape and not (isinstance(first, dict) and first.get("type") == "session_meta")


def _without_ordinal(items: Sequence[Item]) -> Item | None:
    """The last readable record of a paginated rollout, when it has no ordinal."""
    if not is_paginated(items):
        return None
    last = next((item for item in reversed(items) if isinstance(item.value, dict)), None)
    return last if last is not None and ordinal_of(last.value) is None else None


def _first_line(context: Context, items: Sequence[Item], view: View) -> None:
    if not items or isinstance(items[0].value, Damaged) or not _no_meta(items):
        return
    value = rebuilt_meta(items, view)
    fixes = []
    if value is not None:
        fixes.append(
            Fix(
                "rebuild-meta",
                "write a session_meta line at the start, from the file's name and its other lines",
                (InsertRecord(value, items[0].uid),),
                recommended=True,
                note="anything else it held, such as the model's instructions, is no longer in the file",
            )
        )
    context.add(
        "rollout.no_meta",
        "The file does not start with its session_meta line, so Codex does not resume this session.",
        record=items[0].uid,
        severity="error",
        impact="stops",
        cause=Cause("rollout.no_meta", "the first line was lost or cut off"),
        fixes=fixes,
        no_fix=None if fixes else "What is left does not give the session's id, time and folder for certain.",
    )


def _last_ordinal(context: Context, items: Sequence[Item]) -> None:
    last = _without_ordinal(items)
    if last is None:
        return
    numbers = [number for item in items if (number := ordinal_of(item.value)) is not None]
    edits = []
    if numbers:
        edits = [SetInRecord(last.uid, ("ordinal",), numbers[-1] + _missing_behind(items))]
    else:
        edits = [
            SetInRecord(item.uid, ("ordinal",), number)
            for number, item in enumerate(item for item in items if isinstance(item.value, dict))
        ]
    context.add(
        "rollout.last_ordinal",
        "The last line has no ordinal, so Codex does not resume this session.",
        record=last.uid,
        severity="error",
        impact="stops",
        cause=Cause("rollout.last_ordinal", "another program wrote the record, or removed the ordinals"),
        fixes=(
            Fix(
                "write-ordinal",
                "write the ordinal" if numbers else f"write the ordinals of all {len(edits):,} lines",
                tuple(edits),
                recommended=True,
            ),
        ),
    )


def _missing_behind(items: Sequence[Item]) -> int:
    """How many readable records follow the last one with an ordinal."""
    count = 0
    for item in reversed(items):
        if ordinal_of(item.value) is not None:
            break
        count += isinstance(item.value, dict)
    return count


def _compactions(context: Context, lines: Sequence[Line]) -> None:
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
            record=line.uid,
            severity="warning",
            impact="loses",
            cause=Cause("rollout.compaction_ignored", "an item was removed from only one of its lists"),
            fixes=fixes,
            no_fix=None if fixes else "What it should contain is not in the file.",
        )


def _parent(context: Context, lines: Sequence[Line], view: View) -> None:
    """A fork goes on from its parent's file, which has to be there."""
    meta = next((line for line in lines if line.kind == "meta"), None)
    parent = parent_id(meta.payload) if meta is not None else None
    if meta is None or parent is None or view.beside is None or parent_is_there(parent, view.beside):
        return
    context.add(
        "rollout.parent_missing",
        f"This is a fork of session {parent}, whose rollout is not beside it: Codex does not resume the fork without "
        "it.",
        record=meta.uid,
        severity="warning",
        impact="stops",
        cause=Cause("rollout.parent_missing", "the file was copied on its own, or the parent was deleted or moved"),
        no_fix="Put the parent's rollout back under the same sessions folder.",
    )
