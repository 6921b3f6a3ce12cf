"""Problems that the files of several agents have, each found by its own format."""

from __future__ import annotations

from typing import Any, Final

from toolpair.formats.format import Item
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, Impact, Severity
from toolpair.rules.where import Where
from toolpair.transcript.edits import InsertRecord, MendBytes

_FIRST_LINE: Final = "write a first line, from the file's name and its other lines"


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
    fixes: tuple[Fix, ...] = ()
    if line is not None:
        edit = InsertRecord(line, record)
        fixes = (Fix("rebuild-meta", _FIRST_LINE, (edit,), recommended=True, note=note),)
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
    context.add(
        "record.no_message",
        text,
        Where(record=item.uid),
        severity="error",
        impact=impact,
        cause=Cause("no_message", "something else was written into the list of messages"),
        fixes=(aside,),
        no_fix=None if empty else no_fix,
    )
