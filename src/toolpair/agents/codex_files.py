"""Codex: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, compressed when they are old, and those that are archived."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from toolpair.agents import peek
from toolpair.agents.found import Found
from toolpair.agents.machine import Machine

_ROLLOUT: Final = re.compile(r"rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(.+?)\.jsonl(\.zst)?\Z", re.DOTALL)
_DEPTH: Final = 4
_COMPRESSED: Final = ".zst"
_UNPACKED: Final = 2 << 20
"""Bytes of a compressed rollout that are looked at."""


class Codex:
    id = "codex"
    title = "Codex"

    def home(self, machine: Machine) -> Path:
        return machine.folder("CODEX_HOME", machine.home / ".codex")

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        home = self.home(machine)
        return (home / "sessions", home / "archived_sessions")

    def sessions(self, machine: Machine) -> Iterator[Found]:
        for root in self.roots(machine):
            yield from self._below(str(root), _DEPTH)

    def _below(self, folder: str, depth: int) -> Iterator[Found]:
        plain: set[str] = set()
        compressed: list[Found] = []
        for entry in peek.entries(folder):
            match = _ROLLOUT.match(entry.name)
            if match is None:
                if depth and peek.is_folder(entry):
                    yield from self._below(entry.path, depth - 1)
                continue
            stat = peek.regular(entry)
            if stat is None:
                continue
            start = _start(entry.path, 4096)
            found = Found(
                self.id, self.title, entry.path, match.group(1), stat.st_mtime, stat.st_size, peek.folder_in(start)
            )
            if match.group(2):
                compressed.append(found)
            else:
                plain.add(found.session_id)
                yield found
        # Codex itself prefers the plain file where both are there.
        yield from (found for found in compressed if found.session_id not in plain)

    def belongs(self, found: Found, folder: str) -> bool:
        return found.folder == folder

    def describe(self, found: Found) -> tuple[str | None, str | None]:
        if found.path.endswith(_COMPRESSED):
            start = _start(found.path, _UNPACKED)
            return found.folder or peek.folder_in(start), _last_words(start)
        folder = found.folder or peek.folder_in(peek.head(found.path))
        for size in peek.TAILS:
            words = _last_words(peek.tail(found.path, size))
            if words is not None or size >= found.size:
                return folder, words
        return folder, _last_words(peek.head(found.path, 64 << 10))


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
    return next((said for record in peek.records_backwards(data) if (said := user_words(record))), None)


def user_words(record: dict[str, Any]) -> str | None:
    """What the user said in a record; None when it is none of theirs."""
    payload = record.get("payload")
    item = payload if isinstance(payload, dict) else record
    if item.get("type") == "user_message":
        return peek.one_line(item.get("message"))
    if item.get("type") != "message" or item.get("role") != "user":
        return None
    content = item.get("content")
    for part in content if isinstance(content, list) else ():
        text = part.get("text") if isinstance(part, dict) else None
        # What Codex itself puts there (surroundings, instructions) is marked with a tag or a title.
        if isinstance(text, str) and not text.lstrip().startswith(("<", "# AGENTS.md")):
            return peek.one_line(text)
    return None


AGENT: Final = Codex()
