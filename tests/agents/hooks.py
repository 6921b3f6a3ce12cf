"""What the real agents make of the hook that toolpair has installed for them: what a person is shown."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.agents import running
from toolpair.formats import get_agent
from toolpair.formats.asking import PROMPT, Start
from toolpair.proof.inside import Copy, environment, furnished

SECONDS_EACH = 90
_TOOLPAIR = Path(sys.executable).with_name("toolpair")
_LISTENS = "listening on "


def told_by(agent: str, program: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """What is shown for each session, empty where nothing is."""
    job = {"agent": agent, "program": program, "files": running.as_text(files)}
    return {name: found["shown"] for name, found in running.answers(__file__, job, SECONDS_EACH).items()}


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    agent, program = job["agent"], job["program"]
    with running.at_home() as home, tempfile.NamedTemporaryFile() as copy:
        copy.write(data)
        copy.flush()
        home.project.rmdir()  # it is made with the rest
        given = Copy(path=copy.name, session_id=_session_in(copy.name) if agent == "opencode" else "")
        start = furnished(get_agent(agent).ask.found, (program,), given, home.folder, home.api.url)
        variables = environment(f"{home.folder / 'bin'}:{os.defpath}", home.folder, start)
        subprocess.run([_TOOLPAIR, "hook", agent, "--install", "--yes"], env=variables, check=True, capture_output=True)
        return {"shown": _SHOWN[agent](program, home, start, variables)}


def _session_in(database: str) -> str:
    with closing(sqlite3.connect(database)) as db:
        return str(db.execute("SELECT id FROM session").fetchone()[0])


def _by_claude(program: str, home: running.Home, start: Start, variables: dict[str, str]) -> str:
    """Its stream says what hooks have answered, of which it shows a `systemMessage`."""
    arguments = ["stream-json" if word == "json" else word for word in start.arguments]
    command = [program, *arguments, "--verbose", "--include-hook-events"]
    said = running.said_by(command, home.project, variables, SECONDS_EACH)
    events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    answers = [event for event in events if event.get("subtype") == "hook_response"]
    assert {event["hook_name"].partition(":")[0] for event in answers} == {"SessionStart", "Stop"}, said[-2000:]
    assert all(event["exit_code"] == 0 for event in answers)
    shown = [json.loads(event["stdout"])["systemMessage"] for event in answers if event["stdout"].strip()]
    return shown[0] if shown else ""


def _by_codex(program: str, home: running.Home, start: Start, variables: dict[str, str]) -> str:
    """By a program that plays the one that shows notices of the desktop."""
    shown, notice = home.folder / "shown", home.folder / "bin/notify-send"
    notice.parent.mkdir()
    notice.write_text(f'#!/bin/sh\nfor said; do :; done\nprintf %s "$said" > {shown}.new && mv {shown}.new {shown}\n')
    notice.chmod(0o755)
    note = running.note_of([program, *start.arguments], home.project, variables, SECONDS_EACH)
    assert not note, note
    ends = time.monotonic() + 10  # Codex does not wait for it
    while not shown.exists() and time.monotonic() < ends:
        time.sleep(0.1)
    return shown.read_text() if shown.exists() else ""


def _by_opencode(program: str, home: running.Home, start: Start, variables: dict[str, str]) -> str:
    """By its server, which tells every interface what to show."""
    session = start.arguments[start.arguments.index("-s") + 1]
    del variables["OPENCODE_DISABLE_DEFAULT_PLUGINS"]
    server = subprocess.Popen(
        [program, "serve", "--port", "0"], cwd=home.project, env=variables, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert server.stdout is not None
    url = next(line.partition(_LISTENS)[2].strip() for line in server.stdout if _LISTENS in line)
    shown: list[str] = []
    threading.Thread(target=_listen, args=(url, shown), daemon=True).start()
    time.sleep(1)
    body = {"parts": [{"type": "text", "text": PROMPT}], "model": {"providerID": "mock", "modelID": "mock-model"}}
    asked = urllib.request.Request(
        f"{url}/session/{session}/message", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(asked, timeout=SECONDS_EACH).read()
    ends = time.monotonic() + 15
    while not shown and time.monotonic() < ends:
        time.sleep(0.1)
    server.kill()
    server.wait()
    return "".join(shown)


def _listen(url: str, shown: list[str]) -> None:
    with urllib.request.urlopen(f"{url}/event", timeout=SECONDS_EACH) as events:
        for line in events:
            if line.startswith(b"data: ") and b"tui.toast.show" in line:
                shown.append(json.loads(line[6:])["properties"]["message"])


_SHOWN = {"claude-code": _by_claude, "codex": _by_codex, "opencode": _by_opencode}

if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
