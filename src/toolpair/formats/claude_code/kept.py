"""What a compaction kept of the messages before it: if one name does not exist, the agent sends none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.formats.claude_code.history import ChainHistory
from toolpair.formats.claude_code.record_kinds import ChainNode, same_record, text_or_none
from toolpair.formats.claude_code.relink import found_parent, line_words
from toolpair.transcript.counting import plural
from toolpair.transcript.record_tree import BrokenLink, Repair

RULE: Final = "chain.kept_missing"
_KEY: Final = "compactMetadata"


def kept_missing(history: ChainHistory) -> Iterator[BrokenLink]:
    """A defect of the compaction that the history begins with, if the agent sends nothing of what it kept."""
    boundary = history.newest_boundary
    if boundary is None or history.preserved or not history.chain:
        return
    root = history.chain[0]
    if root is not boundary and (root.value.get("isCompactSummary") is not True or root.position < boundary.position):
        return
    metadata = boundary.value.get(_KEY)
    if not isinstance(metadata, dict):
        return
    listed, segment = _names(history)
    if listed:
        yield from _of_list(history, boundary, metadata, listed)
    elif segment is not None:
        yield from _of_segment(history, boundary, metadata, segment)


def kept_records(history: ChainHistory, before: ChainNode) -> list[ChainNode]:
    """What the newest compaction kept, if it precedes a record and none of it can be found."""
    boundary = history.newest_boundary
    if boundary is None or boundary.position > before.position or history.preserved:
        return []
    listed, _ = _names(history)
    return [history.by_uuid[uuid] for uuid in listed if uuid in history.by_uuid]


def missing_names(history: ChainHistory) -> list[str]:
    """The uuids of kept records that no record has."""
    listed, _ = _names(history)
    return [uuid for uuid in listed if uuid not in history.by_uuid]


def place_in_list(history: ChainHistory, uuid: str) -> int | None:
    """The index among the kept records of the one with this uuid; None when none has it."""
    listed, _ = _names(history)
    return listed.index(uuid) if uuid in listed else None


def _names(history: ChainHistory) -> tuple[list[str], Mapping[str, Any] | None]:
    """The uuids listed by the newest compaction, and the segment (its two ends) that it names."""
    boundary = history.newest_boundary
    metadata = boundary.value.get(_KEY) if boundary is not None else None
    if not isinstance(metadata, dict):
        return [], None
    messages, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
    uuids = messages.get("uuids") if isinstance(messages, dict) else None
    listed = [uuid for uuid in uuids if isinstance(uuid, str)] if isinstance(uuids, list) else []
    return list(dict.fromkeys(listed)), segment if isinstance(segment, dict) else None


def _of_list(
    history: ChainHistory, boundary: ChainNode, metadata: Mapping[str, Any], listed: Sequence[str]
) -> Iterator[BrokenLink]:
    missing = missing_names(history)
    doubled = {
        node.uuid
        for node in history.shadowed
        if node.uuid is not None and not same_record(node.value, history.by_uuid[node.uuid].value)
    }
    if missing and not doubled.isdisjoint(listed):
        # Reported for the record that has another's uuid; with a name of its own it is the missing one.
        return
    nameless = [node for node in history.nodes if node.uuid is None and node.position < boundary.position]
    if len(missing) == len(nameless) == 1:
        title = "give the record without a uuid the one that the compaction names"
        repair = Repair(title, identify=((nameless[0].uid, missing[0], ()),))
        yield _defect(history, boundary, listed, missing, listed, repair)
        return
    names = {uuid: uuid if uuid not in missing else _meant(history, boundary, listed, uuid) for uuid in listed}
    left = [name for name in names.values() if name is not None]
    if not left:
        yield _defect(history, boundary, listed, missing, (), None)
        return
    changed = _renamed(history, metadata, names, left)
    what = "remove what is missing from the list" if None in names.values() else "write the right name into the list"
    title = what if missing else "link what was kept to the summary"
    outputs = _outputs(history, left)
    title = f"{title} (brings back {plural(len(left), 'line')}, {plural(outputs, 'output')})"
    repair = Repair(title, write=((boundary.uid, _KEY, changed),), several="fix the lists of what was kept")
    yield _defect(history, boundary, listed, missing, left, repair)


def _meant(history: ChainHistory, boundary: ChainNode, listed: Sequence[str], uuid: str) -> str | None:
    """The record in place of the missing one: between its neighbours in the list, and named by none."""
    at = listed.index(uuid)
    following = history.by_uuid.get(listed[at + 1]) if at + 1 < len(listed) else None
    if following is None:
        return None
    found = history.by_uuid.get(following.parent or "")
    if found is None or found.uuid in listed or found.position >= boundary.position:
        return None
    if at and found.parent != listed[at - 1]:
        return None
    return found.uuid


def _renamed(
    history: ChainHistory, metadata: Mapping[str, Any], names: Mapping[str, str | None], left: Sequence[str]
) -> dict[str, Any]:
    """The metadata with these names in its lists (None: removed), and with an anchor and ends that exist."""
    changed = dict(metadata)
    for key in ("preservedMessages", "preservedSegment"):
        group = metadata.get(key)
        if not isinstance(group, dict):
            continue
        group = dict(group)
        for list_ in ("uuids", "allUuids"):
            if isinstance(group.get(list_), list):
                # With one value that is no text the agent sends none of them.
                named = [names.get(uuid, uuid) if isinstance(uuid, str) else None for uuid in group[list_]]
                group[list_] = [name for name in named if name is not None]
        if text_or_none(group.get("anchorUuid")) not in history.by_uuid:
            group["anchorUuid"] = _anchor(history)
        for end, uuid in (("headUuid", left[0]), ("tailUuid", left[-1])):
            if end in group and text_or_none(group[end]) not in history.by_uuid:
                group[end] = uuid
        changed[key] = group
    return changed


def _anchor(history: ChainHistory) -> str | None:
    """The summary of the newest compaction, else the compaction itself."""
    boundary = history.newest_boundary
    assert boundary is not None
    summary = _summary(history, boundary)
    return summary.uuid if summary is not None else boundary.uuid


def _summary(history: ChainHistory, boundary: ChainNode) -> ChainNode | None:
    following = (node for node in history.nodes if node.position > boundary.position and node.uuid is not None)
    return next((node for node in following if node.value.get("isCompactSummary") is True), None)


def _named_by_summary(history: ChainHistory, boundary: ChainNode) -> Repair | None:
    """Give the compaction's record the uuid that its summary links to."""
    summary = _summary(history, boundary)
    name = summary.parent if summary is not None else None
    if name is None or name in history.by_uuid:
        return None
    return Repair("give the compaction's line the uuid that its summary names", identify=((boundary.uid, name, ()),))


def _of_segment(
    history: ChainHistory, boundary: ChainNode, metadata: Mapping[str, Any], segment: Mapping[str, Any]
) -> Iterator[BrokenLink]:
    """Only the ends are named: everything between is found by the links."""
    head, tail = text_or_none(segment.get("headUuid")), text_or_none(segment.get("tailUuid"))
    if head is None or tail is None:
        return
    changed = dict(segment)
    if text_or_none(segment.get("anchorUuid")) not in history.by_uuid:
        changed["anchorUuid"] = _anchor(history)
    last = history.by_uuid.get(tail) or _last_before(history, boundary)
    if last is None or last.uuid is None:
        return
    changed["tailUuid"] = last.uuid
    names = [last.uuid]
    seen = {last.uuid}
    top = last
    while top.uuid != head:
        above = history.by_uuid.get(history.parent_of(top) or "")
        if above is None or above.uuid is None or above.uuid in seen:
            break
        top = above
        seen.add(above.uuid)
        names.append(above.uuid)
    repair: Repair | None
    first = history.by_uuid.get(head)
    if top.uuid != head and first is not None and first.position < top.position:
        parent = found_parent(history, top).parent
        if parent is None:
            return
        title = f"reconnect what was kept to {line_words(parent)}"
        repair = Repair(
            title, relink=((top.uid, parent.uuid),), several="reconnect what was kept to the lines before it"
        )
        inside = (node for node in history.nodes if first.position <= node.position <= last.position)
        names = [node.uuid for node in inside if node.uuid is not None and history.main(node)]
    else:
        if top.uuid != head:
            changed["headUuid"] = top.uuid
        repair = Repair(
            "name the first and last records that are there", write=((boundary.uid, _KEY, _with(metadata, changed)),)
        )
    yield _defect(history, boundary, names, [head] if first is None else [], names, repair)


def _with(metadata: Mapping[str, Any], segment: Mapping[str, Any]) -> dict[str, Any]:
    return {**metadata, "preservedSegment": dict(segment)}


def _last_before(history: ChainHistory, boundary: ChainNode) -> ChainNode | None:
    """The record that the compaction comes after."""
    logical = history.by_uuid.get(text_or_none(boundary.value.get("logicalParentUuid")) or "")
    if logical is not None:
        return logical
    talk = (node for node in reversed(history.nodes) if node.type in ("user", "assistant") and history.main(node))
    return next((node for node in talk if node.position < boundary.position), None)


def _outputs(history: ChainHistory, uuids: Sequence[str]) -> int:
    sent = {node.uid for node in history.order}
    kept = (history.by_uuid[uuid] for uuid in uuids if uuid in history.by_uuid)
    return sum(len(node.results) for node in kept if node.uid not in sent)


def _defect(
    history: ChainHistory,
    boundary: ChainNode,
    listed: Sequence[str],
    missing: Sequence[str],
    left: Sequence[str],
    repair: Repair | None,
) -> BrokenLink:
    lost = f"{len(missing):,} cannot be found" if missing else "what they link to cannot be found"
    cause = "a record that a compaction kept was lost, or has no uuid" if missing else "the summary's record was lost"
    if boundary.uuid is None:
        lost, cause = "its own line has no uuid", "the compaction's own record has no uuid"
        repair = _named_by_summary(history, boundary)
    return BrokenLink(
        RULE,
        boundary.uid,
        f"The compaction kept {plural(len(listed), 'line')}; {lost}, so none of them is sent.",
        "error" if repair is not None else "warning",
        cause,
        _outputs(history, left) if repair is not None else 0,
        repair,
    )
