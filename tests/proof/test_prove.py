"""`toolpair prove` with a program that plays Claude Code: what it sends is told, and it touches nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import qwen_sessions
from tests.cli.test_reading_writes_nothing import written_by
from tests.conftest import SAMPLES
from tests.json_schemas import wrong_in
from tests.patience import PATIENCE
from tests.proof.conftest import program
from tests.source.tracing import STRACE
from toolpair.cli.main import main
from toolpair.history.sent_rows import seen_rows
from toolpair.proof import isolation
from toolpair.session.handed_over import SentText, missing, sent_by
from toolpair.session.session import Session, open_session


def proved(capsys: pytest.CaptureFixture[str], *words: Any, code: int) -> Any:
    assert main(["prove", "--yes", "--output-format", "json", *map(str, words)]) == code, capsys.readouterr().err
    told = json.loads(capsys.readouterr().out)
    assert wrong_in("prove", told) is None
    return told


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
    assert "`sees` says something else" in said


def test_what_it_adds_to_a_short_output_is_no_other_output(
    session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session.write_text(session.read_text().replace("cart.py and prices.py", ":"))
    told = proved(capsys, session, "--program", program(tmp_path, "counts"), code=0)
    assert told["before"]["whole"] and told["before"]["model"]["agrees"]


@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
def test_only_what_was_made_for_it_is_written(session: Path, home: Path, tmp_path: Path) -> None:
    agent = program(tmp_path, "whole")
    command = [sys.executable, "-m", "toolpair", "prove", "--yes", str(session), "--program", str(agent)]
    allowed = (str(tmp_path / "tmp"), str(tmp_path / "seen.json"), "/dev/", "/proc/")
    calls = list(written_by(command, {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, tmp_path / "calls"))
    assert any("left-by-the-agent" in line for line, _ in calls), "the agent is traced, too"
    for line, names in calls:
        assert all(one.startswith(allowed) or not one.startswith("/") for one in names), line


@pytest.mark.parametrize("mode", ["asks", "hangs"])
def test_wrappers_of_wrappers_without_a_home(
    mode: str,
    session: Path,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second one is no parent of the agent when it ends."""
    inner = program(tmp_path, mode).rename(tmp_path / "inner")
    for name, text in (("middle", f'exec "{inner}" "$@"'), ("claude", f'"{tmp_path}/middle" "$@"; exit $?')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("HOME", "/dev/null/home")
    whole = mode == "asks"
    told = proved(
        capsys, session, "--program", tmp_path / "claude", "--seconds", 60 if whole else 3, code=0 if whole else 2
    )
    assert told["before"]["sent"] is whole and not running(tmp_path) and not list((tmp_path / "tmp").iterdir())


def test_of_two_versions_the_one_that_a_shell_would_run(
    session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = []
    for version in ("2.1.118", "2.1.332"):
        package = tmp_path / version / "node_modules/@anthropic-ai/claude-code"
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"name": "@anthropic-ai/claude-code", "version": version}))
        commands.append(program(package, "whole"))
    monkeypatch.setenv("PATH", os.pathsep.join(str(one.parent) for one in commands) + os.pathsep + os.environ["PATH"])
    first, second = commands
    for words, program_, version in (([], first, "2.1.118"), (["--program", second], second, "2.1.332")):
        told = proved(capsys, session, *words, code=0)
        assert told["agent"]["program"] == str(program_) and told["agent"]["version"] == version


@pytest.mark.parametrize("mode", ["fails", "hangs", "leaves"])
def test_agents_that_fail_hang_or_leave_something_running(
    mode: str, session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = mode == "leaves"
    agent, code = program(tmp_path, mode), {"fails": 1, "hangs": 2, "leaves": 0}[mode]
    told = proved(capsys, session, "--program", agent, "--seconds", 20 if whole else 3, code=code)
    assert told["before"]["sent"] is whole
    assert told["before"]["model"]["agrees"] is {"fails": False, "hangs": None, "leaves": True}[mode]
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
        started = {str(folder / name) for name in ("claude", "middle", "inner")}
        if (one.info["cwd"] or "").startswith(seen["env"]["HOME"]) or started & {*(one.info["cmdline"] or ())}:
            found.append(" ".join(one.info["cmdline"] or ()))
    return found


_INTERRUPTIBLE = """
import signal, sys
from toolpair.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""
"""What a shell starts in the background ignores interrupts, and so does all that it starts."""


def test_interrupted_in_the_middle(session: Path, home: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _INTERRUPTIBLE, "prove", "--yes", session, "--program", program(tmp_path, "hangs")]
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + PATIENCE
    while not (tmp_path / "seen.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
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
    beside = tmp_path / "beside.jsonl"
    beside.write_text(session.read_text().replace('"type"', '"isSidechain": true, "type"'))
    for words, says in (
        ([beside], "Claude Code resumes nothing of it: it is a sub-agent's history"),
        ([session], "Claude Code is not installed here: no `claude` is on the PATH"),
        ([session, "--program", tmp_path / "none"], "is no program that could be Claude Code"),
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


@pytest.mark.parametrize(
    "id_", ["{folder}/victim/owned", "../../../../../../victim/owned", "--attach=http://127.0.0.1:1", "a\0b"]
)
def test_an_id_is_no_path_and_no_option(
    id_: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "victim").mkdir()
    given = json.dumps(id_.format(folder=tmp_path))
    path = tmp_path / "session.jsonl"
    sample = (SAMPLES / "qwen-late-result.jsonl").read_text()
    path.write_text(re.sub(r'"sessionId":\s*"[^"]*"', lambda _: f'"sessionId":{given}', sample))
    agent = program(tmp_path, "whole")
    for words in (["--dry-run"], ["--yes"]):
        assert main(["prove", str(path), "--program", str(agent), *words]) == 2
        assert "its id is none that an agent gives" in capsys.readouterr().err
    assert not list((tmp_path / "victim").iterdir()) and not (tmp_path / "seen.json").exists()


def test_a_stranger_s_trigger_does_not_run(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "opencode.db"
    shutil.copyfile(SAMPLES / "opencode-failed-response.db", path)
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "CREATE TRIGGER t AFTER UPDATE OF directory ON session BEGIN UPDATE session SET title = "
            "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n); END"
        )
        db.commit()
    assert main(["prove", str(path), "--program", str(program(tmp_path, "whole")), "--dry-run"]) == 0
    assert "opencode" in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_agent_ends_with_toolpair_however_that_ends(
    number: signal.Signals, session: Path, home: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "toolpair", "prove", "--yes", session, "--program", program(tmp_path, "hangs")]
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + PATIENCE
    while not (tmp_path / "seen.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    os.kill(process.pid, number)
    process.wait()
    while (running(tmp_path) or list((tmp_path / "tmp").iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not running(tmp_path) and not list((tmp_path / "tmp").iterdir())


def test_without_a_network_of_its_own_nothing_stays_either(
    session: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "prefix", lambda: None)
    told = proved(capsys, session, "--program", program(tmp_path, "leaves"), code=0)
    assert told["isolated"] is False and told["before"]["whole"] and not running(tmp_path)


def test_short_texts_that_are_sent_as_one_are_sent() -> None:
    def said(*texts: str) -> list[SentText]:
        return [SentText("words", text, None, None, number, None) for number, text in enumerate(texts)]

    assert missing(said("Begin.", "Now."), said("Begin. Now.", "Go.")) == []
    assert missing(said("Begin.", "Now."), said("Begin.Now.")) == missing(said("Hm."), said("Hm.Hm.")) == []
    assert missing(said("Begin.", "Now."), said("Begin. Later.")) == said("Begin.", "Now.")
    output = SentText("output", "11 files", "call", "Bash", 1, None)
    assert missing(said("1"), [output]) == said("1")


def calls_of(session: Session) -> list[str]:
    return [one.text for one in sent_by(session, added=True) if one.kind == "call"]


def test_a_call_that_is_in_no_record_is_compared_by_its_arguments() -> None:
    """Qwen Code takes glued lines apart."""
    data = qwen_sessions.corpus()["lines_glued"].data
    session = open_session(qwen_sessions.NAME, data=data)
    assert [text for text in calls_of(session) if "five" in text] == ['{"command": "echo five"}']
    assert session.conversation.judged.seen is not None
    shown = [row.text for row in seen_rows(session.conversation.judged) if row.type == "call" and "five" in row.text]
    assert [json.loads(text) for text in shown] == [{"command": "echo five"}]


def test_no_arguments_are_an_empty_text_or_an_empty_object() -> None:
    """Kimi Code sends the one for the other."""
    told = []
    for given in ("", "{}"):
        call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": given}}
        messages = [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "1"},
        ]
        told.append(calls_of(open_session("s.json", data=json.dumps(messages).encode(), format="openai-chat")))
    assert told == [["{}"], ["{}"]]


def test_text_parts_that_are_sent_as_json_are_the_text() -> None:
    """opencode sends an output so that is an object."""
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    told = []
    for said in ("11 files", '[{"type":"text","text":"11 files"}]', '[{"type":"row","text":"11 files"}]', "[{11 files"):
        messages = [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": said},
        ]
        session = open_session("s.json", data=json.dumps(messages).encode(), format="openai-chat")
        told += [one.text for one in sent_by(session) if one.kind == "output"]
    assert told == ["11 files", "11 files", '[{"type":"row","text":"11 files"}]', "[{11 files"]
