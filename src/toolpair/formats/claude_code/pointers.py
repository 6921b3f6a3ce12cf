"""Records outside the chain that name one on it: when that is removed, they name the one before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolpair.formats.claude_code.working import Working
from toolpair.transcript.draft import DraftMessage

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
