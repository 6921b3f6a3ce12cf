"""Long text goes through a pager where there is a terminal, and the terminal is whole whatever ends it."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import SAMPLES
from tests.patience import PATIENCE
from tests.terminal import Terminal, program
from toolpair.cli.pager import paged

SEES = ["sees", str(SAMPLES / "claude-code-branches.jsonl")]


def _terminal(words: list[str], **environment: str) -> Terminal:
    return Terminal([*program(), *words], environment={**os.environ, "TERM": "xterm", **environment})


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["explain", "result.missing"], 0), (["help"], 0), (["help", "drop"], 0), (["rules"], 0), (SEES, 0),
        (["diff", str(SAMPLES / "valid.json"), str(SAMPLES / "interrupted-call.json")], 1), (["sessions"], 1),
    ],
)  # fmt: skip
def test_long_text_is_paged_in_the_colours_of_a_terminal(words: list[str], code: int) -> None:
    terminal = _terminal(words, TOOLPAIR_PAGER="sed 's/^/P:/'", PAGER="false", NO_COLOR="")
    assert terminal.close() == code
    lines = terminal.text().splitlines()
    if words[0] == "sessions":  # nothing is printed: no pager is started, and what is said is said
        assert len(lines) == 1 and lines[0].startswith("toolpair: No sessions found")
    else:
        assert len(lines) > 3 and all(line.startswith("P:") for line in lines)
    assert (b"\x1b[" in terminal.output) == (words[0] not in ("help", "sessions") or words[1:] == ["drop"])


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["rules", "--no-pager"], {"TOOLPAIR_PAGER": "false"}), (["rules"], {"PAGER": "cat"}),
        (["rules", "--output-format", "json"], {"PAGER": "false"}), (["rules"], {"TOOLPAIR_PAGER": "", "PAGER": "false"}),
        (["rules"], {"PAGER": "no-such-pager -x"}), (["rules"], {"TERM": "dumb", "PAGER": "false"}),
        (["formats"], {"PAGER": "false"}),
    ],
)  # fmt: skip
def test_nothing_is_paged_where_that_is_not_wanted(words: list[str], environment: dict[str, str]) -> None:
    terminal = _terminal(words, **environment)
    assert terminal.close() == 0 and len(terminal.text().splitlines()) > 20


def test_a_pipe_gets_it_all(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "false")
    assert len(run("rules").out.splitlines()) > 50


def test_a_pager_that_ends_early_changes_nothing_of_the_outcome() -> None:
    terminal = _terminal(["diff", *map(str, sorted(SAMPLES.glob("[iv]*.json")))], PAGER="head -1")
    assert terminal.close() == 1 and len(terminal.text().splitlines()) == 1


def test_what_is_said_meanwhile_follows_the_pager(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TOOLPAIR_PAGER", "sed s/^/P:/ >&2")

    def work() -> int:
        print("a")
        sys.stdout.flush()
        print("said", file=sys.stderr)
        print("b")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        paged(work)
    assert capfd.readouterr().err == "P:a\nP:b\nsaid\n"


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less_leaves_the_terminal_whole() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "LESS"} | {"TERM": "xterm"}
    for words, keys, code in ((["rules"], "q", 0), (["rules"], "\x03q", 0), (["help", "exit-codes"], "", 0)):
        terminal = Terminal([*program(), *words], environment=environment)
        before = terminal.settings()
        if keys:
            terminal.read(until=b":\x1b[K")
        for key in keys:
            terminal.press(key)
            time.sleep(0.1)
        ends = time.monotonic() + PATIENCE
        while not terminal.has_ended and time.monotonic() < ends:
            time.sleep(0.02)
            if keys and int(ends - time.monotonic()) % 2:
                terminal.press("q")  # what was typed right after ctrl+c is lost
        after = terminal.settings()
        assert terminal.close() == code and after == before and b"\x1b[?1049h" not in terminal.output


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_a_signal_that_ends_the_program_ends_its_pager_too() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "LESS"} | {"TERM": "xterm"}
    terminal = Terminal([*program(), "rules"], environment=environment)
    before = terminal.settings()
    terminal.read(until=b":\x1b[K")
    pagers = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text().split()
    assert pagers
    terminal.signal(signal.SIGTERM)
    ends = time.monotonic() + PATIENCE
    while not terminal.has_ended and time.monotonic() < ends:
        time.sleep(0.02)
    assert terminal.settings() == before and not any(Path("/proc", pid).exists() for pid in pagers)
    assert terminal.close() == -signal.SIGTERM
