"""Known problems are written to a file, and only new ones are reported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from toolpair.cli.main import main

NAMES = ("interrupted-call.json", "sanitised-on-one-side.json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        shutil.copy(SAMPLES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_only_new_problems_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", ".", "--baseline", "known.txt", "--update-baseline"]) == 0
    assert "5 problems written to known.txt." in capsys.readouterr().err
    listed = json.loads((folder / "known.txt").read_text())["known"]
    assert sum(one["count"] for one in listed) == 5 and {one["path"] for one in listed} == set(NAMES)
    assert main(["check", ".", "--baseline", "known.txt"]) == 0
    ran = capsys.readouterr()
    assert "Not shown, since known.txt lists them: 5 known problems." in ran.err and "result.missing" not in ran.out
    # Lines are added, and a problem comes that was not there.
    path = folder / NAMES[0]
    messages = json.loads(path.read_text())
    messages = messages["messages"] if isinstance(messages, dict) else messages
    call = {"type": "tool_use", "id": "toolu_new", "name": "run", "input": {}}
    more = [{"role": "assistant", "content": [call]}, {"role": "user", "content": "So?"}]
    path.write_text(json.dumps([*messages, *more]))
    for words in ([], ["--profile", "anthropic"], ["--jobs", "2"], ["--no-cache"]):
        assert main(["check", ".", "--baseline", "known.txt", "--output-format", "json", *words]) == 1
        told = json.loads(capsys.readouterr().out)
        (problem,) = [problem for file in told["files"] for problem in file["problems"]]
        assert problem["call_id"] == "toolu_new" and told["summary"]["errors"] == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("/")
        assert main(["check", str(folder), "--baseline", str(folder / "known.txt"), "-q"]) == 1
        assert capsys.readouterr().out.count(" error ") == 1


def test_a_project_can_name_one_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", ".", "--baseline", "known.txt", "--update-baseline"])
    project = folder / "pyproject.toml"
    project.write_text('[tool.toolpair]\nbaseline = "known.txt"\n')
    assert main(["check", "."]) == 0
    project.write_text('[tool.toolpair]\nbaseline = "../known.txt"\n')
    capsys.readouterr()
    assert main(["check", "."]) == 1
    assert "pyproject.toml:2: baseline is a file of the project, not '../known.txt'." in capsys.readouterr().err


def test_what_is_wrong_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (
            ["--baseline", "none.json"],
            "none.json can't be read: No such file or directory. --update-baseline writes it.",
        ),
        (["--baseline", NAMES[0]], "interrupted-call.json is not a baseline: "),
        (["--update-baseline"], "--update-baseline needs the file to write: --baseline FILE."),
    ):
        assert main(["check", ".", *words]) == 2
        assert said in capsys.readouterr().err
    assert not (folder / "none.json").exists()
