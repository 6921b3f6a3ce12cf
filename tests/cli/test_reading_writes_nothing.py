"""Commands that do not save change nothing in the folders that they read, whatever lies there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import opencode_folders
from tests.cli.conftest import Run
from tests.folders.saves import broken
from tests.opencode_sessions import ID
from tests.patience import PATIENCE
from tests.source.tracing import STRACE
from tests.terminal import Terminal, program
from toolpair.source.saving.own_mark import mark_of

READING: dict[str, str] = {
    "check": "check FOLDER",
    "check by workers": "check FOLDER --jobs 2",
    "check a session of a folder": "check STORED",
    "statistics": "check FOLDER --statistics",
    "sees": "sees STORED",
    "sees a database": "sees DATABASE",
    "sessions of a database": "sessions DATABASE",
    "sessions of a folder": "sessions STORAGE",
    "diff": "diff FILE OTHER",
    "explain": "explain result.missing FILE",
    "export": "export FILE --to openai-chat -o OUT/body.json",
    "report": "report STORED -o OUT/report.html",
    "excerpt": "excerpt FILE",
    "cut": "cut FILE --after message:1 -o OUT/part.jsonl",
    "form draft": "form draft LOG",
    "compare": "compare FILE",
    "fix --diff": "fix FOLDER --diff",
    "fix --diff of a stored session": "fix STORED --diff",
    "fix -o": "fix FILE -o OUT/fixed.jsonl",
    "first-break": "first-break LOG",
    "restore lists": "restore FILE",
    "the user's newest session": "check .",
}
CHANGING = ("unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat",
            "truncate", "chmod", "fchmodat", "chown", "lchown", "fchownat", "utimensat", "setxattr", "lsetxattr", "mknod", "mknodat")  # fmt: skip
_OPENED = re.compile(r'open(?:at)?\((?:[^"]*)"(?P<name>[^"]*)", (?P<flags>[A-Z_|]+)')
_NAMED = re.compile(r'"([^"]*)"')


@pytest.fixture
def world(tmp_path: Path, samples: Path) -> dict[str, Path]:
    """A folder from somebody: sessions of several kinds, what killed saves leave, and what only looks like that."""
    folder = tmp_path / "folder"
    storage = opencode_folders.written(folder, broken())
    for name in ("claude-code-branches.jsonl", "codex-killed.jsonl", "goose-left-out.db", "proxy-log.jsonl"):
        shutil.copy(samples / name, folder)
    (folder / ".toolpair-0123456789abcdef.tmp").write_bytes(b"left")
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "old.json").write_text("1")
    (storage / "message" / "A").symlink_to(victim)
    for name, mark in (("0", mark_of), ("1", lambda text: "0")):
        room = storage / f".toolpair-{name * 16}.saving"
        room.mkdir()
        (room / "0.new").write_text("{}")
        entry = {"path": "message/A/new.json", "before": None, "after": "99914b932bd37a50b983c5e7c90ae93b"}
        text = json.dumps({"session": ID, "entries": [entry], "folders": []})
        (room / "journal").write_text(json.dumps({"mark": mark(text.encode()), "journal": text}))
    (tmp_path / "out").mkdir()
    return {
        "FOLDER": folder,
        "STORED": Path(f"{storage}::{ID}"),
        "STORAGE": storage,
        "DATABASE": folder / "goose-left-out.db",
        "FILE": folder / "claude-code-branches.jsonl",
        "OTHER": folder / "codex-killed.jsonl",
        "LOG": folder / "proxy-log.jsonl",
        "OUT": tmp_path / "out",
        "VICTIM": victim,
    }


def words(command: str, world: dict[str, Path]) -> list[str]:
    for name, path in world.items():
        command = re.sub(rf"\b{name}\b", str(path), command)
    return [*program(), *command.split()]


def environment(tmp_path: Path) -> dict[str, str]:
    own = {name: str(tmp_path / "own" / name) for name in ("XDG_CACHE_HOME", "TMPDIR")}
    for path in own.values():
        os.makedirs(path, exist_ok=True)
    return {**os.environ, **own, "HOME": str(tmp_path / "home")}


def told(*folders: Path) -> dict[str, tuple[object, ...]]:
    """All that `stat` says of each file and folder but when it was read, which shows what came and went as well."""
    found: dict[str, tuple[object, ...]] = {}
    for top in folders:
        for path in (top, *sorted(top.rglob("*"))):
            there = path.lstat()
            found[str(path)] = (there.st_ino, there.st_mode, there.st_size, there.st_mtime_ns, there.st_ctime_ns)
    return found


@pytest.mark.parametrize("name", READING)
def test_nothing_changes(
    run: Run, world: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = told(world["FOLDER"], world["VICTIM"])
    for variable, value in environment(tmp_path).items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.chdir(world["FOLDER"])
    ran = run(*words(READING[name], world)[len(program()) :])
    assert ran.code in (0, 1, 2), ran.err
    assert told(world["FOLDER"], world["VICTIM"]) == before
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("target", ["STORED", "FILE", "DATABASE"])
def test_the_interface_changes_nothing_before_a_save(world: dict[str, Path], tmp_path: Path, target: str) -> None:
    before = told(world["FOLDER"], world["VICTIM"])
    terminal = Terminal([*program(), str(world[target])], environment=environment(tmp_path))
    terminal.read(PATIENCE, until=b"quit")
    for keys in ("A", "\x1b", "q", "y"):
        terminal.press(keys)
        terminal.read(0.5)
    terminal.kill()
    assert told(world["FOLDER"], world["VICTIM"]) == before


def written_by(command: list[str], environment: dict[str, str], log: Path) -> Iterator[tuple[str, list[str]]]:
    """Each call by which a command and what it starts open something for writing, or change it: the line that strace
    has of it, and the names in there.
    """
    calls = "trace=" + ",".join(f"?{one}" for one in ("open", "openat", *CHANGING))
    traced = [str(STRACE), "-f", "-qq", "-o", str(log), "-e", calls, *command]
    ran = subprocess.run(traced, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert ran.returncode in (0, 1, 2)
    for line in log.read_text(errors="replace").splitlines():
        if "= -1" in line or "__pycache__" in line:
            continue
        opened = _OPENED.search(line)
        if opened is None or re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", opened["flags"]):
            yield line, [opened["name"]] if opened is not None else _NAMED.findall(line)


@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
@pytest.mark.parametrize("name", ["check", "sees", "sees a database", "report", "fix --diff of a stored session"])
def test_nothing_is_opened_for_writing(world: dict[str, Path], tmp_path: Path, name: str) -> None:
    allowed = (str(tmp_path / "own"), str(world["OUT"]), os.environ["XDG_STATE_HOME"], "/dev/", "/proc/")
    for line, names in written_by(words(READING[name], world), environment(tmp_path), tmp_path / "calls"):
        assert all(one.startswith(allowed) or not one.startswith("/") for one in names), line
