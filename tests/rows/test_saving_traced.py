"""Using strace, each system call of a save of rows is made to fail, and the process is killed at each.

By default only some of the calls are tried; with TOOLPAIR_TEST_ROUNDS of 4 or more all are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.docker_agent_databases import dump
from tests.rows.test_saving_faults import check, made, wanted
from tests.source.tracing import USED, Place, TracedSave, script

PREPARE = """
import toolpair
from toolpair.source.rows.save import RowsSave
import toolpair.source.rows.backup
session = toolpair.open(sys.argv[1])
session.stage_recommended()
documents = [found.document for found in session.conversations]
save = RowsSave(session.file.snapshot, session.file.container, documents)
"""
TRACED = TracedSave(
    script(PREPARE, "save.write()"),
    ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "link", "linkat", "rename", "renameat2"),
    (
        *("openat", "read", "pread64", "fstat", "newfstatat", "lseek", "fcntl", "flock", "close", "mmap", "munmap"),
        *("fchmod", "fchown", "getdents64", "fallocate", "statx"),
    ),
    once=USED,
)


class Save:
    def __init__(self, folder: Path, state: str) -> None:
        self.state = state
        self.before, self.after = wanted(folder / "wanted", state)
        path = made(folder / "first", state)
        self.places: list[Place] = TRACED.places(f"{path}::sound", folder)
        assert dump(path) == self.after
        assert len(self.places) > 40


@pytest.fixture(scope="module", params=["log", "in place", "crashed log"])
def save(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Save:
    return Save(tmp_path_factory.mktemp("traced"), request.param)


def test_kill_9(tmp_path: Path, save: Save) -> None:
    outcomes = set()
    for call, number in TRACED.chosen(save.places, 12):
        path = made(tmp_path / f"{call}-{number}", save.state)
        TRACED.kill(f"{path}::sound", tmp_path, (call, number))
        outcomes.add(check(path, save.before, save.after))
    assert False in outcomes


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO", "EDQUOT"])
def test_a_call_that_fails(tmp_path: Path, save: Save, fault: str) -> None:
    for call, number in TRACED.chosen(save.places, 40):
        path = made(tmp_path / f"{call}-{number}", save.state)
        is_said = TRACED.fail(f"{path}::sound", tmp_path, (call, number), fault)
        assert is_said == (dump(path) == save.after), (call, number)
        check(path, save.before, save.after)
