"""What a killed save leaves is reported by who reads beside it, and removed by the next save there, and nothing else is."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.cli.conftest import Run
from tests.patience import PATIENCE
from tests.tui.driving import drive, frame
from toolpair.source.saving.sweeping import leftovers, sweep_folder
from toolpair.source.system import Io
from toolpair.tui.app import ToolpairApp

NAME = ".toolpair-0123456789abcdef.tmp"


@pytest.fixture
def left(tmp_path: Path, samples: Path) -> Path:
    """A leftover beside a session."""
    shutil.copy(samples / "sanitised-on-one-side.json", tmp_path / "session.json")
    path = tmp_path / NAME
    path.write_bytes(b"x" * 12_000)
    return path


COMMANDS: dict[str, list[str]] = {
    "check": ["check", "FILE"],
    "check a folder": ["check", "FOLDER"],
    "check by workers": ["check", "FILE", "FOLDER", "--jobs", "2"],
    "fix --diff": ["fix", "FILE", "--diff"],
    "fix -o": ["fix", "FILE", "-o", "FOLDER/out/other.json"],
    "fix --in-place": ["fix", "FILE", "--in-place"],
    "sees": ["sees", "FILE"],
    "excerpt": ["excerpt", "FILE"],
    "report": ["report", "FILE", "-o", "FOLDER/out/other.html"],
    "compare": ["compare", "FILE"],
    "explain": ["explain", "result.id_mismatch", "FILE"],
    "restore": ["restore", "FILE"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_tells_and_who_saves_removes_it(run: Run, left: Path, name: str) -> None:
    (left.parent / "out").mkdir()
    words = [word.replace("FILE", str(left.parent / "session.json")) for word in COMMANDS[name]]
    ran = run(*[word.replace("FOLDER", str(left.parent)) for word in words])
    assert left.exists() == (name != "fix --in-place")
    said = [line for line in ran.err.splitlines() if NAME in line]
    assert said == [
        f"toolpair: A save that was killed left {NAME} (12 KB) in {left.parent}; the next save there removes it."
    ]


def test_the_interface_tells_it_too(left: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        deadline = time.monotonic() + PATIENCE
        while "A save that was killed left" not in frame(app):
            assert time.monotonic() < deadline
            await pilot.pause(0.02)

    drive(left.parent / "session.json", play, (160, 40))
    assert left.exists()


def test_several(run: Run, left: Path) -> None:
    left.with_name(NAME.replace("0", "1")).write_bytes(b"y" * 3000)
    ran = run("check", left.parent)
    assert f"Saves that were killed left 2 files (15 KB) in {left.parent}; the next save there removes them." in ran.err


KEPT: dict[str, Callable[[Path], object]] = {
    "a link": lambda path: (path.unlink(), path.symlink_to(path.parent / "session.json")),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "another name": lambda path: path.rename(path.with_name(".toolpair-mine.tmp")),
    "just begun": lambda path: path.write_bytes(b""),
    "another user's": lambda path: os.chown(path, 12345, 12345) if os.geteuid() == 0 else pytest.skip("needs root"),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_none_stays(run: Run, left: Path, name: str) -> None:
    KEPT[name](left)
    before = sorted(os.listdir(left.parent))
    ran = run("check", left.parent / "session.json")
    assert "killed" not in ran.err
    sweep_folder(str(left.parent), Io())
    assert sorted(os.listdir(left.parent)) == before


def test_what_is_old_and_empty_goes(run: Run, left: Path) -> None:
    left.write_bytes(b"")
    os.utime(left, (time.time() - 100,) * 2)
    sweep_folder(str(left.parent), Io())
    assert not left.exists()


def test_that_of_a_save_that_runs_stays(left: Path) -> None:
    with open(left, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert list(leftovers(str(left.parent))) == []
    with open(left, "ab"):
        assert list(leftovers(str(left.parent))) == [] or not _leases(left)
    assert left.exists()


def _leases(path: Path) -> bool:
    """Whether this file system tells who writes to a file."""
    with open(path, "rb") as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError:
            return False
    return True


_SAVES = """
import sys
from toolpair.session.session import open_session
session = open_session(sys.argv[1])
session.stage_recommended()
def progress(done):
    print("writing", flush=True)
    sys.stdin.read()
session.save(progress=progress)
"""


def test_a_save_in_another_process_is_left_alone_until_it_is_killed(run: Run, left: Path) -> None:
    left.unlink()
    path = left.parent / "session.json"
    with subprocess.Popen(
        [sys.executable, "-c", _SAVES, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == b"writing\n"
        (temporary,) = left.parent.glob(".toolpair-*.tmp")
        assert "killed" not in run("check", path).err
        assert temporary.exists()
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert "the next save there removes it" in run("check", path).err
        run("fix", path, "--in-place")
        assert not temporary.exists()
