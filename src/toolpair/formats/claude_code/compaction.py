"""The lists in a compaction boundary that name the records it kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage


def _newest(work: Working) -> DraftMessage | None:
    node = work.history.newest_boundary
    return work.lines[node.uid] if node is not None else None


def _metadata(work: Working, line: DraftMessage | None) -> dict[str, Any] | None:
    found = work.get(line, "compactMetadata") if line is not None else None
    return found if isinstance(found, dict) else None


def keep(work: Working, line: DraftMessage, call: DraftMessage, group: Sequence[DraftMessage]) -> None:
    """List the result of a kept call, after the last kept call of its response: only listed records are sent."""
    named = work.id_of(call)
    if named not in work.history.preserved:
        return
    boundary = _newest(work)
    metadata = _metadata(work, boundary)
    if boundary is None or metadata is None:
        return
    changed: dict[str, Any] = {}
    listed = metadata.get("preservedMessages")
    if isinstance(listed, dict):
        lists = {}
        for key in ("uuids", "allUuids"):
            uuids = listed.get(key)
            if isinstance(uuids, list) and named in uuids:
                lists[key] = _with(uuids, work.id_of(line), [work.id_of(other) for other in group])
        if lists:
            changed["preservedMessages"] = {**listed, **lists}
    segment = metadata.get("preservedSegment")
    if isinstance(segment, dict) and not changed and call.uid in work.on_chain:
        last = _linked_in(work, line, group)
        if last is not None and segment.get("tailUuid") == work.id_of(last):
            changed["preservedSegment"] = {**segment, "tailUuid": work.id_of(line)}
    if changed:
        work.set(boundary, "compactMetadata", {**metadata, **changed})


def _linked_in(work: Working, line: DraftMessage, group: Sequence[DraftMessage]) -> DraftMessage | None:
    """If only the ends are named, the records between are found by links: link the line after the last of its turn.

    Returns its new parent.
    """
    if line.uid in work.on_chain:
        return next((other for other in group if work.id_of(other) == work.get(line, "parentUuid")), None)
    last = group[-1]
    passed = {line.uid}
    while last.uid not in passed:
        passed.add(last.uid)
        below = (child for child in work.chain_children_of(last) if child in group or work.has_result(child))
        last = next((child for child in below if child.uid not in passed), last)
    for child in work.chain_children_of(last):
        if child is not line:
            work.link(child, work.id_of(line))
    work.link(line, work.id_of(last))
    work.on_chain.add(line.uid)
    return last


def _with(uuids: list[Any], own: str | None, group: Sequence[str | None]) -> list[Any]:
    rest = [uuid for uuid in uuids if uuid != own]
    at = max(index for index, uuid in enumerate(rest) if uuid in group)
    return [*rest[: at + 1], own, *rest[at + 1 :]]


def forget(work: Working, line: DraftMessage, parent: str | None) -> None:
    """Remove a deleted record from the lists: with one missing name the agent sends nothing that was kept."""
    own = work.id_of(line)
    if own is None or work.history.boundary is None:
        return
    boundary = _newest(work)
    metadata = _metadata(work, boundary)
    if boundary is None or metadata is None or boundary is line:
        return
    changed: dict[str, Any] = {}
    listed = metadata.get("preservedMessages")
    left: list[Any] | None = None
    if isinstance(listed, dict):
        new = dict(listed)
        for key in ("uuids", "allUuids"):
            uuids = listed.get(key)
            if isinstance(uuids, list) and own in uuids:
                new[key] = [uuid for uuid in uuids if uuid != own]
        if isinstance(new.get("uuids"), list):
            left = new["uuids"]
        if new.get("anchorUuid") == own:
            new["anchorUuid"] = parent
        if new != listed:
            changed["preservedMessages"] = new
    segment = metadata.get("preservedSegment")
    if isinstance(segment, dict):
        new = dict(segment)
        if new.get("anchorUuid") == own:
            new["anchorUuid"] = parent
        if new.get("tailUuid") == own:
            new["tailUuid"] = left[-1] if left else parent
        if new.get("headUuid") == own and left:
            new["headUuid"] = left[0]
        if new != segment:
            changed["preservedSegment"] = new
    if changed:
        work.set(boundary, "compactMetadata", {**metadata, **changed})
