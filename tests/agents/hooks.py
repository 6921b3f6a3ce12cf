"""What the real Codex and the real opencode make of the hook that toolpair has installed for them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.agents import codex, namespace, opencode, running
from toolpair.formats import get_agent
from toolpair.formats.asking import PROMPT, Stage
from toolpair.formats.opencode.asking import quiet, settings

SECONDS_EACH = 90
_TOOLPAIR = Path(sys.executable).with_name("toolpair")
_LISTENS = "listening on "
_TOAST = "tui.toast.show"


def told_by(agent: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """What a person sees of each session's state by the hook, empty where nothing is shown."""
    program = codex.PROGRAM if agent == "codex" else opencode.program(agent)
    job = {"agent": program, "name": agent, "files": running.as_text(files)}
    return {name: found["shown"] for name, found in running.answers(__file__, job, SECONDS_EACH).items()}


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        environment = namespace.environment(home.folder, CODEX_HOME=str(home.folder / ".codex"))
        environment["PATH"] = f"{home.folder / 'bin'}:{environment['PATH']}"
        resume = _by_codex if job["name"] == "codex" else _by_opencode
        return {"shown": resume(job["agent"], home, environment, data)}


def _installed(hook: str, environment: Mapping[str, str]) -> None:
    subprocess.run([_TOOLPAIR, "hook", hook, "--install", "--yes"], env=environment, check=True, capture_output=True)


def _by_codex(agent: str, home: running.Home, environment: Mapping[str, str], data: bytes) -> str:
    copy = home.folder / "copy.jsonl"
    copy.write_bytes(data)
    stage = Stage(home.folder, home.project, home.api.url, copy, "", None, (agent,), "openai-responses")
    start = get_agent("codex").ask.found.furnish(stage)
    shown, notice = home.folder / "shown", home.folder / "bin/notify-send"
    notice.parent.mkdir()
    notice.write_text(f'#!/bin/sh\nfor said; do :; done\nprintf %s "$said" > {shown}.new && mv {shown}.new {shown}\n')
    notice.chmod(0o755)
    _installed("codex", environment)
    given = {**environment, **start.variables}
    note = running.note_of([agent, *start.arguments], home.project, given, SECONDS_EACH)
    assert not note, note
    ends = time.monotonic() + 10  # Codex does not wait for it
    while not shown.exists() and time.monotonic() < ends:
        time.sleep(0.1)
    return shown.read_text() if shown.exists() else ""


def _by_opencode(agent: str, home: running.Home, environment: dict[str, str], data: bytes) -> str:
    """By its server, which tells every interface what to show."""
    settings(home.folder, "opencode", home.api.url)
    environment |= quiet("opencode")
    session = opencode.put_whole(home.folder / ".local/share/opencode/opencode.db", data, str(home.project))
    _installed("opencode", environment)
    server = subprocess.Popen(
        [agent, "serve", "--port", "0"], cwd=home.project, env=environment, text=True,
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
            if line.startswith(b"data: ") and _TOAST.encode() in line:
                shown.append(json.loads(line[6:])["properties"]["message"])


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
