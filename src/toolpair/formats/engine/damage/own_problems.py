"""Problems that the files of several agents have, each found by its own format."""

from __future__ import annotations

from typing import Any, Final

from toolpair.formats.format import Item
from toolpair.rules.context import Context
from toolpair.rules.odd_records import type_name
from toolpair.rules.problem import Cause, Fix, Impact, Severity
from toolpair.rules.where import Where
from toolpair.transcript.edits import Edit, InsertRecord, MendBytes

_FIRST_LINE: Final = "write a first line, from the file's name and its other lines"


def add_error(
    context: Context,
    rule: str,
    text: str,
    where: Where | int,
    impact: Impact | None,
    cause: Cause | None,
    *fixes: Fix,
    no_fix: str | None = None,
) -> None:
    """An error whatever the provider says. `where` may be the uid of a record."""
    place = where if isinstance(where, Where) else Where(record=where)
    context.add(rule, text, place, severity="error", impact=impact, cause=cause, fixes=fixes, no_fix=no_fix)


def recommended(id_: str, title: str, *edits: Edit, loses: str | None = None, note: str | None = None) -> Fix:
    """The fix that is recommended."""
    return Fix(id_, title, edits, recommended=True, loses=loses, note=note)


def no_first_line(
    context: Context,
    record: int,
    text: str,
    line: dict[str, Any] | None,
    *,
    impact: Impact,
    severity: Severity = "error",
    note: str | None = None,
) -> None:
    """The line that says which session it is is not there. `line` is one to put before `record`, if any would help."""
    fixes = () if line is None else (recommended("rebuild-meta", _FIRST_LINE, InsertRecord(line, record), note=note),)
    context.add(
        "rollout.no_meta",
        text,
        Where(record=record),
        severity=severity,
        impact=impact,
        cause=Cause("rollout.no_meta", "the first line was lost or cut off"),
        fixes=fixes,
        no_fix=None if fixes else "What it said is in no other line.",
    )


def no_message(
    context: Context, item: Item, text: str, *, empty: bool, impact: Impact | None = None, no_fix: str | None = None
) -> None:
    """An element of the list of messages is none. It is set aside, without asking if it is `empty`."""
    aside = Fix("set-aside", "set it aside, in a file beside this one", (MendBytes(item.uid, "aside"),), empty)
    cause = Cause("no_message", "something else was written into the list of messages")
    add_error(context, "record.no_message", text, item.uid, impact, cause, aside, no_fix=None if empty else no_fix)


def holds_something_else(
    context: Context, record: int, value: Any, text: str, wanted: str, *, needed: bool = False
) -> None:
    """A row or a file of a store holds something else than its library reads. What says nothing is set aside without
    asking, unless it is `needed`. `text` has a place for what is there.
    """
    is_empty = not needed and (not value or isinstance(value, (bool, int, float)))
    is_part = isinstance(value, dict) and value
    there = f"{wanted} that is not whole" if is_part else f"{type_name(value)} instead of {wanted}"
    aside = Fix("set-aside", "set it aside, in a file beside this one", (MendBytes(record, "aside"),), is_empty)
    cause = Cause("no_message", "something else was written in its place")
    left = f"Only you know what it was meant to be: set it aside, or write {wanted}."
    said = text.format(there)
    add_error(context, "record.bad_json", said, record, "stops", cause, aside, no_fix=None if is_empty else left)
