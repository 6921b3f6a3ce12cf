"""Many sessions: the lines that are gathered, the examples of `docs/fleet.md`, and that the page shows what is run."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.patience import PATIENCE

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = REPOSITORY / "examples"
SAMPLES = REPOSITORY / "sample_sessions"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sessions in folders, one that cannot be read, and what is none."""
    made = tmp_path / "a folder"
    shutil.copytree(SAMPLES, made / "one")
    shutil.copytree(SAMPLES, made / "two's")
    (made / "broken.json").write_text('[{"role": "user", "content": ')
    (made / "settings.json").write_text('{"colour": "blue"}')
    return made


@pytest.fixture
def expected(folder: Path) -> list[str]:
    """The lines that a single check prints, sorted."""
    ran = subprocess.run(
        [sys.executable, "-m", "toolpair", "check", str(folder), "--output-format", "jsonl"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    return sorted(line for line in ran.stdout.splitlines() if not _other(line))


def _other(line: str) -> bool:
    """Of a file with another ending than the examples look for."""
    return not json.loads(line)["path"].endswith((".json", ".jsonl", ".jsonl.zst"))


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def path_with_toolpair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    command = programs / "toolpair"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m toolpair "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(shutil.which("xargs") is None, reason="there is no xargs here")
def test_xargs_gathers_what_one_check_says(folder: Path, expected: list[str], path_with_toolpair: None) -> None:
    script = EXAMPLES / "fleet_xargs.sh"
    ran = subprocess.run(
        ["sh", str(script), str(folder)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert sorted(ran.stdout.splitlines()) == expected
    assert len(expected) > 30


@pytest.mark.skipif(shutil.which("xargs") is None, reason="there is no xargs here")
def test_xargs_tells_of_a_command_that_fails(folder: Path, path_with_toolpair: None, tmp_path: Path) -> None:
    (tmp_path / "bin" / "toolpair").write_text("#!/bin/sh\nexit 3\n")
    script = EXAMPLES / "fleet_xargs.sh"
    ran = subprocess.run(
        ["sh", str(script), str(folder)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ran.returncode != 0


def test_ray_gathers_what_one_check_says(folder: Path, expected: list[str]) -> None:
    ray = pytest.importorskip("ray")
    example = _load("fleet_ray")
    ray.init(num_cpus=1, include_dashboard=False)
    try:
        assert sorted(example.found_in(str(folder))) == expected
    finally:
        ray.shutdown()


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no JVM here")
def test_spark_gathers_what_one_check_says(
    folder: Path, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyspark")
    _load("fleet_spark").main(str(folder), str(tmp_path / "found"))
    lines = [line for part in (tmp_path / "found").glob("part-*") for line in part.read_text().splitlines()]
    assert sorted(lines) == expected
    assert f"{len(expected)} files, 0 of them not readable" in capsys.readouterr().out


def test_the_sum_is_that_of_the_lines(expected: list[str]) -> None:
    unreadable = json.dumps({"path": "x", "version": 1, "error": "x does not exist; check the name."})
    totals, broken = _load("fleet_sum").summed([*expected, unreadable])
    files = [json.loads(line) for line in expected]
    assert totals["files"] == len(files) + 1
    assert totals["not readable"] == 1
    assert totals["calls"] == sum(file["counts"]["calls"] for file in files)
    assert broken == Counter((found["severity"], found["rule"]) for file in files for found in file["problems"])
    assert sum(times for (severity, _), times in broken.items() if severity == "error") == sum(
        file["errors"] for file in files
    )


def test_each_line_is_printed_as_soon_as_its_file_is_judged(tmp_path: Path) -> None:
    """The second file is a name that waits to be opened until the first line has come."""
    first = SAMPLES / "interrupted-call.json"
    waiting = tmp_path / "later.json"
    os.mkfifo(waiting)
    code = (
        "import sys; from toolpair.cli import file_report, main; really = file_report.inputs.Input.open\n"
        "def opened(self, *others, **more):\n"
        "    if self.name.endswith('later.json'): sys.stdin.read()\n"
        "    return really(self, *others, **more)\n"
        "file_report.inputs.Input.open = opened\n"
        "sys.exit(main.main(sys.argv[1:]))"
    )
    ran = subprocess.Popen(
        [sys.executable, "-c", code, "check", str(first), str(waiting), "--output-format", "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert ran.stdout is not None
    assert json.loads(ran.stdout.readline())["path"] == str(first)
    rest, _ = ran.communicate(timeout=PATIENCE)
    assert json.loads(rest)["path"] == str(waiting)
    assert ran.returncode == 2


@each("name", sorted(path.name for path in EXAMPLES.glob("fleet_*")))
def test_the_page_shows_the_example_as_it_is(name: str) -> None:
    page = (REPOSITORY / "docs" / "fleet.md").read_text(encoding="utf-8")
    language = "sh" if name.endswith(".sh") else "python"
    assert f"```{language}\n{(EXAMPLES / name).read_text(encoding='utf-8')}```\n" in page
