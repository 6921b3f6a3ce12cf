"""The bar of long work: when it is drawn, that it clears itself, and that nothing in a name can act on the terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.patience import PATIENCE
from tests.rounds import tries
from toolpair.cli.progress import Progress
from toolpair.text.safe import visible

MB = 1_000_000


class Terminal(io.StringIO):
    """A terminal of 80 columns that remembers what stood on it after each drawing."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def frames(self) -> list[list[str]]:
        return frames(self.getvalue())


def frames(written: str) -> list[list[str]]:
    """The lines that are on a terminal whenever it was written on, without those that are empty."""
    lines, row, seen = [""], 0, []
    for control, text in re.findall(r"(\r?\n|\r|\x1b\[\d*[A-Za-z])|([^\r\n\x1b]+)", written):
        if control.endswith("\n"):
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif control == "\x1b[1A":
            row -= 1
        elif control == "\x1b[2K":
            lines[row] = ""
        else:
            assert control in ("\r", ""), f"{control!r} is none of what the bar needs"
        if text:
            assert not lines[row], "what stood there was taken away first"
            lines[row] = text.rstrip()
        seen.append([line for line in lines if line])
    return [frame for frame, before in zip(seen, [[], *seen], strict=False) if frame != before]


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_is_drawn_in_the_first_second() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(10 * MB, "reading session.jsonl", stream=terminal, clock=clock) as progress:
        for done in range(100):
            progress.advance(done * MB // 10)
            clock.now += 0.0099
    assert terminal.getvalue() == ""


def test_the_bar_says_what_is_done_and_how_far_and_clears_itself() -> None:
    terminal, clock = Terminal(), Clock()
    with Progress(10 * MB, "reading session.jsonl", stream=terminal, clock=clock) as progress:
        clock.now += 1.5
        progress.advance(5 * MB)
    (drawn,), *_, cleared = terminal.frames
    assert re.fullmatch(r"reading session\.jsonl +━{12} +50 % 5\.0 MB of 10 MB", drawn)
    assert cleared == []


def test_it_is_drawn_ten_times_a_second_at_most() -> None:
    terminal, clock = Terminal(), Clock()
    progress = Progress(3000, "x", stream=terminal, clock=clock)
    for done in range(3000):
        clock.now += 0.001
        progress.advance(done)
    assert 15 <= terminal.getvalue().count("%") <= 21


def test_what_is_printed_meanwhile_finds_an_empty_line() -> None:
    terminal, clock = Terminal(), Clock()
    progress = Progress(10, "x", stream=terminal, clock=clock)
    progress.clear()
    assert terminal.getvalue() == ""
    clock.now += 2
    progress.advance(5)
    progress.clear()
    assert terminal.frames[-1] == []
    clock.now += 2
    progress.advance(6)
    assert len(terminal.frames[-1]) == 1
    progress.close()
    clock.now += 2
    progress.advance(7)
    assert terminal.frames[-1] == []


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_clear_a_line_is_left_alone(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term) if term else monkeypatch.delenv("TERM")
    terminal, clock = Terminal(), Clock()
    progress = Progress(10, "x", stream=terminal, clock=clock)
    clock.now += 2
    progress.advance(5)
    progress.close()
    assert terminal.getvalue() == ""


def test_a_pipe_and_a_closed_stream_get_nothing(tmp_path: Path) -> None:
    file, clock = (tmp_path / "err").open("w+"), Clock()
    progress = Progress(10, "x", stream=file, clock=clock)
    clock.now += 2
    progress.advance(5)
    progress.close()
    assert file.tell() == 0
    file.close()
    progress = Progress(10, "x", stream=file, clock=clock)
    progress.advance(5)
    progress.close()


def test_an_encoding_without_blocks_gets_plain_characters() -> None:
    terminal, clock = Terminal(), Clock()
    terminal.encoding = "ascii"  # type: ignore[misc]
    progress = Progress(10, "x", stream=terminal, clock=clock)
    clock.now += 2
    progress.advance(5)
    assert "-" * 12 in terminal.getvalue()
    assert terminal.getvalue().isascii()


def test_work_without_a_known_end_tells_how_much_is_done() -> None:
    terminal, clock = Terminal(), Clock()
    progress = Progress(0, "reading", stream=terminal, clock=clock)
    clock.now += 2
    progress.advance(5 * MB)
    ((drawn,),) = terminal.frames
    assert drawn.split() == ["reading", "5.0", "MB"]


@pytest.fixture
def tty() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)


@settings(max_examples=tries(60))
@given(
    name=st.text(max_size=60), columns=st.integers(1, 120), done=st.integers(0, 10**13), total=st.integers(0, 10**13)
)
def test_a_drawing_is_one_line_and_holds_nothing_that_acts(name: str, columns: int, done: int, total: int) -> None:
    import rich.cells

    terminal, clock = Terminal(), Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toolpair.cli.progress_line._columns", lambda stream: columns)
        progress = Progress(total, name, stream=terminal, clock=clock)
        clock.now += 2
        progress.advance(done)
    drawn = terminal.getvalue()
    assert drawn == visible(drawn), "one line, and nothing that acts"
    assert rich.cells.cell_len(drawn) < max(columns, 2)


def test_the_width_is_that_of_the_terminal_that_is_drawn_on(tty: tuple[int, int]) -> None:
    import fcntl
    import struct
    import termios

    master, slave = tty
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    clock = Clock()
    with os.fdopen(slave, "w") as terminal:
        progress = Progress(100 * MB, "reading a-very-long-name-of-a-session.jsonl", stream=terminal, clock=clock)
        clock.now += 2
        progress.advance(50 * MB)
        drawn = os.read(master, 1000).decode()
    assert drawn.strip() == "50 % 50 MB of 100 MB"


_CHECK = """
import sys
from toolpair.cli import check, main, progress
progress._PATIENCE = progress._PAUSE = 0
check.LITTLE = {little}
sys.exit(main.main({arguments!r}))
"""


@pytest.mark.parametrize(
    ("arguments", "little"), [(["--jobs", "1"], 1 << 40), (["--jobs", "2"], 1)], ids=["alone", "workers"]
)
def test_a_check_shows_how_far_it_is_and_prints_the_same(
    tty: tuple[int, int], samples: Path, tmp_path: Path, arguments: list[str], little: int
) -> None:
    master, slave = tty
    folder = shutil.copytree(samples, tmp_path / "samples", ignore=shutil.ignore_patterns("__pycache__"))
    command = ["check", str(folder), *arguments]
    code = _CHECK.format(little=little, arguments=command)
    plain = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    told: list[bytes] = []
    reading = Thread(target=_read_all, args=(master, told))
    reading.start()
    shown = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=slave, text=True, timeout=PATIENCE
    )
    os.close(slave)
    reading.join(PATIENCE)
    assert "\x1b" not in plain.stdout + plain.stderr
    assert (shown.returncode, shown.stdout) == (plain.returncode, plain.stdout)
    written = b"".join(told).decode().replace("\r\n", "\n")
    drawn = [line for frame in frames(written.removesuffix(plain.stderr)) for line in frame]
    number = len(list(folder.iterdir()))
    assert any(f"1 of {number} files" in line for line in drawn)
    assert any(f"{number} of {number} files" in line and "100 %" in line for line in drawn)
    assert written.endswith("\x1b[2K" + plain.stderr), "the line is taken away before anything else is said"


def test_nothing_is_loaded_to_draw_what_is_not_drawn(tty: tuple[int, int], samples: Path) -> None:
    code = (
        "import sys; from toolpair.cli import main, progress; progress._PATIENCE = {}; main.main({!r});"
        "print(*sys.modules, file=sys.__stdout__)"
    )
    _, slave = tty
    for patience, loaded in ((600, False), (0, True)):
        command = [sys.executable, "-c", code.format(patience, ["check", str(samples), "--jobs", "1"])]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, text=True, timeout=PATIENCE)
        modules = ran.stdout.splitlines()[-1].split()
        assert ("rich.progress" in modules) is loaded
        assert ("rich" in modules) is loaded
        assert "textual" not in modules


def _read_all(master: int, told: list[bytes]) -> None:
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:
            return
        if not part:
            return
        told.append(part)
