"""Using strace, each system call of a save is made to fail, and the process is killed at each.

This includes calls that Python makes itself, which the fault tests cannot intercept. By default only some of the calls
are tried; with TOOLPAIR_TEST_ROUNDS of 4 or more all are.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.saves import OLD, names
from tests.source.tracing import Place, TracedSave, script

LATE = b'{"late":1}\n'
NEW = OLD[:8] + b'{"a":2}\n' + OLD[16:]
EARLIER = "s.jsonl.toolpair-20250101-000000.bak"
PREPARE = """
import ctypes
from datetime import datetime
from toolpair.source import snapshot
from toolpair.source.byte_runs import OriginalRun
from toolpair.source.saving import streaming
from toolpair.source.saving.opened_content import remembered
from toolpair.source.saving.in_place import replace_file
from toolpair.source.saving.replaced import Old
ctypes.CDLL(None)
ctypes.c_int64
snapshot.LARGE, streaming.PIECE, streaming.FLUSHED, streaming.SHARED, streaming.BLOCK = 1, 8, 8, 6, 4
path = sys.argv[1]
opened = remembered(snapshot.open_source(path))
with open(path, "ab") as stream:
    stream.write(b'{"late":1}\\n')
new = [OriginalRun(0, 8), b'{"a":2}\\n', OriginalRun(16, 24)]
more = dict(aside=[b"torn"], keep_backups=5, now=datetime(2026, 1, 2, 3, 4, 5))
"""
TRACED = TracedSave(
    script(PREPARE, "replace_file(Old.of(opened, appendable=True), new, **more)"),
    (
        *("write", "sync_file_range", "fsync", "fchmod", "linkat", "link", "rename", "renameat2"),
        *("unlink", "ftruncate"),
    ),
    (
        *("openat", "read", "fstat", "newfstatat", "lseek", "fcntl", "flock", "close", "pread64"),
        *("fchown", "fsetxattr", "flistxattr", "getdents64"),
    ),
    once="from toolpair.source.saving import in_place",
)


def case(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "s.jsonl"
    path.write_bytes(OLD)
    (folder / EARLIER).write_bytes(b"earlier")
    return path


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[Place]:
    folder = tmp_path_factory.mktemp("traced")
    found = TRACED.places(case(folder / "x"), folder)
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


@pytest.mark.parametrize(("fault", "offset"), [("ENOSPC", 0), ("EIO", 1), ("EINTR", 2)])
def test_a_call_that_fails(tmp_path: Path, places: list[Place], fault: str, offset: int) -> None:
    for call, number in TRACED.chosen(places, 3, offset):
        if fault == "EINTR" and call == "close":
            continue
        path = case(tmp_path / f"{call}-{number}")
        is_said = TRACED.fail(path, tmp_path, (call, number), fault)
        # If removing the leftovers is what failed, they are left to the next save.
        assert is_said == check(path, swept=call != "unlink"), (call, number)


def test_kill_9(tmp_path: Path, places: list[Place]) -> None:
    outcomes = set()
    for call, number in TRACED.chosen(places, 1):
        path = case(tmp_path / f"{call}-{number}")
        TRACED.kill(path, tmp_path, (call, number))
        outcomes.add(check(path, swept=False))
    assert outcomes == {False, True}
