"""The sessions of sub-agents that calls of an opencode session started. A row of the same kind holds each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from toolpair.dialects import opencode as dialect
from toolpair.formats.format import Beside, Item, SubagentSession
from toolpair.formats.opencode.history import data_in, history_of
from toolpair.source.addresses import is_database, joined
from toolpair.transcript.model import Transcript

_TOOL: Final = "task"
_LINES: Final = ".jsonl"


def subagent_sessions(items: Sequence[Item], transcript: Transcript, beside: Beside) -> Iterator[SubagentSession]:
    """Each once, in the order of the calls that started them, whether these are sent or not."""
    history = history_of(transcript)
    known: set[str] = set()
    for data in (data_in(part) for message in history.stored for part in message.parts):
        id_ = started_by(data)
        if id_ is None or id_ in known:
            continue
        known.add(id_)
        path = _path_of(id_, beside)
        if path is not None:
            given = dialect.state_of(data).get("input")
            asked = given if isinstance(given, dict) else {}
            label = _text(dialect.state_of(data).get("title")) or _text(asked.get("description")) or id_
            yield SubagentSession(path, label, _text(data.get("callID")), _text(asked.get("subagent_type")))


def started_by(data: dict[str, Any]) -> str | None:
    """The id of the session that a call started."""
    metadata = dialect.state_of(data).get("metadata")
    found = metadata.get("sessionId") if isinstance(metadata, dict) and data.get("tool") == _TOOL else None
    return _text(found)


def _path_of(id_: str, beside: Beside) -> Path | None:
    """In the same database or folder; of lines, in a copy beside them that is named after it."""
    path = beside.path
    if path.is_dir() or is_database(str(path)):
        return Path(joined(str(path), id_))
    return next((path.parent / name for name in beside.names(".") if id_ in name and name.endswith(_LINES)), None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
