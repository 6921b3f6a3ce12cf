"""Using strace, each system call of a save of files is made to fail, and the process is killed at each.

By default only some of the calls are tried; with TOOLPAIR_TEST_ROUNDS of 4 or more all are.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.folders.saves import check, made, wanted
from tests.opencode_folders import files
from tests.source.tracing import USED, Place, TracedSave, script

PREPARE = """
from pathlib import Path
from tests.folders.saves import saving
import toolpair.source.rows.backup, signal
save = saving(Path(sys.argv[1]))
"""
TRACED = TracedSave(
    script(PREPARE, "save.write()"),
    (
        *("write", "pwrite64", "fsync", "unlink", "link", "linkat", "rename", "renameat2", "mkdir", "rmdir"),
        *("fchmod", "ftruncate"),
    ),
    ("openat", "read", "newfstatat", "fstat", "flock", "fcntl", "close", "getdents64", "lseek"),
    once=f"import tests.folders.saves; {USED}",
)


class Save:
    def __init__(self, folder: Path) -> None:
        self.before, self.after = wanted(folder / "wanted")
        storage = made(folder / "first")
        self.places: list[Place] = TRACED.places(storage, folder)
        assert files(storage) == self.after
        assert len(self.places) > 100


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Save:
    return Save(tmp_path_factory.mktemp("traced"))


def test_kill_9(tmp_path: Path, save: Save) -> None:
    outcomes = set()
    for call, number in TRACED.chosen(save.places, 4):
        storage = made(tmp_path / f"{call}-{number}")
        TRACED.kill(storage, tmp_path, (call, number))
        outcomes.add(check(storage, save.before, save.after))
    assert outcomes == {True, False}


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO", "EDQUOT"])
def test_a_call_that_fails(tmp_path: Path, save: Save, fault: str) -> None:
    for call, number in TRACED.chosen(save.places, 8):
        storage = made(tmp_path / f"{call}-{number}")
        is_said = TRACED.fail(storage, tmp_path, (call, number), fault)
        now = {name: data for name, data in files(storage).items() if not name.startswith(".")}
        assert is_said == (now == save.after), (call, number)
        check(storage, save.before, save.after)
