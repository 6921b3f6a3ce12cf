"""What can be wrong with OpenClaw's rows alone: its list of the history, the row that says whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolpair.formats.engine.damage.own_problems import add_error, recommended
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.reading.tree_history import SkippedLines
from toolpair.formats.format import Damage, Item, ResumeEffect, View
from toolpair.formats.openclaw.format import TITLE
from toolpair.formats.openclaw.rows import (
    EVENTS,
    IN_EVENT,
    STATE,
    WINDOW,
    Event,
    Rows,
    lacking,
    linked,
    list_differs,
    path_of,
    plain_of,
    rows_of,
    text_of,
)
from toolpair.formats.openclaw.writing import in_order
from toolpair.formats.pi_family.history import history_of
from toolpair.rules.context import Context
from toolpair.rules.problem import Cause, Fix, Impact, Severity
from toolpair.rules.where import Where
from toolpair.transcript.counting import plural
from toolpair.transcript.edits import Edit, InsertRecord, Relink, SetInRecord
from toolpair.transcript.model import Damaged, Transcript

RULE: Final = "chain.list_differs"
_OUT_OF_ORDER: Final = (
    "The rows are in another order than the list, which links cannot express; a new list would lack messages."
)
_PLACE: Final = re.compile(rb'"listed_active_position":(\d+|null)')


def _damage(found: Sequence[Damage], skipped: SkippedLines, torn: bool) -> list[ResumeEffect | None]:
    """What the agent makes of rows that are not JSON. `torn`: with them, its list of the history has a gap."""
    places = [_PLACE.search(damage.raw) for damage in found]
    listed = [place is not None and place[1] != b"null" for place in places]
    # Where none of them says that it is in the list, the gap may be any one's.
    stops = listed if any(listed) or not torn else [True] * len(found)
    return [_effect(damage, skipped, stop) for damage, stop in zip(found, stops, strict=True)]


def _effect(damage: Damage, skipped: SkippedLines, stops: bool) -> ResumeEffect | None:
    alone = replace(damage, values=tuple(map(plain_of, damage.values)), partial=plain_of(damage.partial))
    found = skipped.effect(alone)
    if found is None or damage.readable:
        return found
    if not stops:
        return replace(found, splits=False)
    says = f"{TITLE} does not resume this session"
    return ResumeEffect("stops", says, "rejected", "history", complete=found.complete, splits=False)


def check(context: Context, items: Sequence[Item], view: View) -> None:
    rows, pi = rows_of(items, context.transcript), history_of(context.transcript)
    if not rows.events:
        return
    numbers = {record: number for number, one in enumerate(context.messages) for record in one.records}
    for event in rows.path:
        if made := lacking(event.record):
            _left_out(context, event, made, numbers.get(event.item.uid))
    if any(isinstance(item.value, Damaged) for item in rows.items):
        return
    if pi.header is None:
        _add_header(context, rows)
    if rows.around is not None:
        return  # they were found to stand in the list as they have to
    _check_list(context, rows)


def _left_out(context: Context, event: Event, made: Mapping[str, Any], number: int | None) -> None:
    """A message that OpenClaw does not take for one."""
    blocks = context.messages[number].blocks if number is not None else ()
    result = next((one for one in blocks if one.kind == "result" and one.record == event.item.uid), None)
    pair = context.pairing.pair_of(result) if result is not None else None
    if "toolName" in made and pair is not None and pair.call is not None and pair.call.name:
        made = {**made, "toolName": pair.call.name}
    what = "result" if result is not None else "message"
    absent = ", ".join(name for name in made if name not in event.record["message"])
    lacks = f"has no {absent}" if absent else f"has another type of {', '.join(made)} than it reads"
    edits = (SetInRecord(event.item.uid, (*IN_EVENT, "message", key), value) for key, value in made.items())
    fix = recommended("complete", f"write it as {TITLE} reads it", *edits)
    text = f"This {what} {lacks}, so {TITLE} leaves it out without telling you."
    where = Where(at=None if number is None else (number, None), result=result, record=event.item.uid)
    cause = Cause("wrong_type", "its end was cut off, or another program wrote it")
    add_error(context, "field.missing", text, where, "loses", cause, fix)


def _add_header(context: Context, rows: Rows) -> None:
    """The row that says which session it is has gone, or does not say it."""
    window = next((row for item in rows.items if (row := row_of(item.value, WINDOW))), {})
    first, id_ = rows.events[0], text_of(window.get("session_id"))
    there = next((event for event in rows.events if event.record.get("type") == "session"), None)
    fixes: tuple[Fix, ...] = ()
    if id_ is not None and there is not None:
        named = SetInRecord(there.item.uid, (*IN_EVENT, "id"), id_)
        fixes = (recommended("rebuild-meta", "write the session's id into its row", named),)
    elif id_ is not None:
        time = next((event.record["timestamp"] for event in rows.events if "timestamp" in event.record), None)
        record = {"type": "session", "version": 4, "id": id_, "timestamp": time, "cwd": "/"}
        made = {key: None for key in first.row if key not in ("session_id", "created_at")}
        row = {"session_id": id_, "created_at": first.row.get("created_at"), **made}
        edit = InsertRecord({EVENTS: {**row, "event_json": record}}, first.item.uid)
        fixes = (recommended("rebuild-meta", "write that row, from the session's other rows", edit),)
    text = f"The session does not have its session row, so {TITLE} does not resume it."
    cause = Cause("rollout.no_meta", "the row was deleted" if there is None else "the row was changed")
    no_fix = None if fixes else "No other row says which session it is."
    add_error(context, "rollout.no_meta", text, first.item.uid, "stops", cause, *fixes, no_fix=no_fix)


def _check_list(context: Context, rows: Rows) -> None:
    path = rows.path
    links = rows.linked_path if rows.whole else path
    if rows.in_use and not rows.ends_elsewhere and not list_differs(rows):
        if not in_order(rows, path):
            _add(context, rows, f"A count or a place in {TITLE}'s list of the history is wrong.", [_again(rows)])
        return
    if not rows.in_use:
        _add(context, rows, f"{TITLE}'s list of the history is out of date.", [_again(rows)], "error", "stops")
        return
    hidden, sent = _without(links, path), _without(path, links)
    can_be_linked = _can_be_linked(rows, path)
    follow_links = _fix(
        "follow-links",
        "rebuild the list from the links",
        _to_links(rows, links),
        sent,
        recommended=not sent and (bool(hidden) or not can_be_linked),
    )
    follow_list = _fix(
        "follow-list",
        "change the links to what the list says",
        _to_list(rows, path),
        (),
        recommended=not hidden or bool(sent),
    )
    fixes = [follow_links, follow_list] if can_be_linked else [follow_links]
    if hidden:
        text = f"{TITLE}'s list of the history lacks {plural(len(hidden), 'message')}."
        impact: Impact = "stops" if rows.ends_elsewhere else "loses"
        _add(context, rows, text, fixes, "error", impact, _about(hidden, path))
        return
    text = f"{TITLE}'s list of the history is not what the links say"
    later = f"; a new list would lack {plural(len(sent), 'message')}." if sent else "."
    how: tuple[Severity, Impact] = ("error", "stops") if rows.ends_elsewhere else ("warning", "harmless")
    _add(context, rows, text + later, fixes[::-1], *how, about=_about(sent, path))


def _can_be_linked(rows: Rows, path: Sequence[Event]) -> bool:
    """Whether links can say what the list says: a new list follows the links to rows in front, from the last row on."""
    listed = {event.item.uid for event in path}
    events = [
        replace(event, record={**event.record, "parentId": rows.parents[event.item.uid]})
        if event.item.uid in listed and event.item.uid in rows.parents
        else event
        for event in rows.events
    ]
    parents, leaf = linked(events)
    return [event.item.uid for event in path_of(events, parents, leaf)] == [event.item.uid for event in path]


def _without(events: Iterable[Event], others: Iterable[Event]) -> list[Event]:
    """The messages that are not among the others."""
    known = {event.item.uid for event in others}
    return [event for event in events if event.item.uid not in known and "message" in event.record]


def _about(found: Sequence[Event], path: Sequence[Event]) -> int | None:
    return next((event.item.uid for event in (*found, *path)), None)


def _add(
    context: Context,
    rows: Rows,
    text: str,
    fixes: Sequence[Fix],
    severity: Severity = "warning",
    impact: Impact = "harmless",
    about: int | None = None,
) -> None:
    record = about if about is not None else rows.events[0].item.uid
    cause = Cause(RULE, "rows of one table were changed, and not those of the others")
    left = None if any(fix.recommended for fix in fixes) else _OUT_OF_ORDER
    context.add(
        RULE, text, Where(record=record), severity=severity, impact=impact, cause=cause, fixes=tuple(fixes), no_fix=left
    )


def _again(rows: Rows) -> Fix:
    return _fix("follow-links", "rebuild the list", [_nothing(rows)], ())


def _fix(id_: str, title: str, edits: Sequence[Edit], lost: Sequence[Event], recommended: bool = True) -> Fix:
    loses = f"{plural(len(lost), 'message')} that {TITLE} sends now" if lost else None
    return Fix(id_, title, tuple(edits), recommended=recommended, loses=loses, several=title)


def _nothing(rows: Rows) -> Edit:
    """An edit that leaves the records as they are: what is derived of them is written again after each."""
    event = rows.events[0]
    return SetInRecord(event.item.uid, (*IN_EVENT, "type"), event.record.get("type"))


def _to_links(rows: Rows, links: Sequence[Event]) -> list[Edit]:
    by_links, leaf = rows.links
    edits: list[Edit] = [
        Relink(event.item.uid, by_links[event.item.uid])
        for event in links
        if rows.parents.get(event.item.uid) != by_links[event.item.uid]
    ]
    state = next((item.uid for item in rows.items if row_of(item.value, STATE)), None)
    if state is None:
        return edits or [_nothing(rows)]
    return [*edits, SetInRecord(state, (STATE, "leaf_event_id"), leaf), SetInRecord(state, (STATE, "indexed_seq"), -1)]


def _to_list(rows: Rows, path: Sequence[Event]) -> list[Edit]:
    edits: list[Edit] = [
        SetInRecord(event.item.uid, (*IN_EVENT, "parentId"), rows.parents[event.item.uid])
        for event in path
        if event.item.uid in rows.parents and rows.parents[event.item.uid] != event.parent
    ]
    return edits or [_nothing(rows)]


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    places = {item.uid: number for number, item in enumerate(items)}
    skipped = SkippedLines(TITLE, history_of(transcript).tree, transcript, places)
    return _damage(found, skipped, rows_of(items, transcript).torn)
