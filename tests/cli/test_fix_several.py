"""`fix` of several files and of folders: a line each, one does not keep the others from it, the worst exit code."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from toolpair.cli.exits import IO_FAILED, OK, PROBLEMS, READ_THE_NOTE, REFUSED, UNREADABLE
from toolpair.cli.fix import _WORST_FIRST


@pytest.fixture
def folder(tmp_path: Path, samples: Path) -> Path:
    """Two that can be fixed, a valid one, and what is no session."""
    made = tmp_path / "folder"
    (made / "below").mkdir(parents=True)
    shutil.copy(samples / "sanitised-on-one-side.json", made / "a.json")
    shutil.copy(samples / "codex-killed.jsonl", made / "below" / "b.jsonl")
    shutil.copy(samples / "valid.json", made / "c.json")
    (made / "package.json").write_text('{"name": "shop"}')
    (made / "picture.png").write_bytes(b"\x89PNG\r\n")
    return made


def test_a_folder_is_walked_and_fixed(run: Run, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    ran = run("fix", folder, "--in-place")
    assert ran.code == 0 and ran.out == ""
    lines = ran.err.splitlines()
    assert [line.split(": ")[0] for line in lines[:3]] == [
        str(folder / "a.json"), str(folder / "c.json"), str(folder / "below" / "b.jsonl")]  # fmt: skip
    assert "4 problems fixed, loses nothing, original kept as a.json.toolpair-" in lines[0]
    assert lines[1].endswith(": nothing to fix")
    assert lines[3] == "3 sessions: 2 changed, 2 other files skipped."
    assert lines[4] == "Undo one: toolpair restore FILE --backup latest"
    assert run("check", folder).code == 0
    changed = {path.name for path, data in before.items() if path.read_bytes() != data}
    assert changed == {"a.json", "b.jsonl"}
    again = run("fix", folder, "--in-place")
    assert again.code == 0
    assert again.err.splitlines()[-1] == "3 sessions: 0 changed, 4 other files skipped.", "the backups are"


def test_each_file_comes_out_as_if_it_were_the_only_one(run: Run, folder: Path) -> None:
    one = run("fix", folder / "below" / "b.jsonl", "-o", "-").raw
    assert run("fix", folder / "a.json", folder / "below", "--in-place").code == 0
    assert (folder / "below" / "b.jsonl").read_bytes() == one


def test_diff_of_a_folder_writes_nothing(run: Run, folder: Path) -> None:
    before = sorted((path, path.is_file() and path.read_bytes()) for path in folder.rglob("*"))
    ran = run("fix", folder, "--diff")
    assert ran.code == 1
    assert ran.out.count("\n+++ ") == 2 and "4 problems would be fixed" in ran.err
    assert "Undo" not in ran.err
    assert before == sorted((path, path.is_file() and path.read_bytes()) for path in folder.rglob("*"))


def test_one_that_fails_keeps_no_other_from_it(run: Run, folder: Path) -> None:
    (folder / "broken.json").write_text('{"messages": [}')
    gone = folder / "gone.json"
    ran = run("fix", gone, folder / "broken.json", folder / "a.json", "--in-place")
    assert ran.code == 2
    assert "gone.json" in ran.err and "broken.json" in ran.err
    assert "3 sessions: 1 changed, 2 failed." in ran.err
    assert run("check", folder / "a.json").code == 0
    report = run("fix", gone, folder / "c.json", "--diff", "--output-format", "json")
    assert report.code == 2
    assert report.json["summary"] == {"files": 2, "changed": 0, "failed": 1, "skipped": 0}
    assert "error" in report.json["files"][0] and report.json["files"][1]["changed"] is False


def test_a_refused_one_is_worse_than_one_that_cannot_be_read(run: Run, folder: Path) -> None:
    os.link(folder / "a.json", folder / "other-name")
    ran = run("fix", folder / "gone.json", folder / "a.json", folder / "below" / "b.jsonl", "--in-place")
    assert ran.code == 3 and "--allow-hard-links" in ran.err
    assert run("check", folder / "below").code == 0


def test_errors_that_are_left_are_counted(run: Run, folder: Path) -> None:
    ran = run("fix", folder, "--in-place", "--ignore", "result.id_mismatch")
    assert ran.code == 1
    assert f"{folder / 'a.json'}: 4 errors left for you" in ran.err


def test_a_note_wins_over_errors_that_are_left() -> None:
    assert _WORST_FIRST == (IO_FAILED, REFUSED, UNREADABLE, READ_THE_NOTE, PROBLEMS, OK) == (5, 3, 2, 4, 1, 0)


def test_nothing_in_it(run: Run, tmp_path: Path) -> None:
    assert run("fix", tmp_path, "--in-place").code == 2
    (tmp_path / "notes.txt").write_text("hello")
    ran = run("fix", tmp_path, "--in-place")
    assert ran.code == 2 and "No session was found" in ran.err
