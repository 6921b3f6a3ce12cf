"""One uuid on several records: the agent reads only the last of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolpair.formats.claude_code.history import History, may_be_parent, nameless_key
from toolpair.formats.claude_code.kept import missing_names, place_in_list
from toolpair.formats.claude_code.lineage import lineage_of
from toolpair.formats.claude_code.record_kinds import ChainNode, same_record, text_or_none
from toolpair.formats.claude_code.relink import fresh_uuid, meant
from toolpair.transcript.counting import plural
from toolpair.transcript.record_tree import BrokenLink, Repair

DOUBLE: Final = "chain.duplicate_uuid"


def doubles_of(history: History) -> Iterator[BrokenLink]:
    """A defect for each record whose uuid a later one has too. Linear in the number of records."""
    if not history.shadowed:
        return
    index = _Index(history)
    nameless = {nameless_key(node.value): node for node in history.nodes if node.uuid is None}
    for earlier in history.shadowed:
        later = nameless[nameless_key(earlier.value)] if earlier.uuid is None else history.by_uuid[earlier.uuid]
        if earlier.type == "progress":
            continue  # it is not part of the history, whatever it is called
        if same_record(earlier.value, later.value) or not (earlier.sent or later.sent):
            yield BrokenLink(
                DOUBLE,
                earlier.uid,
                "This line is in the file twice; the agent reads it once.",
                "info",
                "one record was written twice",
            )
            continue
        outputs = len(earlier.results)
        same = "has the same uuid" if earlier.uuid is not None else "has no uuid either"
        brings = f"brings back {plural(outputs, 'output')}" if outputs else "brings back what it says"
        yield BrokenLink(
            DOUBLE,
            earlier.uid,
            f"A later line {same}, so the agent does not see this one: {plural(outputs, 'output')}.",
            "error",
            "two different records have the same uuid; the later one replaces the earlier everywhere"
            if earlier.uuid is not None
            else "of several records without a uuid, the agent reads only the last",
            outputs,
            _repair(history, index, earlier, later, brings),
        )


class _Index:
    """The chain records of a file in order, those that link to a duplicated uuid, and those whose parent is lost."""

    def __init__(self, history: History) -> None:
        doubled = {node.uuid for node in history.shadowed}
        self.order = lineage_of(history).order
        self.linked: dict[str, list[ChainNode]] = {}
        self.misnamed: dict[int, ChainNode] = {}
        """uid of a record that has another's uuid -> the one still referred to by its own."""
        for node in self.order:
            links = {node.parent, text_or_none(node.value.get("sourceToolAssistantUUID"))}
            for link in links & doubled:
                if link is not None:
                    self.linked.setdefault(link, []).append(node)
            if node.parent not in history.by_uuid and (owner := meant(history, node)) is not None:
                self.misnamed.setdefault(owner.uid, node)


def _repair(history: History, index: _Index, earlier: ChainNode, later: ChainNode, brings: str) -> Repair | None:
    for one in (later, earlier):
        child = index.misnamed.get(one.uid)
        if child is not None and child.parent is not None:
            title = f"give it the uuid that the following lines name ({brings})"
            return Repair(title, identify=((one.uid, child.parent, ()),), several="give them the uuids that are named")
    old = earlier.uuid or ""
    named = _kept_name(history, earlier, later)
    if named is not None:
        return Repair(
            f"give it the uuid that the compaction names ({brings})",
            identify=((named[0].uid, named[1], ()),),
            several="give them the uuids that are named",
        )
    new = fresh_uuid(history, earlier)
    children = tuple(
        node.uid for node in index.linked.get(old, ()) if earlier.position < node.position < later.position
    )
    relink: list[tuple[int, str]] = []
    above = history.by_uuid.get(later.parent or "")
    if later.parent == earlier.parent or above is None or above is later:
        before = _before(history, later)
        if before is not None:
            relink.append((later.uid, new if before is earlier else before.uuid or ""))
    if not children and not relink and not (earlier.type == "user" and earlier.only_results):
        # The chain skips it: its children follow its parent.
        siblings = lineage_of(history).linked.get(earlier.parent or "", ())
        follower = next((node for node in siblings if node.position > earlier.position), None)
        if follower is not None and follower is not later:
            relink.append((follower.uid, new))
    return Repair(
        f"give it its own uuid and link it in ({brings})",
        relink=tuple(relink),
        identify=((earlier.uid, new, children),),
        several="give each its own uuid and link it in",
    )


def _kept_name(history: History, earlier: ChainNode, later: ChainNode) -> tuple[ChainNode, str] | None:
    """Of two records with one uuid, the kept one whose name is missing, and that name."""
    missing = missing_names(history)
    place = place_in_list(history, later.uuid or "")
    if len(missing) != 1 or place is None:
        return None
    at = place_in_list(history, missing[0])
    return (later if at is not None and at > place else earlier), missing[0]


def _before(history: History, node: ChainNode) -> ChainNode | None:
    """The nearest earlier record that may be its parent."""
    return next((other for other in lineage_of(history).before(node) if may_be_parent(history, other)), None)
