"""Faulty links in a file that do not cut its history, and uuids that several records have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.formats.claude_code.cuts import beginning_in_a_circle, further_breaks
from toolpair.formats.claude_code.history import ChainHistory, may_be_parent, nameless_key
from toolpair.formats.claude_code.kept import kept_missing, missing_names, place_in_list
from toolpair.formats.claude_code.lineage import lineage_of
from toolpair.formats.claude_code.record_kinds import ChainNode, same_record, text_or_none, without_time
from toolpair.formats.claude_code.relink import found_parent, fresh_uuid, line_words, meant
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Boundary
from toolpair.transcript.record_tree import BrokenLink, Repair


def defects_of(history: ChainHistory) -> Iterator[BrokenLink]:
    """The defects of the links, unordered; call `boundaries_of` first."""
    yield from further_breaks(history)
    yield from beginning_in_a_circle(history)
    yield from doubles_of(history)
    yield from _slice(history)
    yield from _no_timestamp(history)
    yield from _bridged(history)
    yield from kept_missing(history)


def settled(
    boundaries: Sequence[Boundary], defects: Sequence[BrokenLink]
) -> tuple[tuple[Boundary, ...], tuple[BrokenLink, ...]]:
    """Leave out those that another one explains: a uuid on two records is what closes a cycle."""
    double = next(
        (found.repair for found in defects if found.rule == DOUBLE and found.severity == "error" and found.repair), None
    )
    if double is None:
        return tuple(boundaries), tuple(defects)
    cause = "two records have the same uuid, so the links form a loop"
    lines = (
        replace(found, cut=replace(found.cut, repair=double, cause=cause))
        if found.cut is not None and found.cut.rule == "chain.cycle"
        else found
        for found in boundaries
    )
    return tuple(lines), tuple(found for found in defects if found.rule != "chain.cycle")


def _slice(history: ChainHistory) -> Iterator[BrokenLink]:
    """The first record of a part of a session names a parent that is in another part."""
    if not history.chain or history.end != "missing":
        return
    root = history.chain[0]
    first = next((node for node in history.nodes if history.main(node)), None)
    if first is root:
        yield BrokenLink(
            "chain.missing_parent",
            root.uid,
            "The file starts with a line that links to one outside it: it is part of a longer session.",
            "info",
            "the file is part of a session: what came before is not in it",
        )


def _bridged(history: ChainHistory) -> Iterator[BrokenLink]:
    """A lost parent that the agent replaces by the record just before it; other versions and readers do not."""
    for node in history.chain:
        above = history.bridged.get(node.uuid or "")
        if above is None or node.parent is None or node.parent in history.by_uuid:
            continue
        found = found_parent(history, node)
        parent = found.parent.uuid if found.parent is not None else above
        if found.nameless is not None:
            repair = Repair(
                f"give {line_words(found.nameless)} the id that was meant",
                identify=((found.nameless.uid, node.parent, ()),),
            )
        else:
            repair = Repair(f"reconnect to {line_words(found.parent)}", relink=((node.uid, parent or above),))
        yield BrokenLink(
            "chain.missing_parent",
            node.uid,
            "The line that this one links to is not in the file; the agent uses the one written just before instead.",
            "info",
            found.cause
            or "the line that it links to was lost or cannot be read; a gap of five seconds at most is bridged",
            repair=repair,
        )


def _no_timestamp(history: ChainHistory) -> Iterator[BrokenLink]:
    """The last record of the conversation has no readable time: the agent does not find such a session."""
    talk = [node for node in history.chain if node.type in ("user", "assistant")]
    if not history.resumed_by.needs_time or history.sidechain or history.inside:
        return
    if not talk or talk[-1].seconds is not None:
        return
    timed = next((node for node in reversed(history.chain) if node.seconds is not None), None)
    repair = None
    if timed is not None:
        time = timed.value["timestamp"]
        repair = Repair("write the time of the line before it", write=((talk[-1].uid, "timestamp", time),))
    yield BrokenLink(
        "chain.no_timestamp",
        talk[-1].uid,
        f"The last line {without_time(talk[-1])}, so the agent does not find this session.",
        "error",
        "the record was written without a time, or another program removed it"
        if talk[-1].value.get("timestamp") is None
        else "another program wrote the time, or changed it",
        repair=repair,
    )


DOUBLE: Final = "chain.duplicate_uuid"


def doubles_of(history: ChainHistory) -> Iterator[BrokenLink]:
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

    def __init__(self, history: ChainHistory) -> None:
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


def _repair(history: ChainHistory, index: _Index, earlier: ChainNode, later: ChainNode, brings: str) -> Repair | None:
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


def _kept_name(history: ChainHistory, earlier: ChainNode, later: ChainNode) -> tuple[ChainNode, str] | None:
    """Of two records with one uuid, the kept one whose name is missing, and that name."""
    missing = missing_names(history)
    place = place_in_list(history, later.uuid or "")
    if len(missing) != 1 or place is None:
        return None
    at = place_in_list(history, missing[0])
    return (later if at is not None and at > place else earlier), missing[0]


def _before(history: ChainHistory, node: ChainNode) -> ChainNode | None:
    """The nearest earlier record that may be its parent."""
    return next((other for other in lineage_of(history).before(node) if may_be_parent(history, other)), None)
