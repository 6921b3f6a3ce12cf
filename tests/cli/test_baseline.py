"""Known problems are written to a file, and only new ones are reported."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from toolpair.cli import streams
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
    assert ran.out.count(" known problem") == 2 and "2 files: 0 errors, 0 warnings, 5 known not shown." in ran.out
    assert main(["check", ".", "--baseline", "known.txt", "-q"]) == 0
    assert "lists them: 5 known problems." in capsys.readouterr().err
    assert main(["check", ".", "--baseline", "known.txt", "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["summary"]["known"] == sum(file["known"] for file in told["files"]) == 5
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
        (["--baseline", "a\0b"], "is not a baseline: embedded null byte."),
        (["--update-baseline"], "--update-baseline needs the file to write: --baseline FILE."),
    ):
        assert main(["check", ".", *words]) == 2
        assert said in capsys.readouterr().err
    assert not (folder / "none.json").exists()


def test_a_file_that_is_not_a_baseline_is_not_written_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "body.json").write_text('{"messages": [], "version": 1}')
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "empty.txt").touch()
    os.mkfifo(folder / "pipe")
    for name in (NAMES[0], "body.json", "deep.json", "pipe", "/dev/null"):
        before = Path(name).read_bytes() if Path(name).is_file() else b""
        assert main(["check", NAMES[1], "--baseline", name, "--update-baseline"]) == 3
        assert " a baseline" in capsys.readouterr().err
        assert not before or Path(name).read_bytes() == before
    # Neither is what a link leads to that lies where the new file would be.
    (folder / "victim").write_text("mine")
    (folder / "empty.txt.toolpair-new").symlink_to("victim")
    assert main(["check", ".", "--baseline", "empty.txt", "--update-baseline"]) == 0
    assert (folder / "victim").read_text() == "mine" and json.loads((folder / "empty.txt").read_text())["known"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        assert main(["check", ".", "--baseline", "new.txt", "--update-baseline"]) == 5
    assert not [name for name in os.listdir(folder) if name.startswith("new.txt")]


def test_what_was_not_checked_stays_listed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed() -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads((folder / "known.txt").read_text())["known"]
        return found

    update = ["--baseline", "known.txt", "--update-baseline"]
    main(["check", ".", *update])
    whole = listed()
    assert {"severity", "scope"} <= set(whole[0])
    capsys.readouterr()
    for words in ([NAMES[0]], [".", "--select", "id.pattern"], [NAMES[1], "--profile", "openai-chat"]):
        main(["check", *words, *update])
        assert "It still lists " in capsys.readouterr().err
        assert [one for one in listed() if one["profile"] != "openai-chat"] == whole
    # Nobody reads what is printed: the files are gone through anyway.
    (folder / "known.txt").unlink()
    monkeypatch.setattr(streams, "unread", lambda: True)
    main(["check", ".", *update])
    assert listed() == whole
    # What has become worse is new.
    (folder / "known.txt").write_text((folder / "known.txt").read_text().replace('"error"', '"info"'))
    assert main(["check", ".", "--baseline", "known.txt"]) == 1
    # What is fixed is no longer listed.
    shutil.copy(SAMPLES / "valid.json", folder / NAMES[0])
    main(["check", NAMES[0], *update])
    assert {one["path"] for one in listed()} == {NAMES[1]}


def test_names_and_ids_that_are_no_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    call = '{"type":"tool_use","id":"toolu_\\ud800","name":"run","input":{}}'
    Path(name).write_text(f'[{{"role":"assistant","content":[{call}]}},{{"role":"user","content":"So?"}}]')
    assert main(["check", name, "--baseline", "known.txt", "--update-baseline"]) == 0
    assert (folder / "known.txt").read_bytes().isascii()
    assert main(["check", name, "--baseline", "known.txt"]) == 0
    assert "itself failed" not in capsys.readouterr().err
