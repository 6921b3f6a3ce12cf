"""`check --baseline`: problems that are known and accepted, so that only new ones are reported."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Checked, Entry
from toolpair.cli.inputs import STDIN

_PARTS: Final = ("path", "profile", "rule", "call_id", "result_id")
Key = tuple[str | None, ...]
"""What makes a problem the same one tomorrow, by `_PARTS`: no place, since lines are added to a session."""


class _Known(Struct):
    path: str
    profile: str
    rule: str
    call_id: str | None = None
    result_id: str | None = None
    count: int = 1


class _File(Struct):
    version: int = 1
    known: list[_Known] = []


class Baseline:
    """The problems that a file lists. Paths in it are relative to its folder."""

    def __init__(self, path: str, update: bool) -> None:
        """Raises UsageError for a file that cannot be read, unless it is to be written anew."""
        self.path = path
        self.update = update
        self.hidden = 0
        self._folder = os.path.dirname(os.path.abspath(path))
        self._found: Counter[Key] = Counter()
        self._left: Counter[Key] = Counter() if update else self._read()

    def _read(self) -> Counter[Key]:
        try:
            found = msgspec.json.decode(Path(self.path).read_bytes(), type=_File)
        except OSError as error:
            raise UsageError(f"{self.path} can't be read: {error.strerror}. --update-baseline writes it.") from None
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.path} is not a baseline: {error}. --update-baseline writes a new one.") from None
        return Counter({tuple(getattr(one, part) for part in _PARTS): one.count for one in found.known})

    def filter(self, checked: Checked) -> None:
        """Take the known problems out of a report; one that is there more often than is known stays."""
        if not checked.read:
            return
        kept: list[tuple[Entry, str | None]] = []
        for problem, on_resume in zip(checked.entry["problems"], checked.on_resume, strict=False):
            key = self._key(checked.entry, problem)
            self._found[key] += 1
            if self._left[key] > 0:
                self._left[key] -= 1
            elif not self.update:
                kept.append((problem, on_resume))
        hidden = len(checked.entry["problems"]) - len(kept)
        if hidden:
            self.hidden += hidden
            checked.verdict = ""
            checked.entry["problems"] = [problem for problem, _ in kept]
            checked.on_resume = [on_resume for _, on_resume in kept]

    def _key(self, entry: Entry, problem: Mapping[str, Any]) -> Key:
        path: str = entry["path"]
        if path != STDIN:
            path = os.path.relpath(os.path.abspath(path), self._folder).replace(os.sep, "/")
        return path, entry["profile"], problem["rule"], problem["call_id"], problem["result_id"]

    def write(self) -> None:
        """Write all that was found. Raises OSError."""
        order = sorted(self._found.items(), key=lambda item: [part or "" for part in item[0]])
        known = [dict(zip(_PARTS, key, strict=True)) | {"count": count} for key, count in order]
        data = msgspec.json.format(msgspec.json.encode({"version": 1, "known": known}), indent=1)
        made = f"{self.path}.toolpair-new"
        with open(made, "wb") as file:
            file.write(data + b"\n")
        os.replace(made, self.path)
