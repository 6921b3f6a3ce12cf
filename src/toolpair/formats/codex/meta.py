"""The first record of a rollout, made again from what the file still tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.base import Item, View
from toolpair.formats.codex.records import ordinal_of

_NAME: Final = re.compile(
    r"rollout-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(?:\.zst)?\Z"
)


def rebuilt_meta(items: Sequence[Item], view: View) -> dict[str, Any] | None:
    """A session_meta record; None where the id, the time, the folder or the way of numbering are not certain."""
    values = [item.value for item in items if isinstance(item.value, dict)]
    id_ = _session_id(values, view)
    folder = next(
        (
            cwd
            for value in values
            if value.get("type") == "turn_context" and isinstance(value.get("payload"), dict)
            if isinstance(cwd := value["payload"].get("cwd"), str)
        ),
        None,
    )
    time = next((found for value in values if isinstance(found := value.get("timestamp"), str)), None)
    if id_ is None or folder is None or time is None or any(value.get("type") == "session_meta" for value in values):
        return None
    numbers = [number for value in values if (number := ordinal_of(value)) is not None]
    if numbers and numbers[0] != 1:
        return None  # more than the first line is gone, or it was a fork, which names its parent there
    payload: dict[str, Any] = {
        "id": id_,
        "timestamp": time,
        "cwd": folder,
        "originator": "toolpair",
        "cli_version": "0.0.0",
        "source": "cli",
    }
    record: dict[str, Any] = {"timestamp": time}
    if numbers:
        record["ordinal"] = 0
        payload["history_mode"] = "paginated"
    return {**record, "type": "session_meta", "payload": payload}


def _session_id(values: Sequence[dict[str, Any]], view: View) -> str | None:
    """What the file's name and its records say, where they agree."""
    name = _NAME.match(view.beside.path.name) if view.beside is not None else None
    told = {thread for value in values if (thread := _thread(value)) is not None}
    if name is not None:
        told.add(name[5])
    return told.pop() if len(told) == 1 else None


def _thread(value: dict[str, Any]) -> str | None:
    payload = value.get("payload")
    found = payload.get("thread_id") if isinstance(payload, dict) else None
    return found if isinstance(found, str) else None
