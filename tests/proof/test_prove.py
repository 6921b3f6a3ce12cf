"""`toolpair prove` with a program that plays Claude Code: what it sends is told, and it touches nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import SAMPLES
from toolpair.cli.main import main
from toolpair.proof import isolation

_AGENT = """#!{python}
import json, os, subprocess, sys, time, urllib.request
from pathlib import Path

def once(messages):
    if not messages or messages[-1]["role"] != record["message"]["role"]:
        messages.append({{"role": record["message"]["role"], "content": []}})
    content = record["message"]["content"]
    messages[-1]["content"] += [{{"type": "text", "text": content}}] if isinstance(content, str) else content

mode = {mode!r}
Path({seen!r}).write_text(json.dumps({{"pid": os.getpid(), "env": dict(os.environ), "cwd": os.getcwd()}}))
Path.home().joinpath("left-by-the-agent").write_text("x")
if mode == "fails":
    sys.stderr.write("\\x1b[31mno such session\\x1b[0m")
    sys.exit(3)
if mode in ("hangs", "leaves"):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
if mode == "hangs":
    time.sleep(600)
name = sys.argv[sys.argv.index("--resume") + 1]
(path,) = Path.home().glob(f".claude/projects/*/{{name}}.jsonl")
messages = []
for line in path.read_text().splitlines():
    record = json.loads(line)
    if record["type"] in ("user", "assistant"):
        once(messages)
if mode == "drops":
    del messages[1:3]
messages.append({{"role": "user", "content": [{{"type": "text", "text": "go on"}}]}})
body = json.dumps({{"model": "m", "tools": [{{"name": "Bash"}}], "messages": messages}}).encode()
request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body)
assert b"resumed" in urllib.request.urlopen(request).read()
path.write_text("changed by the agent")
"""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Two turns with a call each, sound."""
    path = tmp_path / "session.jsonl"
    records = []
    for number, (role, content) in enumerate(
        [
            ("user", "List the files."),
            ("assistant", [{"type": "tool_use", "id": "toolu_01A", "name": "Bash", "input": {"command": "ls"}}]),
            ("user", [{"type": "tool_result", "tool_use_id": "toolu_01A", "content": "cart.py and prices.py"}]),
            ("assistant", [{"type": "text", "text": "There are two files."}]),
        ]
    ):
        record = {
            "type": role,
            "uuid": f"11111111-1111-4111-8111-{number:012d}",
            "parentUuid": f"11111111-1111-4111-8111-{number - 1:012d}" if number else None,
            "sessionId": "5e551011-0000-4000-8000-000000000001",
            "version": "2.1.330",
            "cwd": "/home/dev/shop",
            "timestamp": f"2026-11-02T10:00:0{number}.000Z",
            "message": {"role": role, "content": content, **({"id": f"msg_{number}"} if role == "assistant" else {})},
        }
        records.append(json.dumps(record))
    path.write_text("\n".join(records) + "\n")
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a folder for temporary files."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("SECRET", "of the user")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def program(folder: Path, mode: str) -> Path:
    path = folder / "claude"
    path.write_text(_AGENT.format(python=sys.executable, mode=mode, seen=str(folder / "seen.json")))
    path.chmod(0o755)
    return path


def proved(capsys: pytest.CaptureFixture[str], *words: Any, code: int) -> Any:
    assert main(["prove", "--yes", "--output-format", "json", *map(str, words)]) == code, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_what_it_sends_is_told_and_nothing_is_touched(
    session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = session.read_bytes()
    told = proved(capsys, session, "--program", program(tmp_path, "whole"), code=0)
    assert told["before"]["sent"] and told["before"]["whole"] and told["before"]["model"]["agrees"]
    assert told["before"]["messages"] == {"sent": 4, "total": 4}
    assert told["before"]["outputs"] == {"sent": 1, "total": 1}
    assert "after" not in told and told["fixes"] == 0
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert "SECRET" not in seen["env"] and seen["env"]["HOME"] != str(home)
    assert seen["cwd"].startswith(seen["env"]["HOME"])
    assert session.read_bytes() == before
    assert not list(home.rglob("*")) and not list((tmp_path / "tmp").iterdir()), "all that was made is removed"


def test_what_it_does_not_send_is_named(
    session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drops = program(tmp_path, "drops")
    (told,) = [proved(capsys, session, "--program", drops, code=1)["before"]]
    assert told["outputs"] == {"sent": 0, "total": 1} and told["messages"] == {"sent": 2, "total": 4}
    assert [one["kind"] for one in told["missing"]] == ["call", "output"]
    assert not told["model"]["agrees"] and {one["kind"] for one in told["model"]["said_to_be_sent"]} == {
        "output",
        "call",
    }
    assert "text" not in told["missing"][0]
    assert main(["prove", "--yes", str(session), "--program", str(drops), "--show-content"]) == 1
    said = capsys.readouterr().out
    assert "sends 2 of 4 messages and 0 of 1 output" in said and "cart.py and prices.py" in said
    assert "not what was sent" in said


@pytest.mark.parametrize("mode", ["fails", "hangs", "leaves"])
def test_agents_that_fail_hang_or_leave_something_running(
    mode: str, session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.monotonic()
    whole = mode == "leaves"
    told = proved(
        capsys, session, "--program", program(tmp_path, mode), "--seconds", 20 if whole else 3, code=0 if whole else 1
    )
    assert time.monotonic() - started < 30
    assert told["before"]["sent"] is whole
    assert told["before"]["note"] == {"fails": "\x1b[31mno such session\x1b[0m", "hangs": "no answer within 3 s"}.get(
        mode
    )
    assert not running(tmp_path), "what it started is ended"
    if mode == "fails":
        assert main(["prove", "--yes", str(session), "--program", str(tmp_path / "claude")]) == 1
        said = capsys.readouterr().out
        assert "no such session" in said and "\x1b[31mno such" not in said


def running(folder: Path) -> list[str]:
    """The command lines that are left of the agent: itself, and what sleeps in its home."""
    seen = json.loads((folder / "seen.json").read_text())
    found = []
    for one in psutil.process_iter(["cmdline", "cwd"]):
        if (one.info["cwd"] or "").startswith(seen["env"]["HOME"]) or str(folder / "claude") in (
            one.info["cmdline"] or ()
        ):
            found.append(" ".join(one.info["cmdline"] or ()))
    return found


def test_interrupted_in_the_middle(session: Path, home: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "toolpair", "prove", "--yes", session, "--program", program(tmp_path, "hangs")]
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "seen.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and b"Traceback" not in said
    assert not running(tmp_path) and not list((tmp_path / "tmp").iterdir())


def test_it_is_asked_first(session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = program(tmp_path, "whole")
    assert main(["prove", str(session), "--program", str(path), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert f"{path} -p 'go on' --resume 5e551011-0000-4000-8000-000000000001" in said
    assert "ANTHROPIC_BASE_URL=http://127.0.0.1:PORT" in said
    assert ("network of its own" in said) and not (tmp_path / "seen.json").exists()
    assert main(["prove", str(session), "--program", str(path)]) == 2
    assert "add --yes" in capsys.readouterr().err and not (tmp_path / "seen.json").exists()


def test_who_cannot_be_asked(
    session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    for words, says in (
        ([session], "Claude Code is not installed here: no `claude` is on the PATH"),
        ([session, "--program", tmp_path / "none"], "this is no program"),
        ([SAMPLES / "valid.json"], "it is not known which agent resumes it"),
        ([SAMPLES / "cline-late-result.json"], "Cline CLI cannot be asked"),
    ):
        assert main(["prove", "--yes", *map(str, words)]) == 2
        assert says in capsys.readouterr().err


@pytest.mark.skipif(isolation.prefix() is None, reason="no network of its own can be had here")
def test_there_is_no_other_network(
    session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = program(tmp_path, "fails")
    tries = "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80), 2)\nexcept OSError as error:\n    sys.exit(str(error.errno))\n"
    path.write_text(path.read_text().replace("mode = ", tries + "mode = "))
    told = proved(capsys, session, "--program", path, code=1)
    assert told["isolated"] and told["before"]["note"] == "101", "the network is unreachable"
