"""Lines in the form of the first versions: bare items without an envelope, which Codex no longer reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.formats.codex.meta import from_old_meta, session_time
from toolpair.formats.codex.rollout_lines import RolloutLine, is_old_meta, ordinal_of
from toolpair.formats.format import Item, View
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix
from toolpair.rules.where import Where
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import SetInRecord

RULE: Final = "rollout.old_form"


def is_old_item(line: RolloutLine) -> bool:
    """Whether the line is an item as the first versions wrote it."""
    return line.kind == "item" and line.slot == ()


def in_old_form(items: Sequence[Item], lines: Sequence[RolloutLine]) -> bool:
    """Whether the whole file is in that form, so that Codex finds nothing in it."""
    first = next((item.value for item in items if isinstance(item.value, dict)), None)
    return (first is not None and is_old_meta(first)) or all(line.slot == () for line in lines)


def check(context: Context, items: Sequence[Item], lines: Sequence[RolloutLine], view: View, begins: bool) -> bool:
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
        RULE,
        f"{what} in the form of the first versions (2025), and today's Codex {does}.",
        Where(record=first.uid),
        severity="error",
        impact="stops" if whole else "loses",
        cause=Cause(RULE, "a version of Codex before September 2025 wrote it"),
        fixes=() if fix is None else (fix,),
        no_fix="The session's id or time is not certain from what the file tells." if fix is None else None,
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
