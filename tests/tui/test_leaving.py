"""The program that is ended, interrupted or suspended from outside gives the terminal back as it was."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.rounds import mixed, some
from tests.terminal import MODES, Terminal, kept_modes, program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")


@pytest.fixture
def opened(samples: Path, tmp_path: Path) -> Terminal:
    path = Path(shutil.copy(samples / "sanitised-on-one-side.json", tmp_path / "session.json"))
    terminal = Terminal([*program(), str(path)])
    terminal.before = terminal.settings()  # type: ignore[attr-defined]
    return shown(terminal)


def shown(terminal: Terminal) -> Terminal:
    assert b"fix everything safe" in terminal.read(until=b"fix everything safe")
    terminal.read(0.5)
    assert kept_modes(terminal.output), "the interface takes them"
    return terminal


def staged(terminal: Terminal) -> Terminal:
    mark = len(terminal.output)
    terminal.press(" ")
    assert b"not saved" in terminal.read(until=b"not saved", since=mark)
    return terminal


@pytest.mark.parametrize(("name", "changed"), mixed(["SIGTERM", "SIGHUP", "SIGQUIT"], [True, False]))
def test_a_signal_ends_it_without_a_question(opened: Terminal, name: str, changed: bool) -> None:
    if changed:
        staged(opened)
    number = getattr(signal, name)
    opened.signal(number)
    deadline = time.monotonic() + PATIENCE
    while not opened.has_ended and time.monotonic() < deadline:
        time.sleep(0.02)
    settings = opened.settings()
    assert opened.close() == 128 + number
    assert not kept_modes(opened.output)
    assert settings == opened.before  # type: ignore[attr-defined]
    assert "Traceback" not in opened.text() and "failed" not in opened.said()


def test_an_interrupt_from_outside_asks_as_q_does(opened: Terminal) -> None:
    staged(opened)
    mark = len(opened.output)
    opened.signal(signal.SIGINT)
    opened.read(until=b"discard", since=mark)
    assert "not saved" in opened.text(mark)
    opened.read(0.6)
    opened.press("\x1b")
    opened.read(0.5)
    assert not opened.has_ended
    opened.signal(signal.SIGINT)
    opened.read(1.0)
    opened.press("D")
    assert opened.close() == 0
    assert not kept_modes(opened.output)


def test_an_interrupt_with_nothing_to_lose_ends_it(opened: Terminal) -> None:
    opened.signal(signal.SIGINT)
    assert opened.close() == 130
    assert not kept_modes(opened.output) and "Nothing was changed." in opened.said()


def test_a_terminal_that_goes_without_a_signal_ends_it(samples: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(samples / "sanitised-on-one-side.json", tmp_path / "session.json"))
    terminal = shown(Terminal(["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *program(), str(path)]))
    terminal.hang_up()
    assert terminal.close() == 129


def test_a_terminal_that_does_not_listen_keeps_nobody_waiting(opened: Terminal) -> None:
    opened.is_deaf = True
    for _ in range(60):
        opened.press("?q" * 10)
        time.sleep(0.02)
    opened.signal(signal.SIGTERM)
    assert opened.close(30) == 143


@pytest.mark.skipif(shutil.which("bash") is None, reason="no shell with jobs")
@pytest.mark.parametrize("how", some(["ctrl+z", "SIGSTOP", "SIGTSTP"], 2))
def test_it_is_suspended_and_drawn_again(samples: Path, tmp_path: Path, how: str) -> None:
    path = Path(shutil.copy(samples / "sanitised-on-one-side.json", tmp_path / "session.json"))
    shell = shutil.which("bash")
    assert shell is not None
    terminal = Terminal([shell, "--norc", "--noprofile", "-i"])
    terminal.press("PS1='ready> '; bind 'set enable-bracketed-paste off'\r")
    terminal.read(until=b"ready> ")
    terminal.read(0.3)
    terminal.press(f"{program()[0]} {' '.join(program()[1:])} {path} & echo the pid is $!; fg\r")
    terminal.read(until=b"the pid is ")
    terminal.read(until=b"fix everything safe", since=0)
    terminal.read(0.5)
    staged(terminal)
    pid = int(terminal.text().partition("the pid is ")[2].partition("the pid is ")[2].split()[0])
    mark = len(terminal.output)
    if how == "ctrl+z":
        terminal.press("\x1a")
    else:
        os.kill(pid, getattr(signal, how))
    terminal.read(until=b"ready> ", since=mark)
    if how != "SIGSTOP":
        assert not kept_modes(terminal.output)
    mark = len(terminal.output)
    terminal.press("echo st''ill here\r")
    assert b"still here" in terminal.read(until=b"still here", since=mark)
    terminal.press("fg\r")
    terminal.read(until=b"quit", since=mark)
    again = terminal.text(mark)
    assert "not saved" in again and "functions_read_file_1" in again, "all of it is drawn"
    assert len(kept_modes(terminal.output)) == len(MODES)
    terminal.press("q")
    terminal.read(1.0)
    terminal.press("D")
    terminal.read(until=b"Nothing was changed.", since=mark)
    terminal.read(0.3)
    assert not kept_modes(terminal.output)
    terminal.press("stty -a\r")
    stty = terminal.read(until=b"iexten", since=mark)
    terminal.read(0.2)
    assert b" icanon" in terminal.output[mark:] and b" echo " in terminal.output[mark:], stty
    terminal.press("exit\r")
    assert terminal.close() == 0
