"""Only calls that every system has: nothing may use what Windows or macOS lacks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_POSIX_ONLY = (
    *("O_NONBLOCK", "O_CLOEXEC", "O_NOFOLLOW", "O_NOCTTY", "O_DIRECTORY", "fchmod", "fchown", "listxattr", "getxattr"),
    *("setxattr", "removexattr", "pread", "pwrite", "geteuid", "getuid", "fork", "sched_getaffinity", "chown"),
)
_RUN = """
import os, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"fcntl", "pwd", "grp", "resource", "termios", "tty"}:
            raise ImportError(f"{name} is not on this system")

for name in ("fcntl", "pwd", "grp", "resource", "termios", "tty"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocked())
real_open, text = os.open, getattr(os, "O_TEXT", 0)
for name in POSIX_ONLY:
    if hasattr(os, name):
        delattr(os, name)
os.O_BINARY = 0

import toolpair.source.system as system
system.RENAMES_OPEN_FILES = False
real_replace, open_now = os.replace, set()

def opened(path, flags, mode=0o777, **more):
    descriptor = real_open(path, flags, mode, **more)
    open_now.add((descriptor, os.fspath(path)))
    return descriptor

def closed(descriptor, real=os.close):
    open_now.difference_update({entry for entry in open_now if entry[0] == descriptor})
    real(descriptor)

def replace(one, other):
    held = {path for _, path in open_now}
    assert one not in held and other not in held, "Windows renames no open file"
    real_replace(one, other)

os.open, os.close, os.replace = opened, closed, replace
from toolpair.cli.main import main
sys.exit(main(sys.argv[1:]))
""".replace("POSIX_ONLY", repr(_POSIX_ONLY))


def messages() -> bytes:
    return json.dumps(
        [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "run", "input": {}}]},
            {"role": "user", "content": "and?"},
        ]
    ).encode()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-c", _RUN, *arguments], capture_output=True, text=True, timeout=60, errors="replace"
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    path.write_bytes(messages())
    return path


def test_check(file: Path) -> None:
    ran = run("check", str(file))
    assert ran.returncode == 1, ran.stderr
    assert "result.missing" in ran.stdout


def test_fix_to_another_file(file: Path) -> None:
    out = file.with_name("out.json")
    ran = run("fix", str(file), "-o", str(out))
    assert ran.returncode == 0, ran.stderr
    assert run("check", str(out)).returncode == 0
    assert file.read_bytes() == messages()
    assert run("fix", str(file), "-o", str(out)).returncode == 3
    assert run("fix", str(file), "-o", str(out), "--force").returncode == 0
    assert sorted(found.name for found in file.parent.iterdir()) == ["history.json", "out.json"]


def test_fix_in_place_and_restore(file: Path) -> None:
    ran = run("fix", str(file), "--in-place")
    assert ran.returncode == 0, ran.stderr
    assert run("check", str(file)).returncode == 0
    ran = run("restore", str(file), "--backup", "latest")
    assert ran.returncode == 0, ran.stderr
    assert file.read_bytes() == messages()
    assert not list(file.parent.glob("*.tmp"))
