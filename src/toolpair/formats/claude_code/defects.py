"""Faulty links in a file that do not cut its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from toolpair.formats.claude_code.cuts import beginning_in_a_circle, further_breaks
from toolpair.formats.claude_code.doubles import DOUBLE, doubles_of
from toolpair.formats.claude_code.history import History
from toolpair.formats.claude_code.kept import kept_missing
from toolpair.formats.claude_code.record_kinds import without_time
from toolpair.formats.claude_code.relink import found_parent, line_words
from toolpair.transcript.model import Boundary
from toolpair.transcript.record_tree import BrokenLink, Repair


def defects_of(history: History) -> Iterator[BrokenLink]:
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


def _slice(history: History) -> Iterator[BrokenLink]:
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


def _bridged(history: History) -> Iterator[BrokenLink]:
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


def _no_timestamp(history: History) -> Iterator[BrokenLink]:
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
