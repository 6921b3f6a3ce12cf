"""What the real oh-my-pi sends when it resumes a session file, and what it leaves of it.

The agent is the `dist/cli.js` of npm's `@oh-my-pi/pi-coding-agent` that TOOLPAIR_OMP names, run by the `bun` that
TOOLPAIR_BUN names, else by the one that is installed.
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
SECONDS_EACH = 90
_NAMED = os.environ.get("TOOLPAIR_OMP")
_BUN = os.environ.get("TOOLPAIR_BUN") or shutil.which("bun")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_MODEL = {"id": "mock-model", "name": "m", "contextWindow": 200000, "maxTokens": 1000, "input": ["text", "image"]}


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages` of the request, None when the agent made none; `note` is what it said then."""

    messages: list[dict[str, Any]] | None
    note: str
    after: bytes
    """The session file afterwards."""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    if _NAMED is None or not Path(_NAMED).is_file() or _BUN is None:
        return "oh-my-pi is not here (set TOOLPAIR_OMP and TOOLPAIR_BUN)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    job = {"agent": [_BUN, _NAMED], "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder)
        project, agent_home = home / "project", home / ".omp" / "agent"
        project.mkdir()
        path = agent_home / "sessions" / "-project" / "session.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        provider = {"baseUrl": api.url, "api": "anthropic-messages", "apiKey": "dummy", "models": [_MODEL]}
        (agent_home / "models.yml").write_text(json.dumps({"providers": {"mock": provider}}))
        environment = namespace.environment(home, PI_OFFLINE="1")
        command = [*job["agent"], "-p", "--model", "mock/mock-model", "--no-title", "--no-extensions", "--no-skills"]
        note = running.note_of([*command, "--resume", str(path), PROMPT], project, environment, SECONDS_EACH)
        asked = [body["messages"] for body in api.bodies("/messages") if isinstance(body.get("messages"), list)]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-2:])]
        return {
            "messages": asked[0] if asked else None,
            "note": note,
            "after": base64.b64encode(path.read_bytes()).decode(),
        }


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
