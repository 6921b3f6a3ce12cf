"""The process for colours ends with the program, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.patience import PATIENCE
from tests.rounds import some
from tests.terminal import Terminal, program
from tests.tui.driving import drive, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.colours import Colours

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
BUSY = "\\" * 60_000
"""Keeps Python's lexer busy for minutes."""


def workers_of(parent: int) -> list[int]:
    """The processes for colours that a process has started."""
    return [pid for pid in _workers() if _parent(pid) == parent]


def _workers() -> Iterator[int]:
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if b"toolpair.tui.colour_worker" in Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0"):
                    yield int(entry)
            except OSError:
                pass  # it has ended


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return -1


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def wait_for(what: Callable[[], object], seconds: float = PATIENCE) -> bool:
    deadline = time.monotonic() + seconds
    while not what() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(what())


@pytest.fixture
def session(samples: Path, tmp_path: Path) -> Path:
    call = '{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "for i in a; do ls; done"}}'
    result = '{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}'
    path = tmp_path / "session.json"
    path.write_text(
        f'[{{"role": "user", "content": "go"}}, {{"role": "assistant", "content": [{call}]}},'
        f' {{"role": "user", "content": [{result}]}}]'
    )
    return path


def opened(path: Path) -> tuple[Terminal, int]:
    """The program with a command in its viewer, and its process for colours."""
    terminal = Terminal([*program(), str(path)])
    assert b"all keys" in terminal.read(until=b"all keys")
    terminal.read(0.3)
    assert not workers_of(terminal.pid), "nothing in view has colours"
    terminal.press("g")
    terminal.press("j")
    terminal.press("\r")
    deadline = time.monotonic() + PATIENCE
    while not workers_of(terminal.pid) and time.monotonic() < deadline:
        terminal.read(0.05)
    (worker,) = workers_of(terminal.pid)
    return terminal, worker


@pytest.mark.parametrize("how", some(["q", "ctrl+c", "SIGTERM", "SIGKILL", "SIGHUP"], 3))
def test_it_ends_with_the_program(session: Path, how: str) -> None:
    terminal, worker = opened(session)
    if how == "q":
        terminal.press("q")
        terminal.read(0.3)
        terminal.press("q")
    elif how == "ctrl+c":
        terminal.press("\x03")
    else:
        terminal.signal(getattr(signal, how))
    terminal.close()
    assert wait_for(lambda: has_ended(worker))


def test_a_stopped_job_leaves_nothing_behind(session: Path) -> None:
    terminal, worker = opened(session)
    os.killpg(terminal.pid, signal.SIGSTOP)
    assert not has_ended(worker) and os.getpgid(worker) != terminal.pid
    terminal.signal(signal.SIGKILL)
    assert wait_for(lambda: has_ended(worker))


def test_a_lexer_at_work_ends_when_its_input_is_closed() -> None:
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "toolpair.tui.colour_worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write(b'{"file": "a.py", "language": null, "lines": ["' + BUSY.encode() * 2 + b'"]}\n')
    worker.stdin.flush()
    assert worker.stdout.readline() == b"null\n", "the lexer is at work"
    worker.stdin.close()
    try:
        assert worker.wait(PATIENCE) == -signal.SIGIO, "the system ends it at once"
    finally:
        worker.kill()
        worker.stdout.close()


def test_an_interface_that_is_stopped_from_outside_leaves_none(session: Path) -> None:
    seen: list[int] = []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "j", "enter")
        for _ in range(500):
            if seen:
                break
            await pilot.pause(0.02)
            seen.extend(workers_of(os.getpid()))

    drive(session, play)
    assert seen and all(map(has_ended, seen))


def test_none_is_started_after_the_end() -> None:
    colours = Colours()
    asking = [threading.Thread(target=colours.runs, args=("a.py", None, ("import os",))) for _ in range(4)]
    for thread in asking:
        thread.start()
    colours.close()
    for thread in asking:
        thread.join()
    assert colours.runs("a.py", None, ("import os",)) == [] and not workers_of(os.getpid())


def test_a_check_loads_nothing_of_it(session: Path) -> None:
    code = (
        "import sys; from toolpair.cli.main import main\n"
        f"try: main(['check', {str(session)!r}])\nexcept SystemExit: pass\n"
        "assert not [name for name in sys.modules if 'colour' in name or name.startswith('pygments')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
