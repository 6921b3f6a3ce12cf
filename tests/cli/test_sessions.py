"""`toolpair sessions`, and sessions that are named by their id in the other commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.patience import PATIENCE
from tests.session_folders import SESSION, claude_session, codex_session, set_age
from toolpair.session import verdict_cache
from toolpair.session.verdict_cache import VerdictCache
from toolpair.tui.picker_checks import Checked
from toolpair.tui.picker_worker import verdict_on


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, in whose folder `shop` the commands run."""
    for name in ("CODEX_HOME", "CLINE_DIR", "CLINE_SESSION_DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    shop = tmp_path / "shop"
    shop.mkdir()
    monkeypatch.chdir(shop)
    return tmp_path


@pytest.fixture
def broken(home: Path) -> Path:
    """A session of the folder, with one call that has no result."""
    path = claude_session(home / ".claude", os.path.realpath(home / "shop"), missing=1)
    set_age(path, 2)
    set_age(codex_session(home / ".codex", 1, "/else", "mend \x1b[2J it"), 5)
    return path


def test_the_list(run: Run, broken: Path) -> None:
    ran = run("sessions")
    assert ran.code == 0
    first, words, second, _ = ran.out.splitlines()
    assert "Claude Code" in first and SESSION in first and first.endswith("~/shop")
    assert words.strip() == "go on"
    assert "Codex" in second and "/else" in second
    assert "\x1b" not in ran.out


def test_the_list_for_programs(run: Run, broken: Path) -> None:
    (one, two) = run("sessions", "--output-format", "json").json["sessions"]
    assert one == {
        "agent": "claude-code",
        "id": SESSION,
        "path": str(broken),
        "folder": os.getcwd(),
        "title": None,
        "last_words": "go on",
        "modified": one["modified"],
        "size": broken.stat().st_size,
        "here": True,
        "verdict": None,
    }
    assert two["last_words"] == "mend \x1b[2J it"
    lines = run("sessions", "--agent", "codex", "--output-format", "jsonl").out.splitlines()
    assert [json.loads(line)["agent"] for line in lines] == ["codex"]
    only = run("sessions", "--folder", ".", "--output-format", "json").json["sessions"]
    assert [found["id"] for found in only] == [SESSION]
    assert len(run("sessions", "-n", "1").out.splitlines()) == 2


def test_the_list_has_the_verdicts_of_earlier_checks(run: Run, broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_cache, "JUST_NOW", -(10**18))  # as if the files had been written long ago
    assert run("check", broken.parent, "-q").code == 1
    found, other = run("sessions", "--output-format", "json").json["sessions"]
    assert found["verdict"]["errors"] == 1 and found["verdict"]["rules"]["result.missing"] == 1
    assert other["verdict"] is None
    assert run("sessions").out.splitlines()[0].endswith(f"~/shop  {found['verdict']['badge']}")
    assert run("sessions", "--no-cache").out.splitlines()[0].endswith("~/shop")
    cache = VerdictCache.of_user()
    assert verdict_on(str(broken), cache) == Checked(1, found["verdict"]["outlook"], found["verdict"]["badge"])
    claude_session(broken.parents[2], os.path.realpath("."))
    assert run("sessions").out.splitlines()[0].endswith("~/shop")
    mark = verdict_on(str(broken), cache)
    cache.save()
    assert mark is not None and mark.errors == 0
    assert run("sessions").out.splitlines()[0].endswith(f"~/shop  {mark.badge}")


def test_nothing_found(run: Run, home: Path) -> None:
    ran = run("sessions")
    assert ran.code == 1 and not ran.out
    assert "Looked in" in ran.err and f"{home}/.claude/projects" in ran.err
    assert run("sessions", "--output-format", "json").json == {"version": 1, "sessions": []}


@pytest.mark.parametrize("arguments", [("--agent", "x"), ("-n", "0"), ("-n", "x")])
def test_bad_usage(run: Run, home: Path, arguments: tuple[str, ...]) -> None:
    assert run("sessions", *arguments).code == 2


def test_without_a_file_and_a_terminal_one_sentence(run: Run, broken: Path) -> None:
    ran = run()
    assert ran.code == 2
    assert ran.err.count("\n") == 1 and "needs a terminal; `toolpair sessions` lists them" in ran.err
    assert run("--at", "line:3").code == 2


@pytest.mark.parametrize("name", [SESSION, SESSION[:5], "."])
def test_commands_take_an_id_or_this_folder(run: Run, broken: Path, name: str) -> None:
    checked = run("check", name, "--output-format", "json")
    assert checked.code == 1
    assert checked.json["files"][0]["path"] == str(broken)
    explained = run("explain", "result.missing", name)
    assert explained.code == 0 and str(broken) in explained.out
    before = broken.read_bytes()
    fixed = run("fix", name, "--in-place")
    assert fixed.code == 0, fixed.err
    assert f"  Next: cd {os.getcwd()} && claude --resume {SESSION}\n" in fixed.err
    assert run("check", name).code == 0
    assert run("restore", name, "--backup", "latest").code == 0
    assert broken.read_bytes() == before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are named as on Linux")
def test_an_agent_that_runs_there_is_named_when_the_file_is_mended(
    run: Run, broken: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolpair.agents.processes.LONGEST", PATIENCE)
    sleep = shutil.which("sleep")
    assert sleep is not None
    shutil.copy(os.path.realpath(sleep), home / "claude")
    with subprocess.Popen([home / "claude", "60"], cwd=home / "shop") as agent:
        fixed = run("fix", SESSION, "--in-place")
        agent.kill()
    assert fixed.code == 0
    said = f"toolpair: Claude Code is running in ~/shop (pid {agent.pid}) with the old history: quit it first.\n"
    assert said in fixed.err


def test_a_folder_that_holds_sessions_is_walked(run: Run, broken: Path) -> None:
    Path("here.jsonl").write_bytes(broken.read_bytes().replace(b"go on", b"go off"))
    checked = run("check", ".", "--output-format", "json")
    assert [Path(found["path"]).name for found in checked.json["files"]] == ["here.jsonl"]


def test_names_that_lead_nowhere_or_to_two(run: Run, broken: Path) -> None:
    ran = run("check", "abcdef", SESSION[:4])
    assert ran.code == 2
    assert "abcdef does not exist, and no session's id starts with it" in ran.out + ran.err
    assert SESSION[:4] not in ran.err and "result.missing" in ran.out
    claude_session(broken.parents[2], "/z", "7c3e" + SESSION[4:-1] + "2")
    ran = run("fix", "7c3e", "--in-place")
    assert ran.code == 2 and "7c3e matches 2 sessions" in ran.err and "give more of the id" in ran.err
    assert run("check", "gone/x.json").code == 2


def test_the_session_command_loads_no_terminal_library(broken: Path) -> None:
    code = "import sys; from toolpair.cli.main import main; main(['sessions']); print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert SESSION in loaded
    assert "'rich'" not in loaded and "'textual'" not in loaded and "'psutil'" not in loaded


def test_the_list_in_a_terminal(run: Run, broken: Path) -> None:
    pytest.importorskip("pty")
    from tests.terminal import Terminal, program

    terminal = Terminal(program())
    assert b"go on" in terminal.read(until=b"1 PROBLEM")
    terminal.press("\r")
    assert b"fix everything safe" in terminal.read(until=b"fix everything safe")
    terminal.read(0.5)
    terminal.press("q")
    assert terminal.close() == 0
    assert b"Nothing was changed." in terminal.output
