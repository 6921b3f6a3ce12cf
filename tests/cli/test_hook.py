"""Hooks are written after asking, beside what is there, and taken out again to the byte; what they run only reports."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import tomllib
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from toolpair.cli.main import main
from toolpair.formats import get_agent
from toolpair.formats.claude_code.session_files import folder_name
from toolpair.shell.machine import Machine

SETTINGS = """{
    "model":  "opus", // no
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep \\u00e9"}]}]},
    "big": 1e400
}
""".replace(" // no", "")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_settings_keep_every_byte_and_are_as_before_once_it_is_removed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS.replace("1e400", "10"))
    path.chmod(0o640)
    before = path.read_bytes()
    assert main(["hook"]) == 0
    assert capsys.readouterr().out.count("not installed") == 4
    assert main(["hook", "claude-code"]) == 0
    shown = capsys.readouterr().out
    assert path.read_bytes() == before, "it is only shown"
    assert main(["hook", "claude-code", "--install"]) == 2
    assert "--yes goes ahead without asking" in capsys.readouterr().err
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    text = path.read_text()
    assert set(json.loads(shown.partition("\n")[2])["hooks"]) == {"SessionStart", "Stop"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert '"model":  "opus",' in text and r'"beep \u00e9"' in text
    hooks = json.loads(text)["hooks"]
    assert [len(hooks[event]) for event in ("Stop", "SessionStart")] == [2, 1]
    assert hooks["SessionStart"][0]["hooks"][0]["command"].endswith("hook report claude-code || exit 0")
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    assert path.read_text() == text, "once is enough"
    assert "claude-code  Claude Code's hooks" in capsys.readouterr().out or main(["hook"]) == 0
    assert main(["hook", "claude-code", "--remove", "--yes"]) == 0
    assert path.read_bytes() == before
    assert main(["hook", "claude-code", "--remove", "--yes"]) == 0
    assert sorted(os.listdir(path.parent)) == ["settings.json"]


def test_files_of_its_own_come_and_go(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    for what, name in (
        ("skill", ".claude/skills/toolpair/SKILL.md"),
        ("opencode", "config/opencode/plugins/toolpair.js"),
    ):
        assert main(["hook", what, "--install", "--yes"]) == 0
        assert "toolpair hook" in (home / name).read_text()
        assert main(["hook", what, "--remove", "--yes"]) == 0
        assert not (home / name).exists()
    for what in ("claude-code",):
        assert main(["hook", what, "--install", "--yes"]) == 0
        assert set(json.loads((home / ".claude/settings.json").read_text())) == {"hooks"}


CODEX = b'# mine\r\nmodel = "gpt-5.1"\n[profiles."a b"]\nx = 1e3 # kept\n'


def test_codexs_settings_keep_every_byte_and_another_notify_stays(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home / "codex home"))
    path = home / "codex home/config.toml"
    path.parent.mkdir()
    for before in (CODEX, b"", None):
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        assert main(["hook", "codex"]) == 0
        shown = capsys.readouterr().out.splitlines()[-1]
        assert main(["hook", "codex", "--install", "--yes"]) == 0
        made = path.read_bytes()
        assert made == shown.encode() + b"\n" + (before or b"")
        assert tomllib.loads(made.decode())["notify"] == ["toolpair", "hook", "report", "codex"]
        assert main(["hook", "codex", "--install", "--yes"]) == 0 and path.read_bytes() == made
        assert main(["hook", "codex", "--remove", "--yes"]) == 0
        assert (path.read_bytes() if path.exists() else b"") == (before or b"")
    capsys.readouterr()
    for text, code, said in (
        (b'notify = ["beep"]\n', 3, "Codex runs only one"), (b'notify = []\n', 3, "Codex runs only one"),
        (b'notify = ["toolpair", "hook",\n "report", "codex"]\n', 3, "Codex runs only one"),
        (b"model = ", 2, "not TOML"), (b"\xff", 2, "not TOML"),
    ):  # fmt: skip
        path.write_bytes(text)
        for way in ("--install", "--remove"):
            assert main(["hook", "codex", way, "--yes"]) == code
            assert said in capsys.readouterr().err and path.read_bytes() == text
        assert main(["hook"]) == 0


def test_codexs_notify_shows_a_notice_of_the_desktop(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = "0a1b2c3d-0000-4000-8000-00000000000e"
    rollout = home / f".codex/sessions/2026/11/02/rollout-2026-11-02T10-00-00-{id_}.jsonl"
    rollout.parent.mkdir(parents=True)
    lines = (SAMPLES / "codex-killed.jsonl").read_text().splitlines(keepends=True)
    first = json.loads(lines[0])
    first["payload"]["id"] = id_
    rollout.write_text("".join([json.dumps(first) + "\n", *lines[1:]]))
    shown = home / "shown"
    (home / "bin").mkdir()
    fake = home / "bin/notify-send"
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {shown}\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{home / 'bin'}:{os.environ['PATH']}")
    ended = json.dumps({"type": "agent-turn-complete", "thread-id": id_, "last-assistant-message": "-"})
    assert main(["hook", "report", "codex", ended]) == 0
    assert (
        shown.read_text().startswith("--app-name=toolpair\n--\ntoolpair\ntoolpair: ")
        and str(rollout) in shown.read_text()
    )
    shown.unlink()
    assert main(["fix", str(rollout), "--in-place"]) == 0
    assert main(["hook", "report", "codex", ended]) == 0 and not shown.exists()
    for given in ([], ["{"], ['{"thread-id": 7}'], ['{"type": "x"}']):
        assert main(["hook", "report", "codex", *given]) == 0
    assert not shown.exists()


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"hooks": 1}', '{"hooks": null}', '{"hooks": {"Stop": {"mine": 1}}}', '{"hooks": {"Other": null}}'],
)
def test_settings_that_are_not_understood_stay(home: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text)
    assert main(["hook", "claude-code", "--install", "--yes"]) == 2
    assert "nothing was written" in capsys.readouterr().err and path.read_text() == text
    assert main(["hook", "claude-code", "--remove", "--yes"]) == 2 and path.read_text() == text


def _asked(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(text))
    monkeypatch.setattr("sys.stdin", stdin)


def test_what_they_run_tells_of_what_is_lost_and_fails_at_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "session.jsonl"
    shutil.copy(SAMPLES / "claude-code-branches.jsonl", path)
    before = path.read_bytes()
    _asked(monkeypatch, json.dumps({"transcript_path": str(path), "hook_event_name": "SessionStart"}).encode())
    assert main(["hook", "report", "claude-code"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"systemMessage"} and told["systemMessage"].startswith("toolpair: ")
    assert f"toolpair {path}" in told["systemMessage"] and path.read_bytes() == before
    assert main(["fix", str(path), "--in-place"]) == 0
    capsys.readouterr()
    for given in (
        json.dumps({"transcript_path": str(path)}).encode(),
        json.dumps({"transcript_path": str(home / "none.jsonl")}).encode(),
        b"{}", b"[]", b"", b"\xff",
    ):  # fmt: skip
        _asked(monkeypatch, given)
        assert main(["hook", "report", "claude-code"]) == 0
        assert capsys.readouterr() == ("", "")
    for words in (["shell", " --resume 0a1b2c3d-0000-4000-8000-000000000000"], ["opencode", "ses_x"], ["opencode"], []):
        assert main(["hook", "report", *words]) == 0
        assert capsys.readouterr() == ("", "")


def test_the_shell_function(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "shell"]) == 0
    assert 'report shell " $*"' in capsys.readouterr().out
    for option in ("--install", "--remove"):
        assert main(["hook", "shell", option, "--yes"]) == 2
        said = capsys.readouterr()
        assert not said.out and "hook shell >> ~/.bashrc` adds it, and it is removed there by hand." in said.err
    assert main(["hook"]) == 0
    assert "\nshell        a function that checks before `claude --resume`: " in capsys.readouterr().out
    assert main(["hook", "claud"]) == 2
    assert "Did you mean claude-code?" in capsys.readouterr().err


_BEEP = {"type": "command", "command": "beep"}
_ELSEWHERE = {"type": "command", "command": "'/a b/toolpair' hook report claude-code"}


def _settings(home: Path, value: object) -> Path:
    path = home / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_only_its_own_entry_is_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    together = {"matcher": "x", "hooks": [_BEEP, _ELSEWHERE]}
    more = {"type": "command", "command": "beep; toolpair hook report claude-code; beep"}
    path = _settings(home, {"hooks": {"Stop": [together, {"hooks": [_ELSEWHERE]}, {"hooks": [more]}, 1, {"hooks": 1}]}})
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    hooks = json.loads(path.read_text())["hooks"]
    assert [len(group["hooks"]) for group in hooks["Stop"][:3]] == [2, 1, 1] and len(hooks["SessionStart"]) == 1
    assert hooks["Stop"][0]["hooks"][1]["command"].endswith("toolpair hook report claude-code || exit 0"), "as new"
    assert main(["hook", "claude-code", "--remove", "--yes"]) == 0
    left = {"Stop": [{"matcher": "x", "hooks": [_BEEP]}, {"hooks": [more]}, 1, {"hooks": 1}]}
    assert json.loads(path.read_text()) == {"hooks": left}
    allowed = {"permissions": {"allow": ["Bash(toolpair hook report claude-code)"]}}
    _settings(home, allowed)
    capsys.readouterr()
    assert main(["hook"]) == 0
    assert capsys.readouterr().out.count("not installed") == 4
    assert main(["hook", "claude-code", "--remove", "--yes"]) == 0
    assert json.loads(path.read_text()) == allowed
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    assert set(json.loads(path.read_text())["hooks"]) == {"SessionStart", "Stop"}


def test_a_file_of_the_user_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    for what, name in (
        ("skill", ".claude/skills/toolpair/SKILL.md"),
        ("opencode", "config/opencode/plugins/toolpair.js"),
    ):
        path = home / name
        assert main(["hook", what, "--install", "--yes"]) == 0
        written = path.read_text()
        for text in ("mine", written + "mine\n", written.replace("session", "Session", 1)):
            path.write_text(text)
            for how in ("--install", "--remove"):
                capsys.readouterr()
                assert main(["hook", what, how, "--yes"]) == 3
                assert "is not as toolpair wrote it" in capsys.readouterr().err and path.read_text() == text
            assert main(["hook"]) == 0
            assert f"{what} " in capsys.readouterr().out
        path.write_text(written)
        with monkeypatch.context() as another:
            another.setattr("toolpair.shell.program._called", "/else/where/toolpair")
            assert main(["hook", what, "--remove", "--yes"]) == 0
        assert not path.exists(), "what another toolpair wrote is toolpair's"


def test_what_changes_or_fails_meanwhile_leaves_all_as_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _settings(home, {"model": "a"})
    secret = home / "secret"
    secret.write_text("mine")
    for name in (".settings.json.toolpair-new", ".toolpair-new"):
        (path.parent / name).symlink_to(secret)

    def changed(question: str, yes: bool) -> bool:
        path.write_text('{"model": "b"}')
        return True

    for how in ("--install", "--remove"):
        if how == "--remove":
            assert main(["hook", "claude-code", "--install", "--yes"]) == 0
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr("toolpair.cli.hook._wanted", changed)
            assert main(["hook", "claude-code", how]) == 3
        assert "changed meanwhile" in capsys.readouterr().err and path.read_text() == '{"model": "b"}'
    with monkeypatch.context() as failing:
        failing.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
        assert main(["hook", "claude-code", "--install", "--yes"]) == 5
    assert secret.read_text() == "mine" and len(os.listdir(path.parent)) == 3
    skill = home / ".claude/skills/toolpair/SKILL.md"
    assert main(["hook", "skill", "--install", "--yes"]) == 0
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr("toolpair.cli.hook._wanted", lambda *_: bool(skill.write_text("mine")))
        assert main(["hook", "skill", "--remove"]) == 3
    assert skill.read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_file_that_cannot_be_settings_is_neither_awaited_nor_replaced(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _settings(home, '{"a": "' + "x" * (1 << 20) + '"}')
    for said in ("more than a megabyte", "not a regular file"):
        assert main(["hook", "claude-code", "--install", "--yes"]) == 2
        assert said in capsys.readouterr().err
        assert main(["hook"]) == 0
        assert "Claude Code's hooks on a session that begins, is resumed or rests: " in capsys.readouterr().out
        path.unlink()
        os.mkfifo(path)


def test_only_what_is_added_is_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _settings(home, {"env": {"KEY": "sk-secret"}, "hooks": {"Stop": [{"hooks": [_BEEP]}]}})
    path.write_text(path.read_text().replace("sk-", "\x7f\u202esk-"))
    assert main(["hook", "claude-code"]) == 0
    shown = capsys.readouterr().out
    assert "sk-secret" not in shown and "beep" not in shown and shown.isascii() and "\x7f" not in shown
    added = json.loads(shown.partition("\n")[2])
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    written = json.loads(path.read_text())["hooks"]
    assert added == {"hooks": {"SessionStart": written["SessionStart"], "Stop": written["Stop"][1:]}}
    capsys.readouterr()
    assert main(["hook", "claude-code"]) == 0
    assert "has it already" in capsys.readouterr().out


def test_a_report_never_stops_an_agent(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.cli.hook.open_session", lambda *_, **__: 1 / 0)
    _asked(monkeypatch, json.dumps({"transcript_path": str(SAMPLES / "claude-code-branches.jsonl")}).encode())
    assert main(["hook", "report", "claude-code"]) == 0
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    assert all(entry["command"].endswith(" || exit 0") for groups in hooks.values() for entry in groups[0]["hooks"])


def test_a_report_is_on_the_installed_agent_and_on_its_own_sessions(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []
    monkeypatch.setattr("toolpair.cli.inputs.version_here", asked.append)
    monkeypatch.setattr("toolpair.cli.hook.version_here", asked.append, raising=False)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    here = home / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    path = home / ".claude/projects" / folder_name(str(here)) / "0a1b2c3d-0000-4000-8000-000000000000.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(SAMPLES / "claude-code-branches.jsonl", path)
    os.utime(path, (1, 1))
    for words in ("--continue", f"--resume {path.stem}"):
        assert main(["hook", "report", "shell", f" {words}"]) == 0
        assert f"toolpair {path}" in capsys.readouterr().err
    assert asked == ["claude-code"] * 2
    codex = home / ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-0a1b2c3d-0000-4000-8000-000000000001.jsonl"
    codex.parent.mkdir(parents=True)
    meta = {"id": codex.stem[-36:], "cwd": str(here), "timestamp": "2026-01-02T03:04:05Z"}
    codex.write_text(json.dumps({"timestamp": meta["timestamp"], "type": "session_meta", "payload": meta}) + "\n{\n")
    assert main(["hook", "report", "shell", " --continue"]) == 0
    assert f"toolpair {path}" in capsys.readouterr().err, "of Claude Code, whatever is newer"
    path.unlink()
    for words in ("--continue", f"--resume {codex.stem[-36:]}"):
        assert main(["hook", "report", "shell", f" {words}"]) == 0
        assert capsys.readouterr() == ("", "")
    assert asked == ["claude-code"] * 3


@pytest.mark.parametrize("given", ['"work"', '""', '"~else/work"', "1", '"/a\\u0000b"'])
def test_the_folder_of_an_agent_is_the_same_from_everywhere(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    config = home / "config/toolpair/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"[agents]\nclaude-code = {given}\n")
    assert main(["config"]) == 2
    assert (
        "config.toml:2: claude-code takes an absolute path or one that begins with ~/, not " in capsys.readouterr().err
    )
    assert get_agent("claude-code").home(Machine.here()) == home / ".claude"
    assert main(["hook"]) == 0
    assert "Nothing that is set there is used" in capsys.readouterr().err
    config.write_text('[agents]\nclaude-code = "~/work"\n')
    assert get_agent("claude-code").home(Machine.here()) == home / "work"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "there"))
    assert get_agent("claude-code").home(Machine.here()) == home / "there", "which is where the agent itself looks"
