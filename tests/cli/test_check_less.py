"""`check --quiet`, `--statistics`, and the columns of places where a line holds more than a record."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path, samples: Path) -> Path:
    for name in ("valid.json", "sanitised-on-one-side.json", "codex-killed.jsonl"):
        shutil.copy(samples / name, tmp_path / name)
    (tmp_path / "package.json").write_text("{}")
    return tmp_path


def test_quiet_names_only_files_with_problems(run: Run, folder: Path) -> None:
    loud, quiet = run("check", folder), run("check", folder, "--quiet")
    assert quiet.code == loud.code == 1
    assert "valid.json" in loud.out and "skipped" in loud.err
    assert "valid.json" not in quiet.out and quiet.err == ""
    assert set(quiet.out.splitlines()) < set(loud.out.splitlines())
    assert quiet.out.splitlines()[-1] == loud.out.splitlines()[-1] == "3 files: 7 errors, 0 warnings."
    report = run("check", folder, "-q", "--output-format", "json").json
    assert len(report["files"]) == 2 and report["summary"]["files"] == 3
    assert len(run("check", folder, "-q", "--output-format", "jsonl").out.splitlines()) == 2


def test_quiet_about_what_is_valid_says_nothing(run: Run, folder: Path) -> None:
    ran = run("check", folder / "valid.json", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert run("check", folder / "gone.json", "--quiet").err


def test_statistics(run: Run, folder: Path) -> None:
    whole = run("check", folder, "--output-format", "json").json
    ran = run("check", folder, "--statistics", "--output-format", "json")
    assert ran.code == 1
    found = ran.json["statistics"]
    problems = [problem for entry in whole["files"] for problem in entry["problems"]]
    for kind, key in (("rules", "rule"), ("tools", "tool")):
        assert sum(row["count"] for row in found[kind]) == len(problems)
        counts = [row["count"] for row in found[kind]]
        assert counts == sorted(counts, reverse=True)
        assert {row[key] for row in found[kind]} == {problem[key] for problem in problems}
    assert sum(row["count"] for row in found["causes"]) == sum(problem["cause"] is not None for problem in problems)
    assert ran.json["summary"] == whole["summary"]
    text = run("check", folder, "--statistics").out
    assert "       4  result.id_mismatch  error, in 1 file\n" in text
    assert text.endswith("3 files: 7 errors, 0 warnings.\n")
    assert run("check", folder, "--statistics", "--output-format", "sarif").code == 2


@pytest.mark.parametrize("name", ["sanitised-on-one-side.json", "parallel-swapped.json", "request-log.jsonl"])
def test_a_place_has_a_column_where_its_line_holds_more(run: Run, samples: Path, name: str) -> None:
    path = samples / name
    lines = path.read_text(encoding="utf-8").split("\n")
    problems = run("check", path, "--output-format", "json").json["files"][0]["problems"]
    text = run("check", path).out
    assert problems
    for problem in problems:
        place = problem["location"]
        start, end = place["bytes"]
        said = path.read_bytes()[start:end].decode()
        rest = "\n".join([lines[place["line"] - 1][place["column"] - 1 :], *lines[place["line"] :]])
        assert rest.startswith(said) and json.loads(said)
        assert f"{path}:{place['line']}:{place['column']}: {problem['severity']} " in text


def test_a_line_that_is_a_record_has_none(run: Run, samples: Path) -> None:
    for problem in run("check", samples / "codex-killed.jsonl", "--output-format", "json").json["files"][0]["problems"]:
        assert "column" not in problem["location"]
