"""Using strace, each system call of a save is made to fail, and the process is killed at each.

This includes calls that Python makes itself, which the fault tests cannot intercept. By default only some of the calls
are tried; with TOOLPAIR_TEST_ROUNDS of 4 or more all are.
"""

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
from tests.source.saves import OLD, ROUNDS, names

STRACE = shutil.which("strace")
SOURCE = str(Path(__file__).resolve().parents[2] / "src")
LATE = b'{"late":1}\n'
NEW = OLD[:8] + b'{"a":2}\n' + OLD[16:]
EARLIER = "s.jsonl.toolpair-20250101-000000.bak"
MARKER = "chdir"
CALLS = (
    *("openat", "read", "write", "fsync", "fstat", "newfstatat", "lseek", "fcntl", "flock", "ftruncate", "close"),
    *("sync_file_range", "pread64"),
    *("fchmod", "fchown", "fsetxattr", "flistxattr", "linkat", "link", "rename", "renameat2", "unlink", "getdents64"),
)
SAVE = """
import os, sys, ctypes
from datetime import datetime
from toolpair.source.errors import Refused, SaveFailed
from toolpair.source import opening
from toolpair.source.byte_runs import Run
from toolpair.source.saving import remembered, save_in_place, streaming
ctypes.CDLL(None)
ctypes.c_int64
opening.LARGE, streaming.PIECE, streaming.FLUSHED, streaming.SHARED, streaming.BLOCK = 1, 8, 8, 6, 4
path = sys.argv[1]
snapshot = remembered(opening.open_source(path))
with open(path, "ab") as stream:
    stream.write(b'{"late":1}\\n')
new = [Run(0, 8), b'{"a":2}\\n', Run(16, 24)]
os.chdir("/")
try:
    save_in_place(snapshot, new, appendable=True, aside=[b"torn"], keep_backups=5, now=datetime(2026, 1, 2, 3, 4, 5))
except SaveFailed as error:
    os._exit(5 if "unchanged" in str(error) else 6)
except Refused:
    os._exit(3)
os._exit(0)
"""


@dataclass(frozen=True)
class Place:
    """The `number`-th call with this name, from 1, since the process started."""

    call: str
    number: int


def traced(path: Path, *options: str) -> int:
    assert STRACE is not None
    ended = subprocess.run(
        [STRACE, "-qq", "-e", "signal=none", *options, sys.executable, "-S", "-c", SAVE, str(path)],
        env={
            "PYTHONPATH": os.pathsep.join([SOURCE, *sys.path]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": "/usr/bin:/bin",
        },
        stderr=subprocess.DEVNULL,
        timeout=PATIENCE,
    )
    return ended.returncode


def case(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "s.jsonl"
    path.write_bytes(OLD)
    (folder / EARLIER).write_bytes(b"earlier")
    return path


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[Place]:
    """The system calls of a save, in the same order on every run."""
    if STRACE is None:
        pytest.skip("strace is not installed")
    folder = tmp_path_factory.mktemp("traced")
    log = folder / "log"
    if traced(case(folder / "x"), "-o", str(log), "-e", f"trace=?{',?'.join((*CALLS, MARKER))}"):
        pytest.skip("strace may not trace here")
    found: list[Place] = []
    counted: Counter[str] = Counter()
    begun = False
    for line in log.read_text(errors="replace").splitlines():
        match = re.match(r"(\w+)\(", line)
        if match is None:
            continue
        counted[match.group(1)] += 1
        begun = begun or match.group(1) == MARKER
        if begun and match.group(1) != MARKER:
            found.append(Place(match.group(1), counted[match.group(1)]))
    assert len(found) > 40
    return found


def check(path: Path, swept: bool) -> bool:
    """Assert that everything is as before or as intended; True for the latter."""
    content = path.read_bytes()
    assert content in (OLD + LATE, NEW + LATE)
    done = content == NEW + LATE
    stem = "s.jsonl.toolpair-20260102-030405"
    kept = {f"{stem}.bak", f"{stem}.aside"}
    there = set(names(path.parent))
    if done:
        assert kept <= there
        assert (path.parent / f"{stem}.bak").read_bytes() == OLD + LATE
        assert (path.parent / f"{stem}.aside").read_bytes() == b"torn\n"
    if swept:
        assert there == {"s.jsonl", EARLIER} | (kept if done else set())
    assert not [name for name in there if name.endswith((".json", ".jsonl")) and name != "s.jsonl"]
    return done


MUTATING = frozenset(
    {
        *("write", "sync_file_range", "fsync", "fchmod", "linkat", "link", "rename", "renameat2"),
        *("unlink", "ftruncate"),
    }
)
ALL = ROUNDS >= 4


def chosen(places: list[Place], every: int, offset: int = 0) -> list[Place]:
    return places if ALL else [place for place in places if place.call in MUTATING][offset::every]


@pytest.mark.parametrize(("fault", "offset"), [("ENOSPC", 0), ("EIO", 1), ("EINTR", 2)])
def test_a_call_that_fails(tmp_path: Path, places: list[Place], fault: str, offset: int) -> None:
    for place in chosen(places, 3, offset):
        if fault == "EINTR" and place.call == "close":
            continue
        path = case(tmp_path / f"{place.call}-{place.number}")
        code = traced(
            path,
            "-o",
            "/dev/null",
            "-e",
            f"trace={place.call}",
            "-e",
            f"inject={place.call}:error={fault}:when={place.number}",
        )
        # If removing the leftovers is what failed, they are left to the next save.
        done = check(path, swept=place.call != "unlink")
        assert code in ((0, 6) if done else (3, 5)), place


def test_kill_9(tmp_path: Path, places: list[Place]) -> None:
    outcomes = set()
    for place in chosen(places, 1):
        path = case(tmp_path / f"{place.call}-{place.number}")
        traced(
            path,
            "-o",
            "/dev/null",
            "-e",
            f"trace={place.call}",
            "-e",
            f"inject={place.call}:signal=SIGKILL:when={place.number}",
        )
        outcomes.add(check(path, swept=False))
    assert outcomes == {False, True}
