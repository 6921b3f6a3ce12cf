"""`check --baseline`: problems that are known and accepted, so that only new ones are reported."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from toolpair.cli.exits import UsageError
from toolpair.cli.file_report import Checked, Entry
from toolpair.cli.inputs import STDIN
from toolpair.shell.whole_files import write_whole
from toolpair.source.errors import Refused

_LONGEST: Final = 256 << 20
_ACTIVE: Final = "active"


class _Key(Struct, frozen=True, forbid_unknown_fields=True):
    """What makes a problem the same one tomorrow: no place, since lines are added to a session."""

    path: str
    profile: str
    rule: str
    severity: str
    scope: str
    call_id: str | None
    result_id: str | None


class _Known(_Key, frozen=True, forbid_unknown_fields=True):
    count: int


class _File(Struct, forbid_unknown_fields=True):
    version: Literal[1]
    known: list[_Known]


class Baseline:
    """The problems that a file lists. Paths in it are relative to its folder."""

    def __init__(
        self, path: str, update: bool, wanted: Callable[[str], bool] | None, inactive: bool, one_branch: bool
    ) -> None:
        """`wanted`, `inactive` and `one_branch`: what of a file is checked this time.

        Raises UsageError for a file that cannot be read, and Refused for one that is to be updated and is none.
        """
        self.path = path
        self.update = update
        self.hidden = 0
        self._wanted = wanted
        self._inactive = inactive
        self._one_branch = one_branch
        self._folder = os.path.dirname(os.path.abspath(path))
        self._checked: set[tuple[str, str]] = set()
        """Files and profiles."""
        self._found: Counter[_Key] = Counter()
        self._listed = self._read_to_update() if update else self._read()
        self._left = Counter() if update else self._listed.copy()

    def _read(self) -> Counter[_Key]:
        try:
            return self._decoded()
        except FileNotFoundError as error:
            raise UsageError(f"{self.path} can't be read: {error.strerror}. --update-baseline writes it.") from None
        except OSError as error:
            raise UsageError(f"{self.path} can't be read: {error.strerror}.") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{self.path} is not a baseline: {error}.") from None

    def _read_to_update(self) -> Counter[_Key]:
        try:
            found = os.stat(self.path)
            if not stat.S_ISREG(found.st_mode):
                raise Refused(f"{self.path} is not a file that a baseline can be written to.")
            return self._decoded() if found.st_size else Counter()
        except FileNotFoundError:
            return Counter()
        except OSError as error:
            raise UsageError(f"{self.path} can't be read: {error.strerror}.") from None
        except (ValueError, RecursionError) as error:
            raise Refused(f"{self.path} is not a baseline, so nothing is written to it: {error}.") from None

    def _decoded(self) -> Counter[_Key]:
        """Raises OSError, and ValueError or RecursionError for what is not a baseline."""
        with open(self.path, "rb") as file:
            data = file.read(_LONGEST + 1)
        if len(data) > _LONGEST:
            raise ValueError("it is too large")
        # Not msgspec's own reader: half a character is a part of an id, too.
        found = msgspec.convert(json.loads(data), _File)
        return Counter({_Key(*astuple(one)[:-1]): one.count for one in found.known})

    def filter(self, checked: Checked) -> None:
        """Remove the known problems from a report; one that is there more often than is known stays."""
        if not checked.read:
            return
        self._checked.add((self._place(checked.entry), checked.entry["profile"]))
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
            checked.known = checked.entry["known"] = hidden
            checked.verdict = ""
            checked.entry["problems"] = [problem for problem, _ in kept]
            checked.on_resume = [on_resume for _, on_resume in kept]

    def _place(self, entry: Entry) -> str:
        path: str = entry["path"]
        return path if path == STDIN else os.path.relpath(os.path.abspath(path), self._folder).replace(os.sep, "/")

    def _key(self, entry: Entry, problem: Mapping[str, Any]) -> _Key:
        parts = (problem[name] for name in ("rule", "severity", "scope", "call_id", "result_id"))
        return _Key(self._place(entry), entry["profile"], *parts)

    def write(self) -> int:
        """Write what was found, and what is known of all that was not checked: how many. Raises OSError."""
        others = Counter({key: count for key, count in self._listed.items() if not self._is_checked(key)})
        known = self._found | others
        order = sorted(known.items(), key=lambda item: [part or "" for part in astuple(item[0])])
        entries = [msgspec.structs.asdict(key) | {"count": count} for key, count in order]
        # In ASCII alone: a file's name, or an id, may be no text.
        data = json.dumps({"version": 1, "known": entries}, indent=1).encode("ascii") + b"\n"
        mode = stat.S_IMODE(os.stat(self.path).st_mode) if os.path.isfile(self.path) else 0o644
        write_whole(self.path, data, mode)
        return others.total()

    def _is_checked(self, key: _Key) -> bool:
        """Whether it would have been found this time, if it were still there."""
        asked = self._wanted is None or self._wanted(key.rule)
        scope = self._inactive or key.scope == _ACTIVE
        return (key.path, key.profile) in self._checked and asked and scope and not self._one_branch
