"""`check --jobs`: several files at once say the same as one after the other, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.patience import PATIENCE
from tests.rounds import some
from toolpair.cli import check, jobs
from toolpair.cli.file_report import Answered
from toolpair.cli.inputs import Input

_WORK = check.parser().parse_args(["-", "--output-format", "jsonl"])
_DYING = """
import os, sys; sys.path[:] = {path!r}
import toolpair.cli.worker as worker
really = worker.judge_file
def judge_file(source, *others):
    if "deadly" in source.name:
        os.kill(os.getpid(), 9)
    return really(source, *others)
worker.judge_file = judge_file
worker.main()
"""
_SLEEPING = """
import os, sys, time; sys.path[:] = {path!r}
import toolpair.cli.worker as worker
def judge_file(source, *others):
    open(source.name + ".pid", "w").write(str(os.getpid()))
    time.sleep(600)
worker.judge_file = judge_file
worker.main()
"""
# Whoever starts the tests in the background has ctrl+c ignored by all that they start.
_COMMAND = """
import signal, sys; sys.path[:] = {path!r}
signal.signal(signal.SIGINT, signal.default_int_handler)
from toolpair.cli import check, jobs, main
check.LITTLE = 1
jobs._START = {start!r}
sys.exit(main.main({arguments!r}))
"""


@pytest.fixture
def folder(tmp_path: Path, samples: Path) -> Path:
    """Sessions, one of which cannot be read, among other files, in folders."""
    made = tmp_path / "many"
    (made / "a").mkdir(parents=True)
    (made / "b").mkdir()
    for path in [*some(sorted(samples.glob("*.*")), 10), samples / "damaged.jsonl", samples / "valid.json"]:
        shutil.copy(path, made / "a")
    for name in ("interrupted-call.json", "openai-chat-missing.json", "valid.json"):
        shutil.copy(samples / name, made / "b")
    (made / "a" / "broken.json").write_text('[{"role": "user", "content": ')
    (made / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (made / "ünïcødé \x1b[31m.json").write_bytes((samples / "valid.json").read_bytes())
    return made


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are started for the smallest files, too."""
    monkeypatch.setattr(check, "LITTLE", 1)


@pytest.mark.parametrize(
    "options",
    some(
        [
            ["--output-format", "text"],
            ["--output-format", "json", "--show-content"],
            ["--output-format", "jsonl", "--profile", "anthropic", "--profile", "openai-chat"],
            ["--output-format", "sarif"],
            ["--output-format", "github", "--inactive"],
        ],
        2,
    ),
    ids=lambda options: options[1],
)
def test_the_output_is_the_same_byte_for_byte(run: Run, folder: Path, at_once: None, options: list[str]) -> None:
    given = [folder, "-", folder / "a" / "no-such-file.json", folder / "a" / "damaged.jsonl", *options]
    stdin = (folder / "b" / "interrupted-call.json").read_bytes()
    alone, together = (run("check", *given, "--jobs", number, stdin=stdin) for number in (1, 3))
    assert together == alone
    assert alone.code == 2
    assert len(alone.raw) > 2000


def test_without_a_number_every_core_works(
    run: Run, folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    really = jobs.judge_all
    monkeypatch.setattr(jobs, "cores", lambda: 2)
    monkeypatch.setattr(jobs, "judge_all", lambda *given: asked.append(given[2]) or really(*given))
    assert run("check", folder) == run("check", folder, "--jobs", 1)
    assert asked == [2]


def test_a_few_small_files_start_no_workers(run: Run, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "judge_all", lambda *given: pytest.fail("workers were started"))
    assert run("check", samples, "--jobs", 8).code == 1


def test_one_file_starts_no_worker(run: Run, samples: Path, at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "judge_all", lambda *given: pytest.fail("workers were started"))
    assert run("check", samples / "valid.json").code == 0


@pytest.mark.parametrize("number", ["0", "-1", "two", "1.5", "²", ""])
def test_what_is_no_number_is_told(run: Run, samples: Path, number: str) -> None:
    ran = run("check", samples / "valid.json", f"--jobs={number}")
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("toolpair: --jobs takes a whole number")


def test_a_worker_that_dies_costs_its_file_alone(
    run: Run, folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run("check", folder, "--jobs", 2, "--output-format", "json").json
    (folder / "a" / "deadly.json").write_bytes((folder / "a" / "valid.json").read_bytes())
    (folder / "b" / "deadly.json").write_bytes((folder / "a" / "valid.json").read_bytes())
    monkeypatch.setattr(jobs, "_START", _DYING)
    ran = run("check", folder, "--jobs", 2, "--output-format", "json")
    dead = [entry for entry in ran.json["files"] if "deadly" in entry["path"]]
    assert ran.code == 2
    assert [entry for entry in ran.json["files"] if "deadly" not in entry["path"]] == before["files"]
    assert len(dead) == 2
    for entry in dead:
        assert "was ended by signal 9; there may not be enough memory for it" in entry["error"]
        assert "--jobs 1" in entry["error"]


def test_where_no_worker_starts_the_files_are_judged_all_the_same(
    run: Run, folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run("check", folder, "--jobs", 1)
    monkeypatch.setattr(jobs, "_START", "import sys; sys.exit(3)")
    assert run("check", folder, "--jobs", 2) == alone
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert run("check", folder, "--jobs", 2) == alone


def test_only_some_files_are_taken_ahead_of_the_one_that_is_printed(samples: Path) -> None:
    taken = 0

    def sources() -> Iterator[Answered]:
        nonlocal taken
        for _ in range(60):
            taken += 1
            yield Input(str(samples / "valid.json")), []

    furthest = 0
    for printed, (_, result) in enumerate(jobs.judge_all(sources(), _WORK, 2)):
        assert result is not None and result[0].entry["counts"]["pairs"] == 3
        furthest = max(furthest, taken - printed)
    assert printed == 59
    assert furthest <= 2 * jobs._AHEAD


def _started(folder: Path, samples: Path, *arguments: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A check of two files whose workers never end, and their processes."""
    files = [Path(shutil.copy(samples / "valid.json", folder / name)) for name in ("one.json", "two.json")]
    command = ["check", *map(str, files), "--jobs", "2", *arguments]
    code = _COMMAND.format(path=sys.path, start=_SLEEPING, arguments=command)
    ran = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    told = [file.with_name(file.name + ".pid") for file in files]
    _wait_until(lambda: all(file.exists() and file.read_text() for file in told), ran)
    return ran, [int(file.read_text()) for file in told]


def _wait_until(true: object, ran: subprocess.Popen[str] | None = None) -> None:
    assert callable(true)
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        assert ran is None or ran.poll() is None, ran.communicate()
        time.sleep(0.02)


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:  # nobody may be there to take note of its end
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_ctrl_c_ends_all_at_once(tmp_path: Path, samples: Path) -> None:
    ran, workers = _started(tmp_path, samples)
    ran.send_signal(signal.SIGINT)
    out, err = ran.communicate(timeout=PATIENCE)
    assert (ran.returncode, out, err) == (130, "", "")
    assert all(map(_gone, workers))


def test_workers_end_with_the_process_that_started_them(tmp_path: Path, samples: Path) -> None:
    ran, workers = _started(tmp_path, samples)
    ran.kill()
    ran.communicate(timeout=PATIENCE)
    _wait_until(lambda: all(map(_gone, workers)))
