"""The command that leads back to an agent, run in a real shell: the agent gets the words that are meant, in its folder."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.cline_sessions import sound
from tests.hostile.sessions import THREAD, claude_code, codex, written
from tests.patience import PATIENCE
from tests.tui.driving import drive, press
from toolpair.cli.main import main
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp

AGENT = """#!{python}
import json, os, sys
told = {{"words": sys.argv[1:], "in": os.getcwd(), "home": os.environ.get("CLAUDE_CONFIG_DIR") or os.environ.get("CODEX_HOME")}}
open({log!r}, "w").write(json.dumps(told))
"""
FOLDERS = ["shop", "-rf", "--version", "it's; touch x", "a\nb", "a && b", "\x1b[31mred", "$(touch x)", "é漢", "%s\\n"]
IDS = ["0d3f3a52-6c0a-4a57-9f0e-2f9a3a1c7e11", "-rf", "--dangerously-skip-permissions", "a && touch x", "a\nb", "'; x"]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where an agent that is started writes how it was."""
    log = tmp_path / "told.json"
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("claude", "codex", "cline"):
        program = programs / name
        program.write_text(AGENT.format(python=sys.executable, log=str(log)))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return log


def typed(command: str, log: Path, where: Path) -> dict[str, Any]:
    """What the agent says of how it was started by a command that is typed into a shell."""
    assert "\n" not in command and "\r" not in command
    subprocess.run(["sh", "-c", command], check=True, cwd=where, timeout=PATIENCE)
    found: dict[str, Any] = json.loads(log.read_text())
    return found


def session_of_claude(root: Path, folder: str, id_: str) -> Path:
    records = claude_code()
    for record in records:
        record["sessionId"] = id_
        if "cwd" in record:
            record["cwd"] = folder
    name = "".join(char if char.isascii() and char.isalnum() else "-" for char in folder)
    path = root / "projects" / name / f"{id_}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(written("claude-code", records))
    return path


@pytest.mark.parametrize("name", FOLDERS, ids=ascii)
@pytest.mark.parametrize("usual", [True, False])
def test_folders_of_claude_code(told: Path, tmp_path: Path, name: str, usual: bool) -> None:
    folder = tmp_path / name
    folder.mkdir()
    home = tmp_path / ("home/.claude" if usual else "an'other\n-home")
    session = open_session(session_of_claude(home, str(folder), IDS[0]))
    command = session.resume_command()
    assert command is not None
    found = typed(command, told, tmp_path)
    assert found == {"words": ["--resume", IDS[0]], "in": str(folder), "home": None if usual else str(home)}


@pytest.mark.parametrize("folder", ["-", "-rf", "--help", "+1", "-P"])
def test_a_folder_is_never_an_option(told: Path, tmp_path: Path, folder: str) -> None:
    """Nor the way back to the folder before, or a number of the shell's own stack."""
    (tmp_path / folder).mkdir()
    session = open_session(session_of_claude(tmp_path / "home/.claude", folder, IDS[0]))
    command = session.resume_command()
    assert command is not None
    assert typed(command, told, tmp_path)["in"] == str(tmp_path / folder)


@pytest.mark.parametrize("folder", ["/a\0b", "/\ud800"], ids=ascii)
def test_a_folder_that_cannot_be(folder: str, tmp_path: Path) -> None:
    session = open_session(session_of_claude(tmp_path / ".claude", "/home/dev", IDS[0]))
    data = session.to_bytes().replace(b'"/home/dev"', json.dumps(folder).encode())
    command = open_session("x", data=data).resume_command()
    assert command is not None and command.endswith("cannot be typed.") and "claude" not in command


@pytest.mark.parametrize("id_", IDS, ids=ascii)
def test_ids_of_claude_code(told: Path, tmp_path: Path, id_: str) -> None:
    """It takes an id that begins with a hyphen for an option, and knows no other way to name one."""
    session = open_session(
        "x", data=session_of_claude(tmp_path / "x", str(tmp_path), id_.replace("/", "")).read_bytes()
    )
    command = session.resume_command()
    assert command is not None
    if id_.startswith("-"):
        assert id_ not in command and command.endswith(".")
    else:
        assert typed(command, told, tmp_path)["words"] == ["--resume", id_]


@pytest.mark.parametrize("id_", IDS, ids=ascii)
def test_ids_of_codex(told: Path, tmp_path: Path, id_: str) -> None:
    data = written("codex", codex()).replace(THREAD.encode(), json.dumps(id_)[1:-1].encode())
    data = data.replace(b'"/home/dev/shop"', json.dumps(str(tmp_path)).encode())
    command = open_session("x", data=data).resume_command()
    assert command is not None
    wanted = ["resume", "--", id_] if id_.startswith("-") else ["resume", id_]
    assert typed(command, told, tmp_path / "bin") == {"words": wanted, "in": str(tmp_path), "home": None}


@pytest.mark.parametrize("id_", [*IDS[:4], "a\nb"], ids=ascii)
def test_ids_of_clines_command_line(told: Path, tmp_path: Path, id_: str) -> None:
    path = tmp_path / id_ / f"{id_}.messages.json"
    path.parent.mkdir()
    path.write_bytes(sound().data())
    (path.parent / f"{id_}.json").write_text(json.dumps({"cwd": str(path.parent)}))
    command = open_session(path).resume_command()
    assert command is not None
    found = typed(command, told, tmp_path)
    assert found["words"] == ([f"--id={id_}"] if id_.startswith("-") else ["--id", id_])
    assert found["in"] == str(path.parent)


@pytest.mark.parametrize(
    "name", ["-x.jsonl", "--help", "a\nb.jsonl", "it's \x1b[1m.jsonl", "$(touch x).jsonl"], ids=ascii
)
def test_every_command_that_is_printed_names_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(written("chat", _broken()))
    program = tmp_path / "bin" / "toolpair"
    program.write_text(AGENT.format(python=sys.executable, log=str(told)))
    program.chmod(0o700)
    file = f"./{name}" if name.startswith("-") else name
    wanted = {
        "compare": ["fix", file, "--diff"],
        "fix --in-place": ["restore", file, "--backup", "latest"],
        "restore": ["restore", file, "--backup", "latest"],
    }
    for command, words in wanted.items():
        assert main([*command.split(), "--", name]) == 0
        captured = capsys.readouterr()
        lines = [line for line in (captured.err + captured.out).splitlines() if f"toolpair {words[0]} " in line]
        assert len(lines) == 1, captured
        assert typed(lines[0][lines[0].index("toolpair ") :], told, tmp_path)["words"] == words


def _broken() -> list[dict[str, Any]]:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "user", "content": "go on"}]


@pytest.mark.parametrize("id_", ["toolu_1\nrm -rf x\n", "toolu\r2", "-rf\x1b[31m"], ids=ascii)
def test_a_copied_id_is_one_line(tmp_path: Path, id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"type": "tool_use", "id": id_, "name": "Read", "input": {}}
    path = tmp_path / "session.json"
    path.write_text(
        json.dumps(
            [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": [call]},
                {"role": "user", "content": "on"},
            ]
        )
    )
    copied: list[str] = []
    monkeypatch.setattr(ToolpairApp, "copy_to_clipboard", lambda self, text: copied.append(text))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "right_square_bracket", "y", "1", "enter")

    drive(path, play)
    assert len(copied) == 1 and copied[0].isprintable() and copied[0].startswith(id_[:3])


def test_what_cannot_be_typed_is_no_command_as_a_second_step_either() -> None:
    way = WayBack(("claude", "--resume", "id"), "/home/me/\0")
    assert "`" not in way.as_second_step and way.as_second_step.startswith("then resume it in its folder")
    assert WayBack(("claude", "--resume", "id"), "/home/me").as_second_step.startswith(
        "then run `cd /home/me && claude"
    )
