"""Using strace, each system call of a save of rows is made to fail, and the process is killed at each.

By default only some of the calls are tried; with TOOLPAIR_TEST_ROUNDS of 4 or more all are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.docker_agent_databases import dump
from tests.patience import PATIENCE
from tests.rows.test_saving_faults import check, made, wanted
from tests.source.saves import ROUNDS

STRACE = shutil.which("strace")
ROOT = Path(__file__).resolve().parents[2]
CHANGING = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "link", "linkat", "rename", "renameat2")
CALLS = (
    *CHANGING,
    *("openat", "read", "pread64", "fstat", "newfstatat", "lseek", "fcntl", "flock", "close", "mmap", "munmap"),
    *("fchmod", "fchown", "getdents64", "fallocate", "statx"),
)
MARKER = "chdir"
SAVE = """
import os, sys
import toolpair
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source.rows.save import RowsSave
import toolpair.source.rows.by_itself, toolpair.source.rows.backup, toolpair.source.saving.joint
session = toolpair.open(sys.argv[1] + "::sound")
session.stage_recommended()
documents = [found.document for found in session.conversations]
save = RowsSave(session.file.snapshot, session.file.container, documents)
os.chdir("/")
try:
    save.write()
except SaveFailed as error:
    os._exit(5 if "unchanged" in str(error) else 6)
except Refused:
    os._exit(3)
os._exit(0)
"""
Place = tuple[str, int]
"""The n-th call of this name, from 1, since the process started."""


def traced(path: Path, *options: str) -> int:
    assert STRACE is not None
    return subprocess.run(
        [STRACE, "-qq", "-e", "signal=none", *options, sys.executable, "-S", "-c", SAVE, str(path)],
        env={
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *sys.path]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PATH": "/usr/bin:/bin",
            "TMPDIR": str(path.parent.parent),
        },
        stderr=subprocess.DEVNULL,
        timeout=PATIENCE,
    ).returncode


class Traced:
    def __init__(self, folder: Path, state: str) -> None:
        self.state = state
        self.before, self.after = wanted(folder / "wanted", state)
        path, log = made(folder / "first", state), folder / "calls"
        if traced(path, "-o", str(log), "-e", f"trace=?{',?'.join((*CALLS, MARKER))}"):
            pytest.skip("strace may not trace here")
        assert dump(path) == self.after
        self.places: list[Place] = []
        counted: Counter[str] = Counter()
        begun = False
        for line in log.read_text(errors="replace").splitlines():
            match = re.match(r"(\w+)\(", line)
            if match is not None:
                counted[match[1]] += 1
                begun = begun or match[1] == MARKER
                if begun and match[1] != MARKER:
                    self.places.append((match[1], counted[match[1]]))
        assert len(self.places) > 40

    def chosen(self, every: int) -> list[Place]:
        if ROUNDS >= 4:
            return self.places
        return [place for place in self.places if place[0] in CHANGING][::every]


@pytest.fixture(scope="module", params=["log", "in place", "crashed log"])
def save(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    if STRACE is None:
        pytest.skip("strace is not installed")
    return Traced(tmp_path_factory.mktemp("traced"), request.param)


def test_kill_9(tmp_path: Path, save: Traced) -> None:
    outcomes = set()
    for call, number in save.chosen(8):
        path = made(tmp_path / f"{call}-{number}", save.state)
        traced(path, "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}")
        outcomes.add(check(path, save.before, save.after))
    assert False in outcomes


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO", "EDQUOT"])
def test_a_call_that_fails(tmp_path: Path, save: Traced, fault: str) -> None:
    for call, number in save.chosen(20):
        path = made(tmp_path / f"{call}-{number}", save.state)
        inject = f"inject={call}:error={fault}:when={number}"
        code = traced(path, "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
        done = dump(path) == save.after
        assert code in ((0, 6) if done else (3, 5)), (call, number, code)
        check(path, save.before, save.after)
