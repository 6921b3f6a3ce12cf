"""Which files a command was given: names, directories that are walked, standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolpair.session import Session, open_session

STDIN: Final = "-"
_NEVER_WALKED: Final = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})
_ALWAYS_TRIED: Final = frozenset({".json", ".jsonl", ".ndjson"})
_HEAD_SIZE: Final = 4096


@dataclass(frozen=True, slots=True)
class Input:
    """One file to look at. `walked` is True when nobody named it: then it may well be something else."""

    name: str
    walked: bool = False

    def open(self, format: str | None = None, profile: str | None = None) -> Session:
        """Raises SessionError with one sentence when it cannot be read or is no session."""
        if self.name == STDIN:
            return open_session("standard input", data=read_stdin(), format=format, profile=profile)
        return open_session(Path(self.name), format=format, profile=profile)


def read_stdin() -> bytes:
    """All of standard input, as bytes."""
    return sys.stdin.buffer.read() if sys.stdin is not None else b""


def collect(names: list[str]) -> Iterator[Input]:
    """The files behind `names`: directories are walked in order of name, everything else is taken as it is."""
    for name in names:
        if name != STDIN and os.path.isdir(name):
            for path in _walk(name):
                yield Input(path, walked=True)
        else:
            yield Input(name)


def _walk(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _NEVER_WALKED)
        for name in sorted(files):
            yield os.path.join(parent, name)


def may_be_session(path: str) -> bool:
    """A quick look at a walked file, so that videos and archives are not read whole."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) or ".toolpair-" in os.path.basename(path):
            return False
        if os.path.splitext(path)[1] in _ALWAYS_TRIED:
            return True
        with open(path, "rb") as file:
            head = file.read(_HEAD_SIZE)
    except OSError:
        return True  # opening it properly will say what is wrong
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\0")[:1] in (b"{", b"[")
