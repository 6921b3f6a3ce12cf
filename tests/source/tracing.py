"""A save in a process of its own, each of whose system calls strace makes fail, or the last one that it makes."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.rounds import EVERY
from toolpair.source.saving.own_mark import mark_of

STRACE = shutil.which("strace")
_ROOT = Path(__file__).resolve().parents[2]
_BEGINS = "chdir"
"""The call after which the save begins."""
Place = tuple[str, int]
"""The n-th call of this name, from 1, since the process was traced."""

_SERVER = """
import ctypes, json, os, signal, sys
{once}
program = compile({program!r}, "save", "exec")
ANY_MAY_TRACE = (0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if not child:
        ctypes.CDLL(None).prctl(*ANY_MAY_TRACE)
        os.environ.update(job["environment"])
        sys.argv[1:] = [job["target"]]
        os.kill(os.getpid(), signal.SIGSTOP)
        exec(program)
        os._exit(1)
    os.waitpid(child, os.WUNTRACED)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Forks a process for each save, which stops until it is traced: most of its time it would import, call by call."""


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


USED = 'import toolpair; toolpair.open("sample_sessions/claude-code-branches.jsonl").stage_recommended()'
"""Imports most of what a save of a session needs."""


@cache
def _server(program: str, once: str) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-S", "-c", _SERVER.format(program=program, once=once)],
        env={
            "PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT), *sys.path]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PATH": "/usr/bin:/bin",
        },
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)
    return server


@dataclass(frozen=True)
class TracedSave:
    """Runs a script with a target; `temporary` is where it may put temporary files."""

    script: str
    changing: tuple[str, ...]
    """The names of calls by which a save may change something."""
    others: tuple[str, ...] = ()
    """The names of calls that are tried as well when all are."""
    once: str = ""
    """What is imported and done before the processes are forked."""

    def places(self, target: object, temporary: Path) -> list[Place]:
        """The calls of a whole save, in the same order on every run. Skips the test where none can be traced."""
        if STRACE is None:
            pytest.skip("strace is not installed")
        log = temporary / "calls"
        names = ",".join(f"?{name}" for name in (*self.changing, *self.others, _BEGINS))
        code = self._run(target, temporary, "-o", str(log), "-e", f"trace={names}")
        if code is None:
            pytest.skip("strace may not trace here")
        assert code == 0
        found: list[Place] = []
        counted: Counter[str] = Counter()
        for line in log.read_text(errors="replace").splitlines():
            match = re.match(r"(\w+)\(", line)
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
        assert self._at(target, temporary, place, "signal=SIGKILL") == -signal.SIGKILL, place

    def fail(self, target: object, temporary: Path, place: Place, fault: str) -> bool:
        """A save in which this call fails; whether the script says that the changes are there."""
        code = self._at(target, temporary, place, f"error={fault}")
        assert code in (0, 3, 5, 6), (place, code)
        return code in (0, 6)

    def _at(self, target: object, temporary: Path, place: Place, what: str) -> int | None:
        call, number = place
        inject = f"inject={call}:{what}:when={number}"
        return self._run(target, temporary, "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)

    def _run(self, target: object, temporary: Path, *options: str) -> int | None:
        """The exit code; None if it could not be traced."""
        assert STRACE is not None
        mark_of(b"")  # the key is there, so that each run makes the same calls
        own = {name: os.environ[name] for name in ("XDG_STATE_HOME", "HOME") if name in os.environ}
        server = _server(self.script, self.once)
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps({"target": str(target), "environment": {"TMPDIR": str(temporary), **own}}) + "\n")
        server.stdin.flush()
        pid = int(server.stdout.readline())
        with subprocess.Popen(
            [STRACE, "-e", "signal=none", *options, "-p", str(pid)], stderr=subprocess.PIPE, text=True
        ) as strace:
            assert strace.stderr is not None
            is_traced = "attached" in strace.stderr.readline()
            os.kill(pid, signal.SIGCONT if is_traced else signal.SIGKILL)
            strace.wait(PATIENCE)
        code = int(server.stdout.readline())
        return code if is_traced else None
