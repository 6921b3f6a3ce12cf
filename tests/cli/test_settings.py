"""What is set once for all: by the user in config.toml, and for `check` by a project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from platformdirs import user_config_path

from tests.conftest import SAMPLES
from tests.patience import PATIENCE
from tests.session_folders import claude_session
from toolpair.agents import catalog
from toolpair.cli.main import main
from toolpair.shell import program
from toolpair.shell.machine import Machine

BROKEN = str(SAMPLES / "interrupted-call.json")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "config/toolpair/config.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.parametrize("folder", [None, "", "/else/where"])
def test_it_is_where_platformdirs_says(monkeypatch: pytest.MonkeyPatch, folder: str | None) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    if folder is not None:
        monkeypatch.setenv("XDG_CONFIG_HOME", folder)
    assert program.settings_file() == str(user_config_path("toolpair", appauthor=False) / "config.toml")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert program.settings_file().endswith("/Library/Application Support/toolpair/config.toml")


def test_what_is_typed_counts_more_than_a_project_and_that_more_than_the_user(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def profiles(*typed: str) -> list[str]:
        main(["check", "broken.json", "--output-format", "json", *typed])
        ran = capsys.readouterr()
        assert not ran.err
        return [file["profile"] for file in json.loads(ran.out)["files"]]

    shutil.copy(BROKEN, tmp_path / "broken.json")
    assert profiles() == ["anthropic"]
    config.write_text('color = "never"\n[check]\nprofile = "mistral"\n[fix]\nprofile = "gemini"\n')
    assert profiles() == ["mistral"]
    below = tmp_path / "project/below"
    below.mkdir(parents=True)
    shutil.copy(BROKEN, below / "broken.json")
    (tmp_path / "project/pyproject.toml").write_text('[tool.toolpair]\nprofile = ["openai-chat", "gemini"]\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(below)
        assert profiles() == ["openai-chat", "gemini"]
        assert profiles("--profile", "anthropic") == ["anthropic"]
        assert main(["config"]) == 0
        project = tmp_path / "project/pyproject.toml"
        assert capsys.readouterr().out == (
            f'check.profile = ["openai-chat", "gemini"]  {project}:2\ncolor = "never"  {config}:1\n'
            f'check.profile = "mistral"  {config}:3\nfix.profile = "gemini"  {config}:5\nNO_COLOR = "1"  the environment\n'
        )
        assert main(["config", "--output-format", "json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["path"] == str(config) and told["settings"][0] == {
            "table": "check", "key": "profile", "value": ["openai-chat", "gemini"], "from": f"{project}:2",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("color = [", "config.toml:1:10: What stands here is not TOML: Invalid value."),
        ("\r\ncolor = = 1", "config.toml:2:9: What stands here is not TOML: Invalid value."),
        ("\ufeff# of an editor\ncolor = [", "config.toml:2:10: What stands here is not TOML: Invalid value."),
        ("\n[chek]\nquiet = true", "config.toml:3: There is no table [chek]. Did you mean [check]?"),
        ("open = 3", "config.toml:1: open is a table: what it sets stands below [open]."),
        ("[[keys]]\nfind = 3", "config.toml:1: keys is a table: what it sets stands below [keys]."),
        ("[check]\nlimit = 3", "config.toml:2: `toolpair check` has no --limit that could be set."),
        ("\n[check]\nstatistic = true", "config.toml:3: statistic can't be set in [check]. Did you mean statistics?"),
        ("\n[check]\noutput = 'x'", "config.toml:3: output can't be set in [check]."),
        ("in-place = true", "config.toml:1: in-place can't be set there."),
        ("color = 'pink'", "config.toml:1: --color: invalid choice: 'pink'"),
        ("quiet = 'yes'", "config.toml:1: quiet is true or false, not 'yes'."),
        ("jobs = 1.5", "config.toml:1: jobs takes a text or a number, not 1.5."),
        ("profile = [['a']]", "config.toml:1: profile takes a text or a number, not ['a']."),
        ("color = '\ud800'", "config.toml:1:10: What stands here is not UTF-8."),
        ("\ufeff# é\ncolor = '\ud800'", "config.toml:2:10: What stands here is not UTF-8."),
        ("jobs = " + "9" * 5000, "config.toml has a number that is too long."),
        ("jobs = 0x" + "f" * 5000, "config.toml:1: jobs is too long, or nested too deeply."),
        ("color = 2024-01-01", "config.toml:1: color takes a text or a number, not "),
        ("\n\nignore = ['nope']", "config.toml:3: There is no rule 'nope'."),
        ("[check]\nprofile = ['nope']", "config.toml:2: There is no profile 'nope'"),
        (".".join("a" * 20_000) + " = 1", "config.toml:1: More than 200 dots stand in this line; it is not read."),
    ],
)
def test_a_file_that_is_wrong_is_one_sentence_and_the_program_goes_on(
    config: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    config.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert main(["check", BROKEN]) == 1
    ran = capsys.readouterr()
    assert said in ran.err and "Nothing that is set there is used; `toolpair config` shows" in ran.err
    assert ran.err.count("\n") == 1 and "result.missing" in ran.out
    assert main(["config"]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_a_theme_that_there_is_not(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ESCDELAY", raising=False)
    config.write_text("[open]\ntheme = 3\n")
    assert main(["config"]) == 2
    told = capsys.readouterr()
    assert f"{config}:2: There is no theme '3'. There are: toolpair-dark, " in told.err and "ESCDELAY" not in told.out


def test_a_byte_order_mark_says_nothing(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_bytes(b"\xef\xbb\xbf[check]\r\nquiet = true\r\n")
    assert main(["config"]) == 0
    assert capsys.readouterr().out.startswith(f"check.quiet = true  {config}:2\n")


def test_a_project_is_not_trusted_with_more(config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.toolpair]\nmax-size = "1"\n')
    assert main(["check", BROKEN]) == 1
    assert "pyproject.toml:2: max-size can't be set there. These can be set: profile," in capsys.readouterr().err
    assert main(["fix", BROKEN, "-o", "-"]) == 0
    assert not capsys.readouterr().err.count("pyproject")
    assert main(["config"]) == 2


def test_the_folder_of_an_agent(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    sessions = tmp_path / "work/claude/projects/-x"
    sessions.mkdir(parents=True)
    (sessions / "one.jsonl").write_text('{"type":"summary"}\n')
    assert not catalog.index(Machine.here())
    config.write_text('[agents]\nclaude-code = "~/work/claude"\n')
    assert [found.path for found in catalog.index(Machine.here())] == [str(sessions / "one.jsonl")]
    assert main(["config"]) == 0
    config.write_text('[agents]\nclaude-cod = "~/work/claude"\n')
    assert main(["config"]) == 2
    assert "config.toml:2: claude-cod can't be set in [agents]. Did you mean claude-code?" in capsys.readouterr().err
    config.write_text("[chekc]\nquiet = true\n")
    assert main(["config"]) == 2
    assert "There is no table [chekc]. Did you mean [check]?" in capsys.readouterr().err


def test_a_project_sets_nothing_for_files_outside_of_it(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project/pyproject.toml"
    project.parent.mkdir()
    project.write_text('[tool.toolpair]\nignore = ["result.missing"]\n')
    inside = shutil.copy(BROKEN, project.parent)
    monkeypatch.chdir(project.parent)
    for words in ([inside], ["."], [".", "-q"]):
        assert main(["check", *words]) == 0
        assert f"Not shown, since {project} sets ignore: 1 problem." in capsys.readouterr().err
    assert main(["check", ".", "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["summary"]["hidden"] == told["files"][0]["hidden"] == 1
    assert main(["check", ".", "--ignore", "result.missing", "-q"]) == 0
    assert "Not shown, since not asked for: 1 problem." in capsys.readouterr().err
    (project.parent / "link.json").symlink_to(BROKEN)
    for words in ([BROKEN], [inside, BROKEN], ["link.json"], [".."]):
        assert main(["check", *words]) == 1
        said = f"Nothing that {project} sets is used: {words[-1]} is outside of that project.\n"
        assert said in capsys.readouterr().err
    for baseline in (".", "..", "", 5, ["a"], "a\0b"):
        project.write_text(f"[tool.toolpair]\nbaseline = {json.dumps(baseline)}\n")
        assert main(["check", ".", "--update-baseline"]) == 2
        assert "pyproject.toml:2: baseline is a file of the project, not " in capsys.readouterr().err
    assert set(os.listdir(tmp_path)) == {"config", "project"}


def test_a_project_hides_nothing_of_the_session_that_an_agent_has_for_its_folder(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`.` without sessions is that session, which lies elsewhere; a link that is walked may lead anywhere."""
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "shop/pyproject.toml"
    project.parent.mkdir()
    project.write_text('[tool.toolpair]\nignore = ["result.missing", "turn"]\n')
    claude_session(tmp_path / ".claude", str(project.parent), missing=0)
    (project.parent / "link.json").symlink_to(BROKEN)
    monkeypatch.chdir(project.parent)
    for words, profile in (((), "anthropic"), (("--profile", "vertex-anthropic"), "vertex-anthropic")):
        assert main(["check", ".", "--output-format", "json", *words]) == 1
        out, err = capsys.readouterr()
        (found,) = json.loads(out)["files"]
        assert {one["rule"] for one in found["problems"]} == {"result.missing"} and found["profile"] == profile
        assert f"{os.path.join('.', 'link.json')} is a link out of the project, and was not looked at" in err
        assert f"Nothing that {project} sets is used: this folder's newest session is outside of that project." in err
    project.write_text("[tool.toolpair]\n")
    assert main(["check", ".", "--output-format", "json"]) == 1
    assert [Path(one["path"]).name for one in json.loads(capsys.readouterr().out)["files"]] == ["link.json"]


def test_whose_a_project_is(config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copy(BROKEN, tmp_path / "broken.json")
    project = tmp_path / "pyproject.toml"
    (tmp_path / "other.toml").write_text('[tool.toolpair]\nignore = ["result"]\n')
    project.symlink_to("other.toml")
    assert main(["check", "broken.json"]) == 1
    assert "pyproject.toml is a link, and is not read. Nothing that is set there is used" in capsys.readouterr().err
    (tmp_path / "other.toml").replace(project)
    assert main(["check", "broken.json"]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: 4711)
        assert main(["check", "broken.json"]) == (0 if project.stat().st_uid == 0 else 1)
    if os.geteuid() == 0:
        os.chown(project, 4711, 4711)
        capsys.readouterr()
        assert main(["check", "broken.json"]) == 1
        assert "pyproject.toml belongs to another user, and is not read." in capsys.readouterr().err


def test_a_strangers_file_is_read_at_once(config: Path, tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "valid.json", tmp_path)
    check = [sys.executable, "-m", "toolpair", "check", "valid.json"]
    many = "\n".join(f"k{number} = 1" for number in range(30_000))
    for text in ("x = 1  #[" + " " * 500_000, "[" + " " * 500_000 + "\n", "a." * 100_000 + "a = 1\n", many):
        (tmp_path / "pyproject.toml").write_text(f"[tool.toolpair]\n{text}\n")
        subprocess.run(check, cwd=tmp_path, timeout=PATIENCE, check=True)
    os.mkfifo(config)
    subprocess.run(check, cwd=tmp_path, timeout=PATIENCE, check=True)


def test_a_folder_that_is_gone(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["check", BROKEN]) == 1
    assert not capsys.readouterr().err
