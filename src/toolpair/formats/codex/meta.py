"""The first record of a rollout: what stops Codex from reading it, and how to rebuild it from the other records."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.openai_responses import texts_of, type_of
from toolpair.formats.codex.readable import Check, is_a, is_text, is_texts, one_of, optional
from toolpair.formats.codex.rollout_lines import is_old_meta, ordinal_of
from toolpair.formats.format import Item, View

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_NAME: Final = re.compile(
    r"rollout-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(?:\.zst)?\Z"
)
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}")
_FOLDER: Final = re.compile(r"<cwd>([^<]+)</cwd>|^Current working directory: (.+)$", re.MULTILINE)
_ORIGINATOR: Final = "toolpair"
_VERSION: Final = "0.0.0"


# Requirements


def _id(value: Any) -> bool:
    return isinstance(value, str) and _UUID.match(value) is not None


def _time(value: Any) -> bool:
    return isinstance(value, str) and _TIME.match(value) is not None


def _git(value: Any) -> bool:
    return isinstance(value, dict) and all(said is None or isinstance(said, str) for said in value.values())


def _instructions(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)


_WANTED: Final[Mapping[str, Check]] = {
    "id": _id,
    "timestamp": _time,
    "cwd": is_text,
    "originator": is_text,
    "cli_version": is_text,
}
_OPTIONAL: Final[Mapping[str, Check]] = {
    "session_id": _id,
    "history_mode": one_of("legacy", "paginated"),
    "source": is_a(str, dict),
    "thread_source": optional(is_a(str)),
    "model_provider": optional(is_a(str)),
    "memory_mode": optional(is_a(str)),
    "multi_agent_version": optional(is_a(str)),
    "git": optional(_git),
    "base_instructions": optional(_instructions),
    "context_window": optional(is_a(dict)),
    "dynamic_tools": optional(is_a(list)),
    "account_scoped": is_a(bool),
    "runtime_workspace_roots": is_texts,
    "forked_from_id": optional(_id),
}


def unread_fields(record: Mapping[str, Any]) -> list[str]:
    """The fields of a session_meta record that stop Codex from accepting it."""
    payload = record.get("payload")
    if not isinstance(payload, dict):
        return ["payload"]
    found = [] if isinstance(record.get("timestamp"), str) else ["timestamp"]
    found += [key for key, fits in _WANTED.items() if not fits(payload.get(key))]
    return found + [key for key, fits in _OPTIONAL.items() if key in payload and not fits(payload[key])]


# Rebuilding


def rebuilt_meta(items: Sequence[Item], view: View) -> dict[str, Any] | None:
    """A session_meta record; None when the id, the time, the folder or the numbering is uncertain."""
    values = _values(items)
    id_, time, folder = _session_id(values, view), session_time(items, view), _folder(values)
    if id_ is None or folder is None or time is None or any(value.get("type") == "session_meta" for value in values):
        return None
    numbers = [number for value in values if (number := ordinal_of(value)) is not None]
    if numbers and numbers[0] != 1:
        return None  # more than the first line is missing, or it was a fork, whose parent was named there
    payload: dict[str, Any] = {
        "id": id_,
        "timestamp": time,
        "cwd": folder,
        "originator": _ORIGINATOR,
        "cli_version": _VERSION,
        "source": "cli",
    }
    record: dict[str, Any] = {"timestamp": time}
    if numbers:
        record["ordinal"] = 0
        payload["history_mode"] = "paginated"
    return {**record, "type": "session_meta", "payload": payload}


def completed_meta(record: Mapping[str, Any], items: Sequence[Item], view: View) -> dict[str, Any] | None:
    """A session_meta record with everything Codex requires; other fields that it cannot read are left out."""
    payload = record.get("payload")
    time = session_time(items, view)
    if not isinstance(payload, dict) or time is None:
        return None
    made = {**payload}
    known = {
        "id": _session_id(_values(items), view),
        "timestamp": time,
        "cwd": _folder(_values(items)) or "",
        "originator": _ORIGINATOR,
        "cli_version": _VERSION,
    }
    for key in unread_fields({"timestamp": time, **record, "payload": payload}):
        if key == "history_mode" and _is_numbered(items):
            made[key] = "paginated"
        elif key in known:
            made[key] = known[key]
        elif key in payload:
            del made[key]
    given = record.get("timestamp")
    whole = {**record, "timestamp": given if isinstance(given, str) else time, "payload": made}
    return None if unread_fields(whole) else whole


def from_old_meta(value: Mapping[str, Any], items: Sequence[Item], view: View) -> dict[str, Any] | None:
    """The first line of a rollout of the first versions in today's form; None when Codex would not accept its id."""
    time = session_time(items, view)
    if time is None:
        return None
    payload = {**value, "timestamp": time, "cwd": _folder(_values(items)) or "", "originator": _ORIGINATOR}
    if isinstance(value.get("timestamp"), str):
        payload["timestamp"] = value["timestamp"]
    record = {"timestamp": time, "type": "session_meta", "payload": {**payload, "cli_version": _VERSION}}
    return completed_meta(record, items, view)


def session_time(items: Sequence[Item], view: View) -> str | None:
    """When the session was started; else the first time in the file."""
    values = _values(items)
    for value in values[:1]:
        payload = value.get("payload")
        for ids in (value, payload if isinstance(payload, dict) else {}):
            if _time(ids.get("timestamp")):
                return str(ids["timestamp"])
    first = next((value["timestamp"] for value in values if _time(value.get("timestamp"))), None)
    if first is not None:
        return str(first)
    name = _name(view)
    if name is not None:
        return f"{name[1]}T{name[2]}:{name[3]}:{name[4]}.000Z"
    id_ = _session_id(values, view)
    return _time_in(id_) if id_ is not None else None


def _time_in(id_: str) -> str | None:
    """The creation time of an id that begins with it."""
    if id_[14:15] != "7":
        return None
    made = datetime.datetime.fromtimestamp(int(id_.replace("-", "")[:12], 16) / 1000, datetime.UTC)
    return f"{made:%Y-%m-%dT%H:%M:%S}.{made.microsecond // 1000:03d}Z"


def _values(items: Iterable[Item]) -> list[dict[str, Any]]:
    return [item.value for item in items if isinstance(item.value, dict)]


def _is_numbered(items: Iterable[Item]) -> bool:
    """Whether the last record has a number, as Codex requires for a paginated file."""
    values = _values(items)
    return bool(values) and ordinal_of(values[-1]) is not None


def _name(view: View) -> re.Match[str] | None:
    return _NAME.match(view.beside.path.name) if view.beside is not None else None


def _folder(values: Sequence[dict[str, Any]]) -> str | None:
    """The folder where the session was started, from a turn's record or from what Codex told the model."""
    for value in values:
        payload = value.get("payload")
        if value.get("type") == "turn_context" and isinstance(payload, dict) and isinstance(payload.get("cwd"), str):
            return str(payload["cwd"])
        item = payload if isinstance(payload, dict) else value
        if type_of(item) == "message":
            found = next(filter(None, map(_FOLDER.search, texts_of(item))), None)
            if found is not None:
                return (found[1] or found[2]).strip()
    return None


def _session_id(values: Sequence[dict[str, Any]], view: View) -> str | None:
    """The id in the file's name and records, if they agree."""
    name = _name(view)
    ids = {thread for n, value in enumerate(values) if (thread := _thread(value, n == 0)) is not None}
    if name is not None:
        ids.add(name[5])
    return ids.pop() if len(ids) == 1 else None


def _thread(value: dict[str, Any], first: bool) -> str | None:
    """The session that the record names. Copies of another session's records may follow the first one."""
    payload = value.get("payload")
    if isinstance(payload, dict):
        found = payload.get("thread_id")
        if value.get("type") == "session_meta":
            found = payload.get("id") if first else None
    else:
        found = value.get("id") if first and is_old_meta(value) else None
    return found if _id(found) else None
