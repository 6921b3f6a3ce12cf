"""Forks: rollouts that continue part of another one, which is searched for in the same sessions folder."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.codex.rollout_lines import RolloutLine, is_line, is_refused, lines_of
from toolpair.formats.format import Beside, Item
from toolpair.source.record_values import parse

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_BASE: Final = re.compile(rb'"history_base":\s*\{[^{}]*"end_byte_offset":\s*(\d{1,18})')
_FORKED: Final = re.compile(rb'"(?:forked_from_id|thread_id)":')
_START: Final = 1 << 18
_LOOKED_INTO: Final = 60
"""How many later rollouts are looked into for forks."""
_MOST: Final = 1 << 28
"""Maximum bytes of a parent that are read."""
_APART: Final = 1 << 40
"""Added to the uids of lines from other files, so that they differ from all uids of this one."""
_DAY: Final = re.compile(r"\d{4}/\d{2}/\d{2}\Z")


def parent_id(meta: Any) -> str | None:
    """The session that this rollout was forked from; None when it holds its whole history."""
    base = meta.get("history_base") if isinstance(meta, dict) else None
    found = base.get("thread_id") if isinstance(base, dict) else None
    return found if isinstance(found, str) and _UUID.match(found) else None


def home_of(beside: Beside) -> str | None:
    """The agent's home, relative to the file's own folder: for `sessions/2026/01/31/x.jsonl` three levels up."""
    parts = PurePath(beside.path).parent.as_posix()
    if _DAY.search(parts):
        return "../../../.."
    return ".." if parts.rsplit("/", 1)[-1] in ("archived_sessions", "sessions") else None


def relatives(first: Sequence[Any], beside: Beside) -> Iterator[tuple[str, str]]:
    """The rollout that this one was forked from, and the forks of it in the same folder."""
    meta = first[0].get("payload") if first and isinstance(first[0], dict) else None
    if not isinstance(meta, dict):
        return
    forked, own = meta.get("forked_from_id"), meta.get("id")
    parent = parent_id(meta) or (forked if isinstance(forked, str) and _UUID.match(forked) else None)
    name = _name_of(parent, beside) if parent is not None else None
    if name is not None:
        yield "the session that it was forked from", name
    if not isinstance(own, str) or not _UUID.match(own):
        return
    names = [name for name in beside.names(".") if name.startswith("rollout-") and name > beside.path.name]
    for name in names[:_LOOKED_INTO]:
        line = beside.start(name, _START).partition(b"\n")[0]
        if _FORKED.search(line) is not None and own.encode() in line:
            yield "a fork of it", name


class Inherited(Struct, frozen=True):
    """What a fork inherits from its parent: lines in file order, or why Codex does not find them."""

    lines: tuple[RolloutLine, ...] = ()
    missing: str | None = None


def inherited(meta: Any, beside: Beside) -> Inherited:
    """The lines that a fork continues: the first bytes of its parent's rollout, whose own parent is included."""
    parent = parent_id(meta)
    if parent is None:
        return Inherited()
    return beside.once(f"inherited {parent} {meta['history_base']}", lambda: _lineage(meta, beside))


def _lineage(meta: Any, beside: Beside) -> Inherited:
    found: list[list[RolloutLine]] = []
    known: set[str] = set()
    while (parent := parent_id(meta)) is not None:
        name = _name_of(parent, beside) if parent not in known else None
        if name is None:
            return Inherited(missing=f"it is a fork of session {parent}, whose rollout is not found")
        known.add(parent)
        end = meta["history_base"].get("end_byte_offset")
        if not isinstance(end, int) or isinstance(end, bool) or not 0 <= end <= _MOST or name.endswith(".zst"):
            break  # it exists, but its content is not read
        data = beside.start(name, end, home_of(beside) or ".")
        if len(data) < end:
            return Inherited(missing=f"it is a fork of session {parent}, whose rollout became shorter than it was then")
        first = -_APART - sum(map(len, found))
        items = [
            Item(first - number, value)
            for number, raw in enumerate(data.split(b"\n"))
            if is_line(value := parse(raw)) and not is_refused(value)
        ]
        found.insert(0, lines_of(items))
        meta = next((line.payload for line in found[0] if line.kind == "meta"), None)
    return Inherited(tuple(line for lines in found for line in lines))


def _name_of(parent: str, beside: Beside) -> str | None:
    """The path of this session's rollout: in the file's folder or elsewhere among the agent's sessions."""
    for folder in _folders(parent, beside):
        for name in beside.names(folder):
            if name.endswith((f"-{parent}.jsonl", f"-{parent}.jsonl.zst")):
                return f"{folder}/{name}"
    return None


def fork_notes(session_id: str | None, beside: Beside, before: int, after: int) -> Sequence[str]:
    """Notes on forks in the same folder that use more bytes of the file than it will have, or bytes that change."""
    if session_id is None or after == before:
        return ()
    own = beside.path.name
    names = [name for name in beside.names(".") if name.startswith("rollout-") and name.endswith(".jsonl")]
    bases = {name: _base(beside.start(name, _START), session_id) for name in names if name != own}
    return tuple(_fork_note(name, before, after, base) for name, base in bases.items() if base is not None)


def _fork_note(name: str, before: int, after: int, base: int) -> str:
    by = f"{abs(before - after):,} bytes {'shorter' if after < before else 'longer'}"
    if base > after:
        return f"The fork {name} starts after the end of this file once it is {by}: Codex cannot resume that fork then."
    return f"The fork {name} takes the first {base:,} bytes of this file: once it is {by}, these end elsewhere."


def _base(start: bytes, session_id: str) -> int | None:
    """How many bytes of this session's rollout a fork uses; None when it is not a fork of it."""
    base = _BASE.search(start)
    return int(base[1]) if base is not None and session_id.encode("utf-8", "replace") in base[0] else None


def _folders(parent: str, beside: Beside) -> Iterator[str]:
    """The folders to search, likeliest first: the id starts with the time when the session was created."""
    yield "."
    home = home_of(beside)
    if home is None:
        return
    made = datetime.datetime.fromtimestamp(int(parent.replace("-", "")[:12], 16) / 1000, datetime.UTC)
    for days in (0, -1, 1):
        yield f"{home}/sessions/{made + datetime.timedelta(days=days):%Y/%m/%d}"
    yield f"{home}/archived_sessions"
    yield f"{home}/sessions"
    for year in beside.names(f"{home}/sessions"):
        for month in beside.names(f"{home}/sessions/{year}"):
            for day in beside.names(f"{home}/sessions/{year}/{month}"):
                yield f"{home}/sessions/{year}/{month}/{day}"
