"""The installed program in a pseudo-terminal: open a broken file, mend all, review, save, quit."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.generate import generate
from benchmarks.sessions.options import Options
from tests.cli.conftest import Run
from tests.terminal import Terminal, program
from toolpair.cli import open as interface
from toolpair.session.session import open_session

pytest.importorskip("toolpair.tui.app")


def _rescue(terminal: Terminal) -> int:
    terminal.read(until=b"fix everything safe")
    terminal.read(1.0)
    terminal.press("A")
    assert b"stay byte for byte" in terminal.read(until=b"stay byte for byte")
    terminal.read(1.5)  # a held key must not open and confirm the review
    terminal.press("\r")
    terminal.read(until=b"toolpair restore")
    terminal.read(0.5)
    terminal.press("q")
    return terminal.close()


@pytest.mark.parametrize("name", ["sanitised-on-one-side.json", "claude-code-branches.jsonl"])
def test_the_rescue(copy: Callable[[str], Path], run: Run, name: str) -> None:
    path = copy(name)
    original = path.read_bytes()
    terminal = Terminal([*program(), str(path)])
    assert _rescue(terminal) == 0
    assert path.read_bytes() != original
    assert run("check", path).code == 0
    (backup,) = path.parent.glob(path.name + ".toolpair-*.bak")
    assert backup.read_bytes() == original
    assert b"toolpair restore" in terminal.output[-3000:]


def test_a_file_that_is_cut_under_an_open_session_ends_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    generate(Options(size=20_000_000, pairs=2_000, problems=10), path)
    terminal = Terminal([*program(), str(path)])
    terminal.read(until=b"fix everything safe")
    terminal.read(1.0)
    terminal.press(" ")
    terminal.read(until=b"1 fix")
    terminal.read(0.5)
    os.truncate(path, 3_000_000)
    terminal.press("G")
    assert terminal.close() == 2
    said = terminal.output.decode(errors="replace")
    assert "Traceback" not in said and "locals" not in said
    assert str(path) in said[-2000:]
    assert "1 fix is applied but not saved; open the file again" in said[-2000:]
    assert path.stat().st_size == 3_000_000


def test_what_is_said_of_one_file_is_said_of_no_other(samples: Path) -> None:
    given = str(samples / "claude-code-branches.jsonl")
    leaf = open_session(given).conversation.transcript.tree.branches[-1].leaf
    options = interface.parser().parse_args([given, "--leaf", leaf, "--format", "claude-code"])
    open_ = interface._opener(options, given)
    assert open_(given).conversation.transcript.tree.leaf == leaf
    assert open_(str(samples / "valid.json")).format.id != "claude-code"


def test_quitting_changes_nothing(copy: Callable[[str], Path]) -> None:
    path = copy("interrupted-call.json")
    original = path.read_bytes()
    terminal = Terminal([*program(), str(path)])
    terminal.read(until=b"fix everything safe")
    terminal.read(0.5)
    terminal.press("q")
    assert terminal.close() == 0
    assert b"Nothing was changed." in terminal.output
    assert path.read_bytes() == original
    assert os.listdir(path.parent) == [path.name]


def test_the_file_on_standard_input_and_the_keys_from_the_terminal(copy: Callable[[str], Path]) -> None:
    terminal = Terminal([*program(), "-"], stdin=copy("interrupted-call.json"))
    terminal.read(until=b"fix everything safe")
    terminal.read(0.5)
    terminal.press("q")
    assert terminal.close() == 0


def test_a_closed_reader_is_no_fault(samples: Path) -> None:
    ran = subprocess.run(
        f"{shlex.join(program())} check {samples} | head -n 1", shell=True, capture_output=True, text=True, timeout=60
    )
    assert ran.stderr.count("Traceback") == 0
    assert "BrokenPipe" not in ran.stderr
