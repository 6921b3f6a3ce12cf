"""Other files of a session: its sub-agents', and forks, into which Claude Code copies the records with their uuids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

import orjson

from toolpair.formats.claude_code.record_kinds import (
    SUB_AGENT_FILES,
    content_of,
    parts_of_type,
    result_ids,
    text_or_none,
    value_of,
)
from toolpair.formats.format import Beside, Item, SubagentSession
from toolpair.transcript.model import Transcript

_FIRST_BYTES: Final = 64 << 10
_MOST: Final = 60
"""How many files are looked into."""
_START: Final = 64 << 10
_LABEL: Final = 200


def subagent_sessions_of(items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterator[SubagentSession]:
    """The sub-agents' files of this session, in path order; empty for a sub-agent's own file."""
    stem = beside.path.stem
    if stem.startswith(SUB_AGENT_FILES):
        return
    calls: Mapping[str, str] | None = None
    for name in (*_below(beside, f"{stem}/subagents"), *_old(beside, transcript.session_id)):
        meta = _meta(beside, name)
        agent = PurePath(name).stem.removeprefix(SUB_AGENT_FILES)
        call = text_or_none(meta.get("toolUseId"))
        if call is None:
            calls = _calls_of_agents(items) if calls is None else calls
            call = calls.get(agent)
        label = text_or_none(meta.get("description")) or _first_words(beside, name) or agent
        yield SubagentSession(beside.path.parent / name, label[:_LABEL], call, text_or_none(meta.get("agentType")))


def _is_session(name: str) -> bool:
    return name.startswith(SUB_AGENT_FILES) and name.endswith(".jsonl")


def _below(beside: Beside, folder: str) -> Iterator[str]:
    yield from (f"{folder}/{name}" for name in beside.names(folder) if _is_session(name))
    runs = f"{folder}/workflows"
    for run in beside.names(runs):
        yield from (f"{runs}/{run}/{name}" for name in beside.names(f"{runs}/{run}") if _is_session(name))


def _old(beside: Beside, session: str | None) -> Iterator[str]:
    """Older versions wrote the file into the same folder, with the session id inside."""
    if session is None:
        return
    for name in beside.names("."):
        if _is_session(name) and any(value.get("sessionId") == session for value in _first(beside, name)):
            yield name


def _first(beside: Beside, name: str) -> Iterator[dict[str, Any]]:
    """The first complete records of a file."""
    lines = beside.start(name, _START).split(b"\n")
    for line in lines[:8]:
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            yield value


def _meta(beside: Beside, name: str) -> dict[str, Any]:
    raw = beside.start(f"{name.removesuffix('.jsonl')}.meta.json", _START)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _first_words(beside: Beside, name: str) -> str | None:
    for value in _first(beside, name):
        if value.get("type") == "user":
            content = content_of(value)
            texts = [content] if isinstance(content, str) else [p.get("text") for p in parts_of_type(value, "text")]
            return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), None)
    return None


def _calls_of_agents(items: Sequence[Item]) -> dict[str, str]:
    """Sub-agent -> the call that started it, as named in the results of such calls."""
    found: dict[str, str] = {}
    for item in items:
        value = value_of(item)
        details = value.get("toolUseResult") if isinstance(value, dict) else None
        agent = text_or_none(details.get("agentId")) if isinstance(details, dict) else None
        call = next((id_ for id_ in result_ids(value) if isinstance(id_, str)), None) if agent else None
        if agent is not None and call is not None:
            found.setdefault(agent, call)
    return found


def relatives(first: Sequence[Any], beside: Beside) -> Iterator[tuple[str, str]]:
    """The files of the same folder in which the first record of this one stands, too."""
    uuids = (text_or_none(value.get("uuid")) for value in first if isinstance(value, dict))
    uuid = next((found for found in uuids if found is not None), None)
    if uuid is None:
        return
    wanted = uuid.encode("utf-8", "replace")
    names = [name for name in beside.names(".") if name.endswith(".jsonl") and name != beside.path.name]
    for name in names[:_MOST]:
        if wanted in beside.start(name, _FIRST_BYTES):
            yield "begins with the same message", name
