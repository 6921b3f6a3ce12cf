"""OpenClaw's sessions since 2026.8: pi's records in rows of a database, beside a list of those that are the history.

What it sends was read in its code and measured on 2026.9.6. It reads its own list (`listed_…`), by position, whatever
the records say of their parents: so a record's parent is, here, the one that it follows in the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.dialects.block_values import words
from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.between import BETWEEN
from toolpair.formats.engine.reading.clock import time_in
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.reading.tree_history import inactive_ways
from toolpair.formats.engine.reading.turns import Turn
from toolpair.formats.engine.sending import is_blank
from toolpair.formats.format import AS_RESUMED, Item, SentRequest, View
from toolpair.formats.openclaw.format import BEHIND, ENDS_ELSEWHERE, MEASURED_ROWS, WAYS
from toolpair.formats.pi_family.detection import profile_for as pi_profile_for
from toolpair.formats.pi_family.history import Model, PiHistory, Ways, history, history_of, transcript_of
from toolpair.formats.pi_family.history import request_kept as pi_request_kept
from toolpair.formats.pi_family.history import usage as pi_usage
from toolpair.formats.pi_family.sending import request_for
from toolpair.transcript.model import Damaged, Transcript

EVENTS: Final = "transcript_events"
STATE: Final = "session_transcript_index_state"
WINDOW: Final = "session_windows"
RECORD: Final = "event_json"
IN_EVENT: Final = (EVENTS, RECORD)
POSITION: Final = "listed_active_position"
MESSAGE_POSITION: Final = "listed_message_position"
ELIGIBLE: Final = "listed_context_eligible"
NAMED: Final = "identity_event_id"
PARENT: Final = "identity_parent_id"
LEAVING_OUT: Final = frozenset({"anthropic-messages"})
"""The APIs for which it leaves calls without a result out, as it looks for turns that Anthropic's would refuse."""
_SPEAKERS: Final = ("user", "assistant")
_BROKE_OFF: Final = (
    "[This turn failed before it completed. Do not redo its work without confirming with the user first.]"
)
_TYPES: Final = frozenset(
    {
        *("message", "thinking_level_change", "model_change", "compaction", "reset", "branch_summary", "custom"),
        *("custom_message", "label", "session_info"),
    }
)
"""Types of records that it continues from."""


class SessionFacts(Struct, frozen=True, eq=False):
    """What all rows of a session show, for those that are only some: these stand in the list in their order."""

    header: Item
    model: Model
    """The one that continues."""


class Event(Struct, eq=False):
    """One row of the transcript."""

    item: Item
    row: Mapping[str, Any]
    record: Mapping[str, Any]
    """Empty for a row without an object in it."""
    id: str | None

    @property
    def parent(self) -> str | None:
        return text_of(self.record.get("parentId"))

    @property
    def is_canonical(self) -> bool:
        """Whether OpenClaw continues from such records."""
        return text_of(self.record.get("type")) in _TYPES

    @property
    def number(self) -> int:
        found = _number(self.row.get("seq"))
        return -1 if found is None else found

    @property
    def name(self) -> str | None:
        """What the index of ids calls it."""
        return text_of(self.row.get(NAMED))

    @property
    def position(self) -> int | None:
        return _number(self.row.get(POSITION))


def text_of(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


class Rows(Struct, eq=False, dict=True):
    """The rows of a session, as the agent has them in use."""

    items: Sequence[Item]
    events: Sequence[Event]
    state: Mapping[str, Any]
    """Empty where there is none."""
    in_use: bool
    """The agent takes its list for complete; else it makes a new one of the records before it reads them."""
    parents: Mapping[int, str | None]
    """uid of each event -> the id of the one that it follows."""
    leaf: str | None
    whole: bool
    """Nothing stands in the rows that this module does not follow, such as marks of a branch that was left."""
    torn: bool
    """A row of the list is not JSON."""
    ends_elsewhere: bool
    """The list goes on after the row that the agent would continue from."""
    links: tuple[Mapping[int, str | None], str | None]
    """The same as `parents` and `leaf` where OpenClaw makes a new list."""
    around: SessionFacts | None = None
    """What is known of the session where these are only some of its rows."""

    @cached_property
    def path(self) -> Sequence[Event]:
        """The history."""
        return path_of(self.events, self.parents, self.leaf)

    @cached_property
    def linked_path(self) -> Sequence[Event]:
        """The history where OpenClaw makes a new list."""
        return path_of(self.events, *self.links)


def rows_in(items: Sequence[Item], around: SessionFacts | None = None) -> Rows:
    events = events_in(items)
    state = next((found for item in items if (found := row_of(item.value, STATE))), {})
    listed = sorted((event for event in events if event.position is not None), key=lambda event: event.position or 0)
    last = max((event.number for event in events), default=-1)
    in_use = around is not None or (
        bool(state)
        and not state.get("needs_rebuild")
        and (state.get("indexed_seq") == last or any(isinstance(item.value, Damaged) for item in items))
        and all(event.row.get(ELIGIBLE) is not None for event in listed)
    )
    whole = not any(
        event.record.get("type") in ("leaf", "reset") or event.record.get("appendMode") is not None for event in events
    )
    links = linked(events)
    by_links, leaf = links if whole else ({event.item.uid: event.parent for event in events}, None)
    parents = dict(by_links)
    damaged = any(isinstance(item.value, Damaged) for item in items)
    places = [event.position for event in listed]
    torn = damaged and (places != [*range(len(places))] or state.get("active_event_count") != len(places))
    if in_use:
        leaf = text_of(state.get("leaf_event_id"))
        for number, event in enumerate(listed):
            before = listed[number - 1] if number else None
            follows = before is not None and (torn or before.position == (event.position or 0) - 1)
            if event.name is not None:
                parents[event.item.uid] = before.name if before is not None and follows else None
        if leaf is None or leaf not in {event.id for event in listed}:
            leaf = max(listed, key=lambda event: event.number).id if listed else None
    ends_elsewhere = in_use and bool(listed) and leaf != listed[-1].id
    return Rows(items, events, state, in_use, parents, leaf, whole, torn, ends_elsewhere, links, around)


def events_in(items: Iterable[Item]) -> list[Event]:
    return [event_of(item) for item in items if row_of(item.value, EVENTS)]


def event_of(item: Item) -> Event:
    row = row_of(item.value, EVENTS)
    found = row.get(RECORD)
    record: Mapping[str, Any] = found if isinstance(found, dict) else {}
    return Event(item, row, record, text_of(record.get("id")) if record.get("type") != "session" else None)


def linked(events: Sequence[Event]) -> tuple[dict[int, str | None], str | None]:
    """uid of each event -> the id of its parent, and where the history ends, when OpenClaw lists it anew.

    A record whose parent is not there before it hangs on the one that the history ended at.
    """
    known: set[str] = set()
    parents: dict[int, str | None] = {}
    leaf: str | None = None
    last: str | None = None
    for event in events:
        if event.id is None or not (event.is_canonical or "parentId" in event.record):
            continue
        parent = event.parent if "parentId" in event.record else leaf
        if event.is_canonical:
            if (parent is not None and parent not in known and leaf is not None) or (parent == last != leaf):
                parent = leaf
            leaf = event.id
        parents[event.item.uid] = parent
        known.add(event.id)
        last = event.id
    return parents, leaf


def path_of(events: Iterable[Event], parents: Mapping[int, str | None], leaf: str | None) -> list[Event]:
    """The events from the first to the last."""
    by_id = {event.id: event for event in events if event.id is not None}
    found: list[Event] = []
    passed: set[int] = set()
    event = by_id.get(leaf) if leaf is not None else None
    while event is not None and event.item.uid not in passed:
        passed.add(event.item.uid)
        found.append(event)
        above = parents.get(event.item.uid)
        event = by_id.get(above) if above is not None else None
    return found[::-1]


def list_differs(rows: Rows) -> bool:
    """Whether the list leads through other records than the links."""
    if not rows.in_use or not rows.whole:
        return False
    return [event.item.uid for event in rows.path] != [event.item.uid for event in rows.linked_path]


# --- as pi's records ---------------------------------------------------------------------------------------


class RowWays(Ways, frozen=True, kw_only=True):
    """What OpenClaw makes of one session's rows."""

    rows: Rows


def _records(rows: Rows) -> list[Item]:
    """pi's records, each with the parent that it has for the agent."""
    found = {event.item.uid: event for event in rows.events}
    made = []
    for item in rows.items:
        event = found.get(item.uid)
        value: Any = item.value if isinstance(item.value, Damaged) else {} if event is None else event.record
        if event is not None and event.id is not None and item.uid in rows.parents:
            value = {**event.record, "parentId": rows.parents[item.uid]}
        made.append(Item(item.uid, value))
    if rows.around is not None and not any(event.record.get("type") == "session" for event in rows.events):
        made.append(Item(rows.around.header.uid, plain_of(rows.around.header.value)))
    # The row that says which session it is may stand anywhere.
    made.sort(key=lambda item: not (isinstance(item.value, dict) and item.value.get("type") == "session"))
    return made


def _is_unsent(record: Mapping[str, Any]) -> bool:
    message = record.get("message")
    return isinstance(message, dict) and message.get("excludeFromContext") is True


def lacking(record: Any) -> dict[str, Any]:
    """The fields of a message without which OpenClaw leaves it out of the history, and what they should be."""
    message = record.get("message") if isinstance(record, dict) else None
    if not isinstance(message, dict):
        return {}
    content, made = message.get("content"), dict[str, Any]()
    if message.get("role") == "toolResult":
        if not isinstance(content, list):
            made["content"] = [] if content is None else [_typed(content)]
        if not isinstance(message.get("isError"), bool):
            made["isError"] = False
        if not isinstance(message.get("toolName"), str):
            made["toolName"] = "unknown"
    elif message.get("role") in _SPEAKERS and not isinstance(content, str):
        parts = content if isinstance(content, list) else [] if content is None else [content]
        if not isinstance(content, list) or any(type_name(part) is None for part in parts):
            made["content"] = [_typed(part) for part in parts]
    return made


def _typed(part: Any) -> Any:
    """A part with a type."""
    if type_name(part) is not None:
        return part
    text = part.get("text") if isinstance(part, dict) else part
    return {"type": "text", "text": text if isinstance(text, str) else words(part)}


def _paired(turns: Sequence[Turn], api: Any = None) -> Sequence[Turn]:
    """As ever, but messages that lack a field are left out, a result without any id is none, and calls without a
    result are left out for some APIs. `api`: of the response that continues, where that is not among these.
    """
    read = (turn for turn in turns if not lacking(turn.node.value))
    named = [turn for turn in read if turn.role != "result" or isinstance(turn.blocks[0].id, str)]
    leaves_out = (_api_of(named) if api is None else api) in LEAVING_OUT
    made = WAYS.paired([_as_note(turn, number, named, leaves_out) for number, turn in enumerate(named)])
    if not leaves_out:
        return made
    missing: dict[int, list[Any]] = {}
    for turn in made:
        if turn.answers is not None and not turn.blocks:
            missing.setdefault(id(turn.node), []).append(turn.answers)
    found: list[Turn] = []
    for turn in made:
        gone = missing.get(id(turn.node), ())
        if turn.role == "result" and not turn.blocks:
            continue
        left = tuple(block for block in turn.blocks if block.kind != "call" or block.id not in gone)
        if left or turn.broken_off or not turn.blocks:
            found.append(turn if len(left) == len(turn.blocks) else replace(turn, blocks=left))
    return found


def _as_note(turn: Turn, number: int, turns: Sequence[Turn], leaves_out: bool) -> Turn:
    """A response that broke off, where a note is sent in its place: one that said something, and has no result."""
    if not turn.broken_off or all(block.kind != "text" or is_blank(block) for block in turn.blocks):
        return turn
    calls = {block.id for block in turn.blocks if block.kind == "call"}
    if calls:
        following = map(turns.__getitem__, range(number + 1, len(turns)))
        after = takewhile(lambda one: all(block.kind != "call" for block in one.blocks), following)
        answered = any(one.role == "result" and one.blocks[0].id in calls for one in after)
        if answered or not leaves_out:
            return turn
    note = WrittenBlock("text", {"type": "text", "text": _BROKE_OFF}, turn.node.uid, ())
    return replace(turn, blocks=(note,), broken_off=False)


def _api_of(turns: Sequence[Turn]) -> Any:
    last: Any = next((turn.node.value for turn in reversed(turns) if turn.role == "assistant"), None)
    message = last.get("message") if isinstance(last, dict) else None
    return message.get("api") if isinstance(message, dict) else None


_NO_JSON: Final = "OpenClaw does not resume this session: a row of the history is not JSON."
_NO_HEADER: Final = "OpenClaw does not resume this session: the row that says which session it is has gone."


def _refuses(found: Rows) -> str | None:
    if found.torn:
        return _NO_JSON
    if not found.in_use and found.events:
        return BEHIND
    return ENDS_ELSEWHERE if found.ends_elsewhere else None


def _ways(found: Rows) -> Ways:
    def refuses(pi: PiHistory) -> str | None:
        return _refuses(found) or (_NO_HEADER if pi.header is None else None)

    own = {
        "version": MEASURED_ROWS,
        "refuses": refuses,
        "within": IN_EVENT,
        "cuts": ("compaction", "reset"),
        "unsent": _is_unsent,
        "paired": _paired if found.around is None else partial(_paired, api=found.around.model[1]),
        "model": None if found.around is None else found.around.model,
    }
    return RowWays(**{**asdict(WAYS), **own}, rows=found)


def found_in(
    items: Sequence[Item], leaf: str | None = None, around: SessionFacts | None = None
) -> tuple[Rows, PiHistory]:
    rows = rows_in(items, around)
    return rows, history(_records(rows), leaf, _ways(rows), rows.leaf)


def rows_of(items: Sequence[Item], transcript: Transcript) -> Rows:
    """The rows in these records, as they are known where the transcript was read from them."""
    ways = history_of(transcript).ways
    return ways.rows if isinstance(ways, RowWays) and ways.rows.items is items else rows_in(items)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    around = None if view.surroundings is None else view.surroundings.agent_facts
    rows, found = found_in(items, view.leaf, around if isinstance(around, SessionFacts) else None)
    made = transcript_of(found, items, view)
    differs = list_differs(rows)
    boundaries = [
        replace(one, cut=replace(one.cut, rule="chain.list_differs", repair=None)) if differs and one.cut else one
        for one in made.boundaries
        # The history does not end at the last row, but where the list does.
        if one.cut is None or one.cut.rule != "chain.wrong_leaf"
    ]
    window = next((row for item in items if (row := row_of(item.value, WINDOW))), {})
    id_ = text_of(window.get("session_id")) or made.session_id
    frame = None if view.surroundings is None else BETWEEN
    return replace(made, session_id=id_, boundaries=tuple(boundaries), frame=frame)


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
    known = history_of(transcript)
    is_same = isinstance(known.ways, RowWays) and known.ways.rows.items is items
    return request_for(known if is_same else found_in(items, transcript.tree.leaf)[1], transcript)


def inactive(items: Sequence[Item], transcript: Transcript) -> Iterable[tuple[str, Sequence[Item]]]:
    found = history_of(transcript)
    by_uid = {item.uid: item for item in items}
    head = [item for item in items if not row_of(item.value, EVENTS) and not isinstance(item.value, Damaged)]
    head += [item for item in items if event_of(item).record.get("type") == "session"]
    for leaf, nodes in inactive_ways(found.tree, found.path):
        yield leaf, [*head, *(by_uid[node.uid] for node in nodes)]


def profile_for(values: Sequence[Any]) -> str:
    return pi_profile_for([plain_of(value) for value in values if row_of(value, EVENTS)])


def request_kept(items: Sequence[Item], response: int | None) -> Any:
    return pi_request_kept([Item(item.uid, plain_of(item.value)) for item in items], response)


def time_of(value: Any) -> float | None:
    return time_in(plain_of(value))


def usage(value: Any) -> Any:
    return pi_usage(plain_of(value))


def plain_of(value: Any) -> Any:
    """pi's record in a row."""
    return row_of(value, EVENTS).get(RECORD)
