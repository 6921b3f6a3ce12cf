"""Cline's command line: `<id>/<id>.messages.json`, with `<id>.json` beside it that tells of the session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolpair.agents import peek
from toolpair.agents.found import Found
from toolpair.agents.machine import Machine

SUFFIX: Final = ".messages.json"


class ClineCli:
    id = "cline-cli"
    title = "Cline CLI"

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        home = machine.folder("CLINE_DIR", machine.home / ".cline")
        return (machine.folder("CLINE_SESSION_DATA_DIR", home / "data" / "sessions"),)

    def sessions(self, machine: Machine) -> Iterator[Found]:
        for root in self.roots(machine):
            for entry in peek.entries(root):
                path = os.path.join(entry.path, entry.name + SUFFIX)
                stat = peek.regular_file(path)
                if stat is not None:
                    folder = peek.folder_in(peek.head(beside(path), 4096))
                    yield Found(self.id, self.title, path, entry.name, stat.st_mtime, stat.st_size, folder)

    def belongs(self, found: Found, folder: str) -> bool:
        return found.folder == folder

    def describe(self, found: Found) -> tuple[str | None, str | None]:
        for size in peek.TAILS:
            words = peek.marked_words(peek.tail(found.path, size))
            if words is not None or size >= found.size:
                break
        about = peek.small_json(beside(found.path))
        folder = about.get("cwd")
        return folder if isinstance(folder, str) else found.folder, words or peek.one_line(about.get("prompt"))


def beside(path: str) -> str:
    """The file that tells of the session."""
    return path[: -len(SUFFIX)] + ".json"


AGENT: Final = ClineCli()
