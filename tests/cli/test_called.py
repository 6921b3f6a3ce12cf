"""What is printed to be typed is what the person can type, wherever the program lies."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from toolpair.shell import program

INSTALLED = Path(sys.executable).with_name("toolpair")
pytestmark = pytest.mark.skipif(not INSTALLED.exists(), reason="toolpair is not installed beside this Python")
ELSEWHERE = "/usr/bin:/bin"


def started(words: list[str], path: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": path}
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("begin", "path", "called"),
    [
        ([str(INSTALLED)], ELSEWHERE, shlex.quote(str(INSTALLED))),
        ([str(INSTALLED)], f"{INSTALLED.parent}:{ELSEWHERE}", "toolpair"),
        ([sys.executable, "-m", "toolpair"], ELSEWHERE, f"{shlex.quote(sys.executable)} -m toolpair"),
    ],
)
def test_the_way_back_can_be_typed(copy: Callable[[str], Path], begin: list[str], path: str, called: str) -> None:
    file = copy("sanitised-on-one-side.json")
    before = file.read_bytes()
    done = started([*begin, "fix", file.name, "--in-place"], path, file.parent)
    assert done.returncode == 0, done.stderr
    undo = re.search(r"^  Undo: (.*)$", done.stderr, re.MULTILINE)
    assert undo is not None and undo[1] == f"{called} restore {file.name} --backup latest"
    back = started(["sh", "-c", undo[1]], path, file.parent)
    assert back.returncode == 0, back.stderr
    assert file.read_bytes() == before


def test_hints_of_workers_and_of_what_lies_below_the_commands_as_well(
    copy: Callable[[str], Path], tmp_path: Path
) -> None:
    big = tmp_path / "big.json"
    big.write_bytes(b'{"name": "shop"}' + b" " * (17 << 20))
    other = copy("valid.json")
    done = started([str(INSTALLED), "check", big.name, other.name, "--jobs", "2"], ELSEWHERE, tmp_path)
    assert f"`{shlex.quote(str(INSTALLED))} formats`" in done.stderr, done.stderr


def test_a_python_program_that_uses_the_library_is_not_named() -> None:
    assert program.called() == "toolpair"


def test_a_path_with_a_space_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "my programs" / "toolpair"
    script.parent.mkdir()
    script.touch(0o755)
    monkeypatch.setenv("PATH", ELSEWHERE)
    assert program._found(str(script)) == f"'{script}'"
    monkeypatch.setenv("PATH", str(script.parent))
    assert program._found(str(script)) == "toolpair"
    assert program._found("/somewhere/pytest") == "toolpair"


def test_no_command_is_printed_by_another_way() -> None:
    """Help and reference pages speak of `toolpair`; what is said of a case goes through `program`."""
    root = Path(program.__file__).parent
    for path in root.rglob("*.py"):
        if "rule_pages" in path.parts or path.parent.name == "ci":
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            said = re.search(r"(say|out|_line|Error|append)\(.*toolpair (restore|check|fix|formats|rules)\b", line)
            assert said is None, (path, line)
