"""Codex's rollouts on disk: finding them, their project folder, the user's last text, Codex's index.

`sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, compressed when old, and archived ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolpair.formats.codex.forks import home_of
from toolpair.formats.format import Beside
from toolpair.source import peek
from toolpair.transcript.counting import plural

_ROLLOUT: Final = re.compile(r"rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(.+?)\.jsonl(\.zst)?\Z", re.DOTALL)
_DATE: Final = re.compile(r"rollout-(\d{4})-(\d\d)-(\d\d)T.+\.jsonl(?:\.zst)?\Z", re.DOTALL)
_DEPTH: Final = 4
_COMPRESSED: Final = ".zst"
_UNPACKED: Final = 2 << 20
"""How many bytes of a compressed rollout are read."""


class Rollout(NamedTuple):
    path: str
    session_id: str
    stat: os.stat_result
    folder: str | None


def rollouts_below(folder: str, depth: int = _DEPTH) -> Iterator[Rollout]:
    plain: set[str] = set()
    compressed: list[Rollout] = []
    for entry in peek.entries(folder):
        match = _ROLLOUT.match(entry.name)
        if match is None:
            if depth and peek.is_folder(entry):
                yield from rollouts_below(entry.path, depth - 1)
            continue
        stat = peek.regular(entry)
        if stat is None:
            continue
        found = Rollout(entry.path, match.group(1), stat, peek.folder_in(_start(entry.path, 4096)))
        if match.group(2):
            compressed.append(found)
        else:
            plain.add(found.session_id)
            yield found
    # Codex itself prefers the plain file when both exist.
    yield from (found for found in compressed if found.session_id not in plain)


def described(path: str, size: int, folder: str | None) -> tuple[str | None, str | None]:
    """The project folder, unless it is already known, and the user's last text."""
    if path.endswith(_COMPRESSED):
        start = _start(path, _UNPACKED)
        return folder or peek.folder_in(start), _last_words(start)
    folder = folder or peek.folder_in(peek.head(path))
    words = peek.near_end(path, size, _last_words)
    at_the_start = words is None and size > peek.TAILS[-1]
    return folder, _last_words(peek.head(path, 64 << 10)) if at_the_start else words


def dated(*names: str) -> tuple[str, ...] | None:
    """Year, month, day and name of the first of `names` that is a rollout's: its place below `sessions`."""
    match = next(filter(None, map(_DATE.match, names)), None)
    return (*match.groups(), match.group()) if match is not None else None


def _start(path: str, size: int) -> bytes:
    if not path.endswith(_COMPRESSED):
        return peek.head(path, size)
    try:
        import zstandard
    except ImportError:
        return b""
    try:
        with open(path, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
            return bytes(reader.read(size))
    except (OSError, ValueError, zstandard.ZstdError):
        return b""


def _last_words(data: bytes) -> str | None:
    return next((said for record in peek.records_backwards(data, b'"user') if (said := user_words(record))), None)


def user_words(record: dict[str, Any]) -> str | None:
    """The user's text in a record; None when it is not the user's."""
    payload = record.get("payload")
    item = payload if isinstance(payload, dict) else record
    if item.get("type") == "user_message":
        return peek.one_line(item.get("message"))
    if item.get("type") != "message" or item.get("role") != "user":
        return None
    content = item.get("content")
    for part in content if isinstance(content, list) else ():
        text = part.get("text") if isinstance(part, dict) else None
        # What Codex itself writes there (context, instructions) is marked with a tag or a title.
        if isinstance(text, str) and not text.lstrip().startswith(("<", "# AGENTS.md")):
            return peek.one_line(text)
    return None


def index_notes(beside: Beside, before: int, after: int) -> Sequence[str]:
    """Notes on a save in place that changes the size of the file."""
    home = home_of(beside)
    if home is None or before == after:
        return ()
    found = sorted(
        name for name in beside.names(home) if name.startswith("thread_history_") and name.endswith(".sqlite")
    )
    if not found:
        return ()
    folder = (beside.path.parent / home).resolve()
    return (
        f"Codex's index of this session, {folder / found[-1]}, is then off by {plural(abs(after - before), 'byte')}. "
        "Delete that file while Codex is not running: Codex makes it again.",
    )
