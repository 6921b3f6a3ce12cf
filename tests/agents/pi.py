"""What the real pi sends when it resumes a session file, and what it writes to it.

The agents are the command lines named by TOOLPAIR_PI and TOOLPAIR_PI_OLD (a version before 0.87): a file `cli.js`.
They are run by the node that TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.mock_api import MockApi

PROMPT = "go on"
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
    job = {"agent": [_NODE, _NAMED[version]], "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
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
        command = [*job["agent"], "-p", "--provider", "mock", "--model", "mock-model", "--no-extensions", "--no-skills"]
        note = running.note_of([*command, "--session", str(path), PROMPT], project, environment, SECONDS_EACH)
        asked = [body["messages"] for body in api.bodies("/messages") if isinstance(body.get("messages"), list)]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-2:])]
        return {
            "messages": asked[0] if asked else None,
            "note": note,
            "after": base64.b64encode(path.read_bytes()).decode(),
        }


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
