"""The installed program is killed in the middle of the work, and goes on where it was."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rounds import ROUNDS, some
from tests.terminal import Terminal, kept_modes, program

pytest.importorskip("toolpair.tui.app")
OFFER = b"were applied but not saved."


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the journal, which is not there yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "state" / "toolpair" / "journal"


@pytest.fixture
def path(tmp_path: Path, samples: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return Path(shutil.copy(samples / "sanitised-on-one-side.json", folder / "session.json"))


def opened(path: Path, *options: str, stdin: Path | None = None) -> Terminal:
    terminal = Terminal([*program(), str(path) if stdin is None else "-", *options], stdin=stdin)
    assert b"fix everything safe" in terminal.read(until=b"fix everything safe"), terminal.text()
    terminal.read(0.6)
    return terminal


def fix(terminal: Terminal, times: int = 2) -> None:
    for n in range(1, times + 1):
        mark = len(terminal.output)
        terminal.press(" ")
        wanted = b"1 fix, not saved" if n == 1 else f"{n} fixes, not saved".encode()
        assert wanted in terminal.read(until=wanted, since=mark)


def files(state: Path) -> list[Path]:
    return list(state.iterdir()) if state.exists() else []


def kill(terminal: Terminal) -> None:
    terminal.read(1.5)  # the change may be as old as two seconds
    terminal.kill()


def terminate(terminal: Terminal) -> None:
    terminal.signal(signal.SIGTERM)
    assert terminal.close() == 143
    assert "2 fixes are applied but not saved; open the file again" in terminal.said()


def quit_by_signal(terminal: Terminal) -> None:
    terminal.signal(signal.SIGQUIT)
    assert terminal.close() == 131


def close_window(terminal: Terminal) -> None:
    terminal.hang_up()
    assert terminal.close() == 129


@pytest.mark.parametrize("how", some([kill, terminate, close_window, quit_by_signal], 2))
def test_what_was_applied_is_kept_however_it_ends(path: Path, state: Path, how: Callable[[Terminal], None]) -> None:
    original = path.read_bytes()
    terminal = opened(path)
    fix(terminal)
    how(terminal)
    (kept,) = files(state)
    assert path.read_bytes() == original
    if how is kill or ROUNDS:
        assert_there_again(path, state)
    else:
        assert json.loads(kept.read_bytes())["fixes"] == 2


def assert_there_again(path: Path, state: Path) -> None:
    """It is offered, taken, saved, and never offered again."""
    original = path.read_bytes()
    terminal = opened(path)
    assert OFFER in terminal.read(until=OFFER, since=0)
    assert "2 fixes from less than a minute ago were applied but not saved." in terminal.text()
    terminal.read(0.8)
    mark = len(terminal.output)
    terminal.press("\r")
    assert b"2 fixes, not saved" in terminal.read(until=b"2 fixes, not saved", since=mark)
    terminal.read(0.5)
    terminal.press("w")
    assert b"stay byte for byte" in terminal.read(until=b"stay byte for byte", since=mark)
    terminal.read(0.8)
    terminal.press("\r")
    terminal.read(until=b"toolpair restore", since=mark)
    terminal.read(0.5)
    terminal.press("q")
    assert terminal.close() == 0
    assert path.read_bytes() != original and not files(state)

    terminal = opened(path)
    assert OFFER not in terminal.read(1.0, since=0)
    terminal.press("q")
    assert terminal.close() == 0


def test_a_crash_says_that_it_is_kept(path: Path, state: Path, tmp_path: Path) -> None:
    from benchmarks.generate import generate
    from benchmarks.sessions.options import Options

    path = tmp_path / "session.jsonl"
    generate(Options(size=20_000_000, pairs=2_000, problems=10), path)
    whole = path.read_bytes()
    terminal = opened(path)
    terminal.read(1.0)
    fix(terminal, 1)
    os.truncate(path, 3_000_000)
    terminal.press("G")
    assert terminal.close() == 2
    assert not kept_modes(terminal.output), "the terminal is given back"
    assert "1 fix is applied but not saved; open the file again" in terminal.said()
    path.write_bytes(whole)
    terminal = opened(path)
    assert b"1 fix from" in terminal.read(until=b"1 fix from", since=0)
    terminal.kill()


def test_who_quits_leaves_nothing(path: Path, state: Path) -> None:
    terminal = opened(path)
    fix(terminal, 1)
    terminal.read(1.2)
    assert len(files(state)) == 1
    terminal.press("q")
    terminal.read(1.0)
    terminal.press("D")
    assert terminal.close() == 0
    assert not files(state)


def test_no_journal(path: Path, state: Path) -> None:
    terminal = opened(path)
    fix(terminal, 1)
    kill(terminal)
    terminal = opened(path, "--no-journal")
    fix(terminal, 1)
    assert b"from less" not in terminal.read(1.2, since=0)
    assert len(files(state)) == 1
    terminal.signal(signal.SIGTERM)
    assert terminal.close() == 143
    assert "1 fix is applied but not saved." in terminal.said()
    assert len(files(state)) == 1


def test_standard_input_has_none(path: Path, state: Path) -> None:
    terminal = opened(path, stdin=path)
    fix(terminal, 1)
    terminal.read(1.2)
    terminal.signal(signal.SIGTERM)
    assert terminal.close() == 143
    assert "1 fix is applied but not saved." in terminal.said() and not files(state)


def test_two_on_one_file_have_two(path: Path, state: Path) -> None:
    one, other = opened(path), opened(path)
    fix(one, 1)
    fix(other, 2)
    one.read(1.0)
    assert len(files(state)) == 2
    third = opened(path)
    assert OFFER not in third.read(1.0, since=0), "both are in use"
    third.press("q")
    third.close()
    other.kill()
    third = opened(path)
    assert "2 fixes from" in third.text()
    third.kill()
    one.press("q")
    one.read(1.0)
    one.press("D")
    assert one.close() == 0
    assert len(files(state)) == 1, "that of the one that was killed"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of Unix")
def test_a_state_folder_that_takes_nothing_stops_nobody(path: Path, state: Path) -> None:
    state.parent.parent.mkdir(parents=True)
    state.parent.write_text("a file in the folder's place")
    terminal = opened(path)
    fix(terminal, 1)
    assert b"journal cannot be written" in terminal.read(until=b"journal cannot be written", since=0)
    fix_again = len(terminal.output)
    terminal.press(" ")
    assert b"2 fixes, not saved" in terminal.read(until=b"2 fixes, not saved", since=fix_again)
    terminal.signal(signal.SIGTERM)
    assert terminal.close() == 143
    assert "2 fixes are applied but not saved." in terminal.said()
