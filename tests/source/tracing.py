"""A save in a process of its own, each of whose system calls strace makes fail, or the last one that it makes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.rounds import EVERY
from toolpair.source.saving.own_mark import mark_of

STRACE = shutil.which("strace")
_ONLY_THESE = ("-f", "--seccomp-bpf")
"""Calls that are not asked for do not stop the process, which halves what tracing costs. It cannot be killed so."""
_ROOT = Path(__file__).resolve().parents[2]
_BEGINS = "chdir"
"""The call after which the save begins."""
Place = tuple[str, int]
"""The n-th call of this name, from 1, since the process started."""


def script(prepare: str, save: str) -> str:
    """A program that saves, in one line, what its argument names, and says by its end how the save ended."""
    return f"""
import os, sys
from toolpair.source.errors import Refused, SaveFailed
{prepare.strip()}
os.chdir("/")
try:
    {save}
except SaveFailed as error:
    os._exit(5 if "unchanged" in str(error) else 6)
except Refused:
    os._exit(3)
os._exit(0)
"""


@dataclass(frozen=True)
class TracedSave:
    """Runs a script with a target; `temporary` is where it may put temporary files."""

    script: str
    changing: tuple[str, ...]
    """The names of calls by which a save may change something."""
    others: tuple[str, ...] = ()
    """The names of calls that are tried as well when all are."""

    def places(self, target: object, temporary: Path) -> list[Place]:
        """The calls of a whole save, in the same order on every run. Skips the test where none can be traced."""
        if STRACE is None:
            pytest.skip("strace is not installed")
        if subprocess.run(
            [STRACE, *_ONLY_THESE, "-o", "/dev/null", sys.executable, "-c", ""], capture_output=True
        ).returncode:
            pytest.skip("strace may not trace here")
        log = temporary / "calls"
        names = ",".join(f"?{name}" for name in (*self.changing, *self.others, _BEGINS))
        assert self._run(target, temporary, *_ONLY_THESE, "-o", str(log), "-e", f"trace={names}") == 0
        found: list[Place] = []
        counted: Counter[str] = Counter()
        for line in log.read_text(errors="replace").splitlines():
            match = re.match(r"\d+ +(\w+)\(", line)
            if match is not None:
                counted[match[1]] += 1
                if counted[_BEGINS] and match[1] != _BEGINS:
                    found.append((match[1], counted[match[1]]))
        return found

    def chosen(self, places: list[Place], every: int, offset: int = 0) -> list[Place]:
        """All of them with TOOLPAIR_TEST_ROUNDS of 4 or more, else some of those that may change something."""
        return places if EVERY else [place for place in places if place[0] in self.changing][offset::every]

    def kill(self, target: object, temporary: Path, place: Place) -> None:
        """A save that is killed at this call."""
        self._at(target, temporary, place, "-e", f"inject={place[0]}:signal=SIGKILL:when={place[1]}")

    def fail(self, target: object, temporary: Path, place: Place, fault: str) -> bool:
        """A save in which this call fails; whether the script says that the changes are there."""
        inject = f"inject={place[0]}:error={fault}:when={place[1]}"
        code = self._at(target, temporary, place, *_ONLY_THESE, "-e", inject)
        assert code in (0, 3, 5, 6), (place, code)
        return code in (0, 6)

    def _at(self, target: object, temporary: Path, place: Place, *options: str) -> int:
        return self._run(target, temporary, "-o", "/dev/null", "-e", f"trace={place[0]}", *options)

    def _run(self, target: object, temporary: Path, *options: str) -> int:
        assert STRACE is not None
        mark_of(b"")  # the key is there, so that each run makes the same calls
        own = {name: os.environ[name] for name in ("XDG_STATE_HOME", "HOME") if name in os.environ}
        return subprocess.run(
            [STRACE, "-qq", "-e", "signal=none", *options, sys.executable, "-S", "-c", self.script, str(target)],
            env={
                "PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT), *sys.path]),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONHASHSEED": "0",
                "PATH": "/usr/bin:/bin",
                "TMPDIR": str(temporary),
                **own,
            },
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
        ).returncode
