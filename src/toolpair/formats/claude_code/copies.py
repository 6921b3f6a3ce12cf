"""Copies of real tool outputs that Claude Code leaves elsewhere in its files: the place to look for a lost one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.base import Item
from toolpair.formats.claude_code.records import call_ids, parts_of_type, text_or_none
from toolpair.transcript.content import is_placeholder_text, text_of

_REMINDER: Final = re.compile(r"\n\n<system-reminder>(?:(?!</?system-reminder>).)*</system-reminder>\s*\Z", re.DOTALL)
_CLEARED: Final = ("[Old tool result content cleared]",)

_FROM_REQUEST: Final = "in the copy of an earlier request"
_FROM_DETAILS: Final = "in the details beside the result (toolUseResult)"
_FROM_PROGRESS: Final = "in the progress reports of the call"

Copy = tuple[Any, str]


def copies_of(items: Sequence[Item]) -> dict[str, Copy]:
    """Call id -> (result content, where it was found). An id with two different contents is left out."""
    sources: tuple[dict[str, list[Any]], ...] = ({}, {}, {})
    requests, details, progress = sources
    calls_of_record: dict[str, list[Any]] = {}
    for item in items:
        value = item.value
        if not isinstance(value, dict):
            continue
        match value.get("type"):
            case "assistant":
                uuid = text_or_none(value.get("uuid"))
                if uuid is not None:
                    calls_of_record[uuid] = call_ids(value)
            case "api-request-blob":
                for part in parts_of_type(value, "tool_result"):
                    _add(requests, part.get("tool_use_id"), without_reminder(part.get("content")))
            case "user" if "toolUseResult" in value:
                _add_details(details, value, calls_of_record)
            case "progress":
                _add_progress(progress, value)
            case _:
                pass
    found: dict[str, Copy] = {}
    for contents, where in zip(sources, (_FROM_REQUEST, _FROM_DETAILS, _FROM_PROGRESS), strict=True):
        for id_, candidates in contents.items():
            if id_ not in found and (where is _FROM_PROGRESS or len({text_of(content) for content in candidates}) == 1):
                found[id_] = (candidates[-1], where)
    return found


def _add(found: dict[str, list[Any]], id_: Any, content: Any) -> None:
    if not isinstance(id_, str) or not id_ or not isinstance(content, (str, list)):
        return
    text = text_of(content)
    if text.strip() and not is_placeholder_text(text) and not text.startswith(_CLEARED):
        found.setdefault(id_, []).append(content)


def without_reminder(content: Any) -> Any:
    """A result's content as sent, without the reminders that the agent appends to what a tool said."""
    if isinstance(content, str):
        shorter = _REMINDER.sub("", content)
        while shorter != content:
            content, shorter = shorter, _REMINDER.sub("", shorter)
        return content
    if isinstance(content, list) and content and isinstance(content[-1], dict):
        last = content[-1]
        text = last.get("text")
        if last.get("type") == "text" and isinstance(text, str):
            if text.lstrip().startswith("<system-reminder>") and text.rstrip().endswith("</system-reminder>"):
                return content[:-1]
            shorter = without_reminder(text)
            if shorter != text:
                return [*content[:-1], {**last, "text": shorter}]
    return content


def _add_details(found: dict[str, list[Any]], value: dict[str, Any], calls_of_record: dict[str, list[Any]]) -> None:
    parts = parts_of_type(value, "tool_result")
    if len(parts) == 1:
        said = text_of(parts[0].get("content"))
        if said.strip() and not is_placeholder_text(said):
            return
        id_ = parts[0].get("tool_use_id")
    elif not parts:
        calls = calls_of_record.get(text_or_none(value.get("sourceToolAssistantUUID")) or "", [])
        if len(calls) != 1:
            return
        id_ = calls[0]
    else:
        return
    _add(found, id_, _said_by(value["toolUseResult"]))


def _said_by(details: Any) -> Any:
    """What a `toolUseResult` says, as result content; None when it says nothing that a model would read."""
    if isinstance(details, str):
        return details
    if isinstance(details, list):
        return details if all(isinstance(part, dict) and "type" in part for part in details) else None
    if not isinstance(details, dict):
        return None
    streams = [details[key] for key in ("stdout", "stderr") if isinstance(details.get(key), str) and details[key]]
    if streams:
        return "\n".join(streams)
    content = details.get("content")
    if isinstance(content, (str, list)) and content:
        return content
    file = details.get("file")
    if isinstance(file, dict) and isinstance(file.get("content"), str):
        return file["content"]
    return None


def _add_progress(found: dict[str, list[Any]], value: dict[str, Any]) -> None:
    data = value.get("data")
    if not isinstance(data, dict) or data.get("type") not in ("bash_progress", "powershell_progress"):
        return
    output = data.get("fullOutput") or data.get("output")
    _add(found, value.get("parentToolUseID"), output)
