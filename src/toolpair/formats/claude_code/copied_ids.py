"""Other places of an id: copies of a call's id are renamed with it; a link to a removed record names the one before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.claude_code.record_kinds import text_or_none
from toolpair.formats.claude_code.working import Working, kind_of
from toolpair.transcript.draft import DraftMessage

_BESIDE: Final = ("attachment", "progress", "system")
_TAG: Final = re.compile(r"(<tool-use-id>)([^<]*)(</tool-use-id>)")
_KEYS: Final = ("toolUseID", "toolUseId", "tool_use_id")


class Renamed(Struct, frozen=True):
    """A call or result whose id was changed. `record` is the uuid of its record."""

    old: Any
    new: str
    record: str | None
    is_call: bool = True


def rename_copies(work: Working, renames: Iterable[Renamed]) -> None:
    """Write the new id wherever the old one occurs outside messages.

    If another call or result still has the old id, only in records linked to a call and a result that were renamed
    together. Copies of requests keep theirs: they are named by their hash.
    """
    renames = [renamed for renamed in renames if isinstance(renamed.old, str) and renamed.old != renamed.new]
    if not any(renamed.is_call for renamed in renames):
        return
    wanted: dict[str, set[str]] = {}
    for renamed in renames:
        if renamed.is_call and renamed.old:
            wanted.setdefault(renamed.old, set()).add(renamed.new)
    names = {old: next(iter(new)) for old, new in wanted.items() if len(new) == 1}
    lines = [line for line in work.lines.values() if isinstance(line.record, dict) and work.is_there(line)]
    for line in lines:
        if work.get(line, "type") in ("user", "assistant"):
            for value in work.values(line):
                kind = kind_of(value)
                if kind in ("tool_use", "tool_result"):
                    used = value.get("id" if kind == "tool_use" else "tool_use_id")
                    if isinstance(used, str):
                        names.pop(used, None)
    near: dict[str, dict[str, str]] = {}
    """uuid -> the names changed there, passed on to its descendants."""
    both = {(renamed.old, renamed.new) for renamed in renames if not renamed.is_call}
    for renamed in renames:
        if renamed.record is not None and renamed.old not in names and (renamed.old, renamed.new) in both:
            near.setdefault(renamed.record, {})[renamed.old] = renamed.new
    for line in lines:
        beside = work.get(line, "type") in _BESIDE
        local = near.get(text_or_none(work.get(line, "parentUuid")) or "") if near and beside else None
        if local and (uuid := work.id_of(line)) is not None:
            near.setdefault(uuid, {}).update(local)
        known = {**names, **local} if local else names
        if known:
            _rename_in(work, line, known)


def _rename_in(work: Working, line: DraftMessage, names: dict[str, str]) -> None:
    for key in ("parentToolUseID", "toolUseID", "sourceToolUseID"):
        found = _new(work.get(line, key), names)
        if found is not None:
            work.set(line, key, found)
    match work.get(line, "type"):
        case "attachment":
            _set_changed(work, line, "attachment", _with_keys(_with_tags(work.get(line, "attachment"), names), names))
        case "queue-operation":
            _set_changed(work, line, "content", _with_tags(work.get(line, "content"), names))
        case "user":
            for at, value in enumerate(work.values(line)):
                tagged = _with_tags(value, names) if kind_of(value) != "tool_result" else value
                if tagged is not value:
                    list(work.blocks(line))[at].value = tagged
                    line.changed = True
            _set_changed(work, line, "toolUseResult", _with_keys(work.get(line, "toolUseResult"), names))
        case "system":
            metadata = work.get(line, "microcompactMetadata")
            ids = metadata.get("compactedToolIds") if isinstance(metadata, dict) else None
            if isinstance(metadata, dict) and isinstance(ids, list) and any(_new(id_, names) for id_ in ids):
                renamed = [_new(id_, names) or id_ for id_ in ids]
                work.set(line, "microcompactMetadata", {**metadata, "compactedToolIds": renamed})
        case "content-replacement":
            entries = work.get(line, "replacements")
            if isinstance(entries, list):
                changed = [_with_keys(entry, names) for entry in entries]
                if any(a is not b for a, b in zip(entries, changed, strict=True)):
                    work.set(line, "replacements", changed)
        case _:
            pass


def _new(value: Any, names: dict[str, str]) -> str | None:
    return names.get(value) if isinstance(value, str) else None


def _set_changed(work: Working, line: DraftMessage, key: str, value: Any) -> None:
    if value is not work.get(line, key):
        work.set(line, key, value)


def _with_keys(value: Any, names: dict[str, str]) -> Any:
    """The object with the ids in its id fields renamed; the same object if there are none."""
    if not isinstance(value, dict):
        return value
    changed = {key: found for key in _KEYS if (found := _new(value.get(key), names)) is not None}
    return {**value, **changed} if changed else value


def _with_tags(value: Any, names: dict[str, str]) -> Any:
    """The value with ids in `<tool-use-id>` tags renamed, as in a task's report; the same value if there are none."""
    if isinstance(value, str):
        if "<tool-use-id>" in value:
            changed = _TAG.sub(lambda found: f"{found[1]}{names.get(found[2], found[2])}{found[3]}", value)
            return value if changed == value else changed
        return value
    if isinstance(value, dict):
        parts = {key: _with_tags(part, names) for key, part in value.items()}
        return parts if any(parts[key] is not part for key, part in value.items()) else value
    if isinstance(value, list):
        found = [_with_tags(part, names) for part in value]
        return found if any(a is not b for a, b in zip(found, value, strict=True)) else value
    return value


_POINTERS: Final = {
    "last-prompt": "leafUuid",
    "summary": "leafUuid",
    "system": "logicalParentUuid",
    "file-history-snapshot": "messageId",
}


def follow(work: Working, heirs: Mapping[str, str]) -> None:
    """`heirs`: uuid of a removed record -> uuid of the record before it, which may be removed too."""
    if not heirs:
        return
    for line in work.lines.values():
        kind = work.get(line, "type")
        if not work.is_there(line) or not isinstance(kind, str) or kind not in _POINTERS:
            continue
        key = _POINTERS[kind]
        new = _heir(work.get(line, key), heirs)
        if new is not None:
            work.set(line, key, new)
        if kind == "file-history-snapshot":
            _snapshot(work, line, heirs)


def _snapshot(work: Working, line: DraftMessage, heirs: Mapping[str, str]) -> None:
    snapshot = work.get(line, "snapshot")
    if isinstance(snapshot, dict):
        new = _heir(snapshot.get("messageId"), heirs)
        if new is not None:
            work.set(line, "snapshot", {**snapshot, "messageId": new})


def _heir(uuid: Any, heirs: Mapping[str, str]) -> str | None:
    """The uuid to name instead; None if the record still exists."""
    found: str | None = uuid if isinstance(uuid, str) else None
    seen: set[str] = set()
    while found is not None and found in heirs and found not in seen:
        seen.add(found)
        found = heirs[found]
    return found if seen else None
