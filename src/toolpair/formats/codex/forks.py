"""Forks: a rollout that goes on from a part of another one, which is looked for in the same sessions folder."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final

from toolpair.formats.base import Beside

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_BASE: Final = re.compile(rb'"history_base":\s*\{[^{}]*"end_byte_offset":\s*(\d{1,18})')
_START: Final = 1 << 18
_DAY: Final = re.compile(r"\d{4}/\d{2}/\d{2}\Z")


def parent_id(meta: Any) -> str | None:
    """The session whose rollout this one begins in; None when it holds all of its history itself."""
    base = meta.get("history_base") if isinstance(meta, dict) else None
    found = base.get("thread_id") if isinstance(base, dict) else None
    return found if isinstance(found, str) and _UUID.match(found) else None


def home_of(beside: Beside) -> str | None:
    """The folder of the agent, relative to the file's own: for `sessions/2026/01/31/x.jsonl` three levels above."""
    parts = PurePath(beside.path).parent.as_posix()
    if _DAY.search(parts):
        return "../../../.."
    return ".." if parts.rsplit("/", 1)[-1] in ("archived_sessions", "sessions") else None


def parent_is_there(parent: str, beside: Beside) -> bool:
    """Whether a rollout of this session lies in the file's folder or elsewhere among the agent's sessions."""
    return any(
        name.endswith((f"-{parent}.jsonl", f"-{parent}.jsonl.zst"))
        for folder in _folders(parent, beside)
        for name in beside.names(folder)
    )


def fork_notes(session_id: str | None, beside: Beside, before: int, after: int) -> Sequence[str]:
    """Forks in the same folder that begin at a byte which the file no longer reaches, once it is shorter."""
    if session_id is None or after >= before:
        return ()
    own = beside.path.name
    names = [name for name in beside.names(".") if name.startswith("rollout-") and name.endswith(".jsonl")]
    cut = [name for name in names if name != own and _begins_behind(beside.start(name, _START), session_id, after)]
    return tuple(
        (
            f"The fork {name} starts where this file is {before - after:,} bytes longer: Codex cannot resume that fork "
            "then."
        )
        for name in cut
    )


def _begins_behind(start: bytes, session_id: str, size: int) -> bool:
    base = _BASE.search(start)
    return base is not None and session_id.encode("utf-8", "replace") in base[0] and int(base[1]) > size


def _folders(parent: str, beside: Beside) -> Iterator[str]:
    """Where it may lie, the likeliest first: the id begins with the time that the session was begun at."""
    yield "."
    home = home_of(beside)
    if home is None:
        return
    made = datetime.datetime.fromtimestamp(int(parent.replace("-", "")[:12], 16) / 1000, datetime.UTC)
    for days in (0, -1, 1):
        day = made + datetime.timedelta(days=days)
        yield f"{home}/sessions/{day:%Y/%m/%d}"
    yield f"{home}/archived_sessions"
    yield f"{home}/sessions"
