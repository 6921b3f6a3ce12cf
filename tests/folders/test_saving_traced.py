"""Using strace, each system call of a save of files is made to fail, and the process is killed at each.

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

import pytest

from tests.folders.saves import check, made, wanted
from tests.opencode_folders import files
from tests.patience import PATIENCE
from tests.source.saves import ROUNDS

STRACE = shutil.which("strace")
ROOT = Path(__file__).resolve().parents[2]
CHANGING = (
    *("write", "pwrite64", "fsync", "unlink", "link", "linkat", "rename", "renameat2", "mkdir", "rmdir"),
    *("fchmod", "ftruncate"),
)
CALLS = (*CHANGING, *("openat", "read", "newfstatat", "fstat", "flock", "fcntl", "close", "getdents64", "lseek"))
MARKER = "chdir"
SAVE = """
import os, sys
from pathlib import Path
from tests.folders.saves import saving
from toolpair.source.errors import Refused, SaveFailed
import toolpair.source.rows.backup, toolpair.source.saving.joint, signal
save = saving(Path(sys.argv[1]))
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


def traced(storage: Path, *options: str) -> int:
    assert STRACE is not None
    return subprocess.run(
        [STRACE, "-qq", "-e", "signal=none", *options, sys.executable, "-S", "-c", SAVE, str(storage)],
        env={
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PATH": "/usr/bin:/bin",
            "TMPDIR": str(storage.parent.parent.parent),
        },
        stderr=subprocess.DEVNULL,
        timeout=PATIENCE,
    ).returncode


class Traced:
    def __init__(self, folder: Path) -> None:
        self.before, self.after = wanted(folder / "wanted")
        storage, log = made(folder / "first"), folder / "calls"
        if traced(storage, "-o", str(log), "-e", f"trace=?{',?'.join((*CALLS, MARKER))}"):
            pytest.skip("strace may not trace here")
        assert files(storage) == self.after
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
        assert len(self.places) > 100

    def chosen(self, every: int) -> list[Place]:
        if ROUNDS >= 4:
            return self.places
        return [place for place in self.places if place[0] in CHANGING][::every]


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Traced:
    if STRACE is None:
        pytest.skip("strace is not installed")
    return Traced(tmp_path_factory.mktemp("traced"))


def test_kill_9(tmp_path: Path, save: Traced) -> None:
    outcomes = set()
    for call, number in save.chosen(4):
        storage = made(tmp_path / f"{call}-{number}")
        traced(storage, "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}")
        outcomes.add(check(storage, save.before, save.after))
    assert outcomes == {True, False}


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO", "EDQUOT"])
def test_a_call_that_fails(tmp_path: Path, save: Traced, fault: str) -> None:
    for call, number in save.chosen(8):
        storage = made(tmp_path / f"{call}-{number}")
        inject = f"inject={call}:error={fault}:when={number}"
        code = traced(storage, "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
        now = {name: data for name, data in files(storage).items() if not name.startswith(".")}
        assert code in ((0, 6) if now == save.after else (3, 5)), (call, number, code)
        check(storage, save.before, save.after)
