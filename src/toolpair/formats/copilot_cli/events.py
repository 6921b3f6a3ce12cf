"""What each type of Copilot CLI's events must say: with one event that does not, the agent does not load the session.

The fields are those of the published schema of its events; each was left out of a session that the agent was given.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects import copilot as dialect
from toolpair.dialects.block_texts import text_of
from toolpair.formats.copilot_cli.detection import data_of, kind_of
from toolpair.transcript.edits import ABSENT

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
NO_TIME: Final = "1970-01-01T00:00:00.000Z"
Slot = tuple[str | int, ...]
_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "a text": (str,),
    "a number": (int, float),
    "true or false": (bool,),
    "an object": (dict,),
}
_TEXT, _NUMBER, _BOOL, _OBJECT = _KINDS
NEEDS: Final[Mapping[str, Mapping[str, str]]] = {
    "abort": {"reason": _TEXT},
    "assistant.intent": {"intent": _TEXT},
    "assistant.message": {"content": _TEXT, "messageId": _TEXT},
    "assistant.reasoning": {"content": _TEXT, "reasoningId": _TEXT},
    "assistant.turn_end": {"turnId": _TEXT},
    "assistant.turn_start": {"turnId": _TEXT},
    "assistant.usage": {"model": _TEXT},
    "external_tool.completed": {"requestId": _TEXT},
    "external_tool.requested": {"requestId": _TEXT},
    "hook.end": {"hookInvocationId": _TEXT, "hookType": _TEXT, "success": _BOOL},
    "hook.start": {"hookInvocationId": _TEXT, "hookType": _TEXT},
    "permission.completed": {"requestId": _TEXT},
    "permission.requested": {"requestId": _TEXT},
    "session.auto_mode_resolved": {"chosenModel": _TEXT},
    "session.autopilot_objective_changed": {"operation": _TEXT},
    "session.binary_asset": {"assetId": _TEXT},
    "session.canvas.recorded": {"instanceId": _TEXT},
    "session.canvas.removed": {"instanceId": _TEXT},
    "session.compaction_complete": {"success": _BOOL},
    "session.context_changed": {"cwd": _TEXT},
    "session.context_cleared": {"messagesCleared": _NUMBER},
    "session.error": {"errorType": _TEXT, "message": _TEXT},
    "session.handoff": {"handoffTime": _TEXT},
    "session.info": {"infoType": _TEXT, "message": _TEXT},
    "session.mode_changed": {"previousMode": _TEXT},
    "session.model_change": {"newModel": _TEXT},
    "session.plan_changed": {"operation": _TEXT},
    "session.remote_steerable_changed": {"remoteSteerable": _BOOL},
    "session.resume": {"eventCount": _NUMBER, "resumeTime": _TEXT},
    "session.schedule_cancelled": {"id": _NUMBER},
    "session.schedule_created": {"id": _NUMBER},
    "session.schedule_rearmed": {"id": _NUMBER},
    "session.shutdown": {
        "codeChanges": _OBJECT,
        "modelMetrics": _OBJECT,
        "sessionStartTime": _NUMBER,
        "shutdownType": _TEXT,
        "totalApiDurationMs": _NUMBER,
    },
    "session.start": {
        "copilotVersion": _TEXT,
        "producer": _TEXT,
        "sessionId": _TEXT,
        "startTime": _TEXT,
        "version": _NUMBER,
    },
    "session.title_changed": {"title": _TEXT},
    "session.truncation": {"tokenLimit": _NUMBER},
    "session.usage_checkpoint": {"totalNanoAiu": _NUMBER},
    "session.usage_record": {"usage": _OBJECT},
    "session.warning": {"message": _TEXT, "warningType": _TEXT},
    "session.workspace_file_changed": {"path": _TEXT},
    "skill.invoked": {"content": _TEXT, "name": _TEXT, "path": _TEXT},
    "subagent.completed": {"agentDisplayName": _TEXT, "agentName": _TEXT, "toolCallId": _TEXT},
    "subagent.failed": {"toolCallId": _TEXT},
    "subagent.selected": {"agentName": _TEXT},
    "subagent.started": {
        "agentDescription": _TEXT,
        "agentDisplayName": _TEXT,
        "agentName": _TEXT,
        "toolCallId": _TEXT,
    },
    "system.message": {"content": _TEXT, "role": _TEXT},
    "system.notification": {"content": _TEXT, "kind": _OBJECT},
    "tool.execution_complete": {"success": _BOOL},
    "tool.execution_start": {"toolCallId": _TEXT, "toolName": _TEXT},
    "tool.user_requested": {"toolCallId": _TEXT, "toolName": _TEXT},
    "tool_search.activated": {"strategy": _TEXT},
    "user.message": {"content": _TEXT},
}
"""Type of an event -> the fields that its data must have."""
_GIVEN: Final[Mapping[tuple[str, str], Any]] = {
    ("abort", "reason"): "user_initiated",
    ("assistant.turn_end", "turnId"): "0",
    ("assistant.turn_start", "turnId"): "0",
    ("session.compaction_complete", "success"): False,
    ("session.start", "producer"): "copilot-agent",
    ("session.start", "version"): 1,
    ("system.message", "role"): "system",
    ("tool.execution_start", "toolName"): "unknown",
    ("tool.user_requested", "toolName"): "unknown",
}
"""What a missing field is given where nothing in the file says it."""


def flaws(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, what it must be) for each that the data of an event lacks."""
    kind, data = value.get("type"), value.get("data")
    if not isinstance(kind, str) or not isinstance(data, dict):
        return
    for field, wanted in NEEDS.get(kind, {}).items():
        if not _is(data.get(field), wanted):
            yield field, wanted
    yield from _inner_flaws(kind, data)


def _inner_flaws(kind: str, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The same of what is in the objects in its data."""
    for path, field, wanted in _INNER.get(kind, ()):
        holder = data.get(path) if path else data
        if isinstance(holder, dict):
            found = holder.get(field)
            if not _is(found, wanted) and not (found is None and field in _MAY_LACK):
                yield f"{path}.{field}" if path else field, wanted
        elif holder is not None:
            yield path, _OBJECT


_MAY_LACK: Final = frozenset({"detailedContent", "transformedContent"})
_INNER: Final[Mapping[str, tuple[tuple[str, str, str], ...]]] = {
    "session.start": (("context", "cwd", _TEXT),),
    "tool.execution_complete": (
        ("result", "content", _TEXT),
        ("result", "detailedContent", _TEXT),
        ("error", "message", _TEXT),
    ),
    "session.usage_record": (("usage", "model", _TEXT),),
    "user.message": (("", "transformedContent", _TEXT),),
}
"""Type of an event -> (object in its data, field in it, what that must be)."""


_TYPES: Final = {kind: [(field, _KINDS[wanted]) for field, wanted in needed.items()] for kind, needed in NEEDS.items()}
is_id, is_time = _UUID.fullmatch, TIME.fullmatch
"""For a text alone."""


def is_filled(kind: str, data: dict[str, Any]) -> bool:
    """Whether an event's data has what its type needs. Raises KeyError where a field is missing."""
    for field, types in _TYPES.get(kind, ()):
        if type(data[field]) not in types:
            return False
    return kind not in _INNER or next(_inner_flaws(kind, data), None) is None


def _is(value: Any, wanted: str) -> bool:
    return isinstance(value, _KINDS[wanted]) and (wanted == _BOOL or not isinstance(value, bool))


def mended(value: Mapping[str, Any], known: Mapping[str, Any]) -> dict[Slot, Any] | None:
    """What to write into an event so that it loads; None where the file does not say it, and the event is not sent.

    `known`: field -> what the file says of it elsewhere.
    """
    kind, data, made = str(value.get("type")), value["data"], dict[Slot, Any]()
    for name, _ in flaws(value):
        path, _, field = name.rpartition(".")
        slot = ("data", *([path] if path else []), field)
        holder = data.get(path) if path else data
        old = holder.get(field) if isinstance(holder, dict) else None
        if name == "context.cwd":
            made["data", "context"] = ABSENT
        elif field in _MAY_LACK:
            made[slot] = ABSENT
        elif name in ("result", "error"):
            made["data", name] = {"content" if name == "result" else "message": text_of(old)}
        elif name == "success" and kind == dialect.RESULT:
            made[slot] = "error" not in data and old != "false"
        elif field in ("content", "message") and kind in dialect.ROLES:
            made[slot] = text_of(old) if old is not None else _sent_instead(data)
        elif field in known or (kind, field) in _GIVEN:
            made[slot] = known.get(field, _GIVEN.get((kind, field)))
        else:
            return None
    return made


def _sent_instead(data: Mapping[str, Any]) -> str:
    words = data.get("transformedContent")
    return words if isinstance(words, str) else ""


def envelope_flaws(value: dict[str, Any]) -> Iterator[str]:
    """The fields of an event that the agent does not accept."""
    if not is_uuid(value.get("id")):
        yield "id"
    if "parentId" not in value or not (value["parentId"] is None or is_uuid(value["parentId"])):
        yield "parentId"
    if not isinstance(time := value.get("timestamp"), str) or not TIME.fullmatch(time):
        yield "timestamp"
    if not isinstance(value.get("data"), dict):
        yield "data"


def flaws_of(value: dict[str, Any]) -> tuple[Sequence[str], Sequence[tuple[str, str]]]:
    """What the agent does not accept of an event, and of its data."""
    return [*envelope_flaws(value)], [*flaws(value)]


def is_uuid(value: Any) -> bool:
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def lacks_text(value: dict[str, Any]) -> bool:
    """Whether a call or a result has no id that is a text, or a call no name."""
    calls = data_of(value).get(dialect.CALLS) if kind_of(value) == dialect.RESPONSE else None
    named = calls if isinstance(calls, list) else ()
    return lacks_id(value) or any(isinstance(c, dict) and not isinstance(c.get("name"), str) for c in named)


def lacks_id(value: dict[str, Any]) -> bool:
    """Whether a call or a result has no id that is a text."""
    kind, data = kind_of(value), data_of(value)
    if kind not in dialect.ROLES:
        return False
    calls = data.get(dialect.CALLS)
    listed = calls if isinstance(calls, list) else ()
    holders = (data,) if kind == dialect.RESULT else [call for call in listed if isinstance(call, dict)]
    return any(not isinstance(holder.get("toolCallId"), str) for holder in holders)


def id_from(seed: str, attempt: int) -> str:
    """A UUID, the same on every run."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"{seed}:{attempt}".encode("utf-8", "replace")).digest()[:16], version=4))
