"""What the real pi sends when it resumes a session file, and what it writes to it.

The agents are the command lines named by TOOLPAIR_PI and TOOLPAIR_PI_OLD (a version before 0.87): a file `cli.js`.
They are run by the node that TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents import namespace
from tests.agents.mock_api import MockApi

PROMPT = "go on"
AT_ONCE = 2
SECONDS_EACH = 60
_NAMED = {"0.87": os.environ.get("TOOLPAIR_PI"), "0.73": os.environ.get("TOOLPAIR_PI_OLD")}
_NODE = os.environ.get("TOOLPAIR_NODE") or shutil.which("node")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_MODEL = {"id": "mock-model", "contextWindow": 200000, "maxTokens": 1000, "input": ["text", "image"]}


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages` of the request, None when the agent made none; `note` is what it said then."""

    messages: list[dict[str, Any]] | None
    note: str
    after: bytes
    """The session file afterwards."""


def why_not(version: str) -> str | None:
    """Why this version cannot be asked here; None when it can."""
    named = _NAMED[version]
    if named is None or not Path(named).is_file() or _NODE is None:
        return f"pi {version} is not here (set TOOLPAIR_PI, TOOLPAIR_PI_OLD and TOOLPAIR_NODE)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes], version: str) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    job = {
        "agent": [_NODE, _NAMED[version]],
        "files": {name: base64.b64encode(data).decode() for name, data in files.items()},
    }
    said = namespace.run(Path(__file__), job, 60 + SECONDS_EACH * (len(files) // AT_ONCE + 1))
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in said.items()
    }


def _resume_one(agent: Sequence[str], data: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder)
        project, agent_home = home / "project", home / ".pi" / "agent"
        project.mkdir()
        path = agent_home / "sessions" / "--home-dev-project--" / "session.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        provider = {"baseUrl": api.url, "api": "anthropic-messages", "apiKey": "dummy", "models": [_MODEL]}
        (agent_home / "models.json").write_text(json.dumps({"providers": {"mock": provider}}))
        environment = namespace.environment(home, PI_OFFLINE="1", PI_TELEMETRY="0", PI_SKIP_VERSION_CHECK="1")
        command = [*agent, "-p", "--provider", "mock", "--model", "mock-model", "--no-extensions", "--no-skills"]
        note = ""
        try:
            done = subprocess.run(
                [*command, "--session", str(path), PROMPT],
                cwd=project,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS_EACH,
            )
            if done.returncode:
                note = (done.stderr or done.stdout).decode(errors="replace")[-400:]
        except subprocess.TimeoutExpired:
            note = f"no answer within {SECONDS_EACH} s"
        asked = [body["messages"] for body in api.bodies("/messages") if isinstance(body.get("messages"), list)]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-2:])]
        return {
            "messages": asked[0] if asked else None,
            "note": note,
            "after": base64.b64encode(path.read_bytes()).decode(),
        }


def _main(arguments: Sequence[str]) -> None:
    namespace.loopback_up()
    path = Path(arguments[0])
    job = json.loads(path.read_text())
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {
            name: pool.submit(_resume_one, job["agent"], base64.b64decode(data)) for name, data in job["files"].items()
        }
        said = {name: future.result() for name, future in futures.items()}
    path.write_text(json.dumps(said))


if __name__ == "__main__":
    _main(sys.argv[1:])
