"""The other places of a file that repeat a call's id: renamed with it, for the sake of readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.formats.claude_code.working import Line, Working, kind_of


def rename_copies(work: Working, renames: Iterable[tuple[Any, str]]) -> None:
    """Write the new id where the old one stands beside messages, if no call or result has the old one any more.

    `renames` are (old id, new id) of calls. Copies of requests keep theirs: they are named by their hash.
    """
    wanted: dict[str, set[str]] = {}
    for old, new in renames:
        if isinstance(old, str) and old:
            wanted.setdefault(old, set()).add(new)
    names = {old: next(iter(new)) for old, new in wanted.items() if len(new) == 1}
    if not names:
        return
    lines = [line for line in work.lines.values() if isinstance(line.value, dict) and not line.gone]
    for line in lines:
        if line.type in ("user", "assistant"):
            for part in line.content():
                kind = kind_of(part.value)
                if kind in ("tool_use", "tool_result"):
                    used = part.value.get("id" if kind == "tool_use" else "tool_use_id")
                    if isinstance(used, str):
                        names.pop(used, None)
    for line in lines:
        _rename_in(line, names)


def _rename_in(line: Line, names: dict[str, str]) -> None:
    def new_name(value: Any) -> str | None:
        return names.get(value) if isinstance(value, str) else None

    for key in ("parentToolUseID", "toolUseID") if line.type == "progress" else ("sourceToolUseID",):
        found = new_name(line.get(key))
        if found is not None:
            line.set(key, found)
    match line.type:
        case "attachment":
            attachment = line.get("attachment")
            if isinstance(attachment, dict):
                found = new_name(attachment.get("toolUseID"))
                if found is not None:
                    line.set("attachment", {**attachment, "toolUseID": found})
        case "system":
            metadata = line.get("microcompactMetadata")
            ids = metadata.get("compactedToolIds") if isinstance(metadata, dict) else None
            if isinstance(metadata, dict) and isinstance(ids, list) and any(new_name(id_) for id_ in ids):
                renamed = [new_name(id_) or id_ for id_ in ids]
                line.set("microcompactMetadata", {**metadata, "compactedToolIds": renamed})
        case "content-replacement":
            entries = line.get("replacements")
            if isinstance(entries, list):
                renamed = [
                    {**entry, "toolUseId": found}
                    if isinstance(entry, dict) and (found := new_name(entry.get("toolUseId"))) is not None
                    else entry
                    for entry in entries
                ]
                if any(a is not b for a, b in zip(entries, renamed, strict=True)):
                    line.set("replacements", renamed)
        case _:
            pass
