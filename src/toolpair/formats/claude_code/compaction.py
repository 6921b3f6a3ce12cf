"""Editing the lists in a compaction boundary that name the records it kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.claude_code.working_lines import DraftLine, Working


def _newest(work: Working) -> DraftLine | None:
    node = work.history.newest_boundary
    return work.lines[node.uid] if node is not None else None


def _metadata(line: DraftLine | None) -> dict[str, Any] | None:
    found = line.get("compactMetadata") if line is not None else None
    return found if isinstance(found, dict) else None


def keep(work: Working, line: DraftLine, call: DraftLine, group: Sequence[DraftLine]) -> None:
    """A result of a kept call is sent only if it is listed too: list it after the last kept call of its response."""
    if call.uuid not in work.history.preserved:
        return
    boundary = _newest(work)
    metadata = _metadata(boundary)
    if boundary is None or metadata is None:
        return
    changed: dict[str, Any] = {}
    listed = metadata.get("preservedMessages")
    if isinstance(listed, dict):
        lists = {}
        for key in ("uuids", "allUuids"):
            uuids = listed.get(key)
            if isinstance(uuids, list) and call.uuid in uuids:
                lists[key] = _with(uuids, line, [other.uuid for other in group])
        if lists:
            changed["preservedMessages"] = {**listed, **lists}
    segment = metadata.get("preservedSegment")
    if isinstance(segment, dict) and not changed and call.uid in work.on_chain:
        last = _hung_in(work, line, group)
        if last is not None and segment.get("tailUuid") == last.uuid:
            changed["preservedSegment"] = {**segment, "tailUuid": line.uuid}
    if changed:
        boundary.set("compactMetadata", {**metadata, **changed})


def _hung_in(work: Working, line: DraftLine, group: Sequence[DraftLine]) -> DraftLine | None:
    """If only the ends are named, everything between is found by links: link the line after the last of its turn.

    Returns its new parent.
    """
    if line.uid in work.on_chain:
        return next((other for other in group if other.uuid == line.get("parentUuid")), None)
    last = group[-1]
    while True:
        below = next((child for child in work.chain_children_of(last) if child in group or child.has_result), None)
        if below is None or below is line:
            break
        last = below
    for child in work.chain_children_of(last):
        if child is not line:
            work.set_parent(child, line.uuid)
    work.set_parent(line, last.uuid)
    work.on_chain.add(line.uid)
    return last


def _with(uuids: list[Any], line: DraftLine, group: Sequence[str | None]) -> list[Any]:
    rest = [uuid for uuid in uuids if uuid != line.uuid]
    at = max(index for index, uuid in enumerate(rest) if uuid in group)
    return [*rest[: at + 1], line.uuid, *rest[at + 1 :]]


def forget(work: Working, line: DraftLine, parent: str | None) -> None:
    """Remove a deleted record from the lists: one name that does not exist costs everything that was kept."""
    if line.uuid is None or work.history.boundary is None:
        return
    boundary = _newest(work)
    metadata = _metadata(boundary)
    if boundary is None or metadata is None or boundary is line:
        return
    changed: dict[str, Any] = {}
    listed = metadata.get("preservedMessages")
    left: list[Any] | None = None
    if isinstance(listed, dict):
        new = dict(listed)
        for key in ("uuids", "allUuids"):
            uuids = listed.get(key)
            if isinstance(uuids, list) and line.uuid in uuids:
                new[key] = [uuid for uuid in uuids if uuid != line.uuid]
        if isinstance(new.get("uuids"), list):
            left = new["uuids"]
        if new.get("anchorUuid") == line.uuid:
            new["anchorUuid"] = parent
        if new != listed:
            changed["preservedMessages"] = new
    segment = metadata.get("preservedSegment")
    if isinstance(segment, dict):
        new = dict(segment)
        if new.get("anchorUuid") == line.uuid:
            new["anchorUuid"] = parent
        if new.get("tailUuid") == line.uuid:
            new["tailUuid"] = left[-1] if left else parent
        if new.get("headUuid") == line.uuid and left:
            new["headUuid"] = left[0]
        if new != segment:
            changed["preservedSegment"] = new
    if changed:
        boundary.set("compactMetadata", {**metadata, **changed})
