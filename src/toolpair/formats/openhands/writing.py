"""Edits put back into files of events: a new event gets a file of its own, and the numbers in their names have no gap.

OpenHands finds the events by their numbers and follows their links, so both say the order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.engine.reading.tree_history import Node, fresh_id, uuid_from
from toolpair.formats.engine.writing.linear import with_slots
from toolpair.formats.format import Item
from toolpair.formats.forms.writing import FormLinear, FormWriter
from toolpair.formats.openhands.detection import DATA, EVENT, LEAF, NAME, STATE, event_in
from toolpair.formats.openhands.format import ACTION, LOST, OBSERVED, ROOT, Log, form, is_summary, log_of, view_of
from toolpair.source.rows.layout import FACTS
from toolpair.transcript.draft import Slot
from toolpair.transcript.edits import ABSENT, Edit, Reidentify, Relink
from toolpair.transcript.model import Damaged, Transcript

_Changes = dict[int, dict[Slot, Any]]


class _Events(FormLinear):
    """The files of a conversation, in the order of their numbers. `links` and `ids`: uid of an event -> what edits of
    links give it.
    """

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript, FormWriter(form().compiled, form().reader))
        self.links: dict[int, Any] = {}
        self.ids: dict[int, Any] = {}

    def carry_out(self, edit: Edit) -> None:
        match edit:
            case Relink(record=uid, parent=parent):
                self.links[uid] = parent
            case Reidentify(record=uid, id=new, children=children):
                self.ids[uid] = new
                self.links |= dict.fromkeys(children, new)
            case _:
                super().carry_out(edit)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    log = log_of(transcript)
    events = _Events(items, transcript)
    links, ids = events.links, events.ids
    made = events.run(edits)
    return _Relinked(log, made, links, ids).items()


class _Relinked:
    """The files after edits of what they say, with names, links and the last event as their order wants them."""

    def __init__(self, log: Log, made: Sequence[Item], links: Mapping[int, Any], ids: Mapping[int, Any]) -> None:
        self.log = log
        self.made = made
        stateless = log.stateless.uid if log.stateless is not None else None
        self.events = [item for item in made if _is_event(item) and item.uid != stateless]
        self.left = {item.uid for item in made}
        self.old = {node.uid: node for node in log.tree.nodes}
        self.is_linked = any("parent_id" in event_in(node.value) for node in log.tree.nodes)
        taken = set(log.tree.by_id)
        self.ids: dict[int, Any] = {uid: node.id for uid, node in self.old.items()} | dict(ids)
        last = ""
        for item in made:
            if item.uid not in self.old and _is_event(item):
                self.ids[item.uid] = fresh_id(f"{last} new", taken, uuid_from)
            last = str(self.ids.get(item.uid) or last)
        self.path = self._path()
        self.links = self._links(links)

    def _path(self) -> list[int]:
        """uids of the events on the way to the last one. What is new stands on it, what was there where it is now."""
        on_path = {node.uid for node in self.log.path}
        return [item.uid for item in self.made if item.uid in on_path or (item.uid not in self.old and _is_event(item))]

    def _links(self, links: Mapping[int, Any]) -> dict[int, Any]:
        """uid of an event -> the id of the one that it follows now."""
        found = {uid: node.parent for uid, node in self.old.items()}
        gone = {node.id: node.parent for node in self.old.values() if node.uid not in self.left}
        for uid, parent in found.items():
            passed: set[Any] = set()
            while parent in gone and parent not in passed:
                passed.add(parent)
                parent = gone[parent]
            found[uid] = parent
        old = [node.uid for node in self.log.path]
        root = self.old[old[0]].parent if old else None
        if self.path != old:
            for above, uid in zip([None, *self.path], self.path, strict=False):
                found[uid] = root if above is None else self.ids[above]
        return found | dict(links)

    def items(self) -> list[Item]:
        changes: _Changes = {}
        before: Any = None
        for place, item in enumerate(self.events):
            if isinstance(item.value, Damaged):
                before = LOST
                continue
            changes[item.uid] = {**self._named(item, place), **self._linked(item, before)}
            before = self.ids[item.uid] or before
        self._ends(changes)
        self._answers(changes)
        self._summaries(changes)
        self._marks(changes)
        return [
            Item(item.uid, with_slots(item.value, own)) if (own := changes.get(item.uid)) else item
            for item in self.made
        ]

    def _named(self, item: Item, place: int) -> dict[Slot, Any]:
        """Its number, and its id where it has none or another. A file that holds no event keeps the one in its name."""
        id_, slots = self.ids[item.uid], dict[Slot, Any]()
        stored = as_text(row_of(item.value, EVENT).get("id")) or ""
        known = NAME.fullmatch(stored.rpartition("/")[2])
        is_other = id_ is not None and event_in(item.value).get("id") != id_
        if known is None or int(known[1]) != place or is_other:
            slots[EVENT, "id"] = (
                f"events/event-{place:05}-{known[2] if id_ is None and known is not None else id_}.json"
            )
        if is_other:
            slots[EVENT, DATA, "id"] = id_
        return slots

    def _linked(self, item: Item, before: Any) -> dict[Slot, Any]:
        """Its link, where what it names, or the event before it if it names none, is not what it is to follow. Where no
        event has one, a version may have written them that refuses to load any.
        """
        parent, event = self.links.get(item.uid, before), event_in(item.value)
        written = event.get("parent_id")
        leads_to = None if written == ROOT else written if written is not None else before
        if not event or (leads_to == parent and (item.uid in self.old or not self.is_linked)):
            return {}
        return {(EVENT, DATA, "parent_id"): ROOT if parent is None else parent}

    def _marks(self, changes: _Changes) -> None:
        """Which files begin with a byte order mark is known by their places, which may be others now."""
        marked = [node.uid for node in self.log.tree.nodes if node.place in facts_in(self.log.items).get("marked", ())]
        places = [place for place, item in enumerate(self.events) if item.uid in marked]
        first = next((item for item in self.made if row_of(item.value, FACTS)), None)
        if first is not None and places != facts_in(self.made).get("marked"):
            changes.setdefault(first.uid, {})[FACTS, "marked"] = places

    def _ends(self, changes: _Changes) -> None:
        """The last event, where the file of the conversation names it."""
        state = self.log.state
        now = self.ids[self.path[-1]] if self.path else None
        was = self.log.path[-1].id if self.log.path else None
        if state is not None and now != was and state.value[STATE][DATA].get(LEAF) == was:
            changes[state.uid] = {(STATE, DATA, LEAF): now if now is not None else ABSENT}

    def _answers(self, changes: _Changes) -> None:
        """Results that were renamed or moved name the event of their call, too: by that OpenHands knows it as done."""
        calls: dict[Any, int] = {}
        there = {item.uid: item for item in self.made}
        for uid in self.path:
            event = event_in(there[uid].value)
            id_ = as_text(event.get("tool_call_id"))
            if event.get("kind") == ACTION and id_ is not None:
                calls[id_] = uid
            elif event.get("kind") in OBSERVED and "action_id" in event and id_ in calls:
                before = event_in(self.old[uid].value) if uid in self.old else {}
                own = self.ids[calls[id_]]
                if event["action_id"] != own and (id_ != before.get("tool_call_id") or calls[id_] not in self.old):
                    changes.setdefault(uid, {})[EVENT, DATA, "action_id"] = own

    def _summaries(self, changes: _Changes) -> None:
        """Each summary stays before what it stands before, though more or less is in front of it now."""
        summaries = [node for node in self.log.path if is_summary(node) and node.uid in self.left]
        if not summaries or self.path == [node.uid for node in self.log.path]:
            return
        there = {item.uid: item.value for item in self.made}
        now = [Node(uid, 0, self.ids[uid], None, with_slots(there[uid], changes.get(uid, {}))) for uid in self.path]
        places, old = {node.uid: place for place, node in enumerate(now)}, list(self.log.path)
        for summary in summaries:
            was = [node.uid for node in view_of(old[: old.index(summary) + 1])]
            others = [node.uid for node in view_of(now[: places[summary.uid] + 1]) if node.uid != summary.uid]
            if summary.uid not in was:
                continue
            behind = was[was.index(summary.uid) + 1 :]
            at = next((others.index(uid) for uid in behind if uid in others), len(others))
            if at != event_in(summary.value).get("summary_offset"):
                own = changes.setdefault(summary.uid, {})
                own[EVENT, DATA, "summary_offset"] = at
                place = places[summary.uid]
                now[place] = replace(now[place], value=with_slots(there[summary.uid], own))


def _is_event(item: Item) -> bool:
    return bool(row_of(item.value, EVENT)) or isinstance(item.value, Damaged)
