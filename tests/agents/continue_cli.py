"""What the real Continue sends when it resumes a session file.

The agent is the command line that TOOLPAIR_CONTINUE names: the file `cn.js` of the package `@continuedev/cli`. It is run
by the node that TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

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
SECONDS_EACH = 120
_NAMED = os.environ.get("TOOLPAIR_CONTINUE")
_NODE = os.environ.get("TOOLPAIR_NODE") or shutil.which("node")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_CONFIG = """name: mock
version: 1.0.0
schema: v1
models:
  - {{name: mock-model, provider: openai, model: mock-model, apiKey: dummy, apiBase: "{url}/v1",
      useResponsesApi: false, roles: [chat], capabilities: [tool_use]}}
"""


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages` of the request without the system prompt, None when the agent made none; `note` is what it said then."""

    messages: list[dict[str, Any]] | None
    note: str
    after: bytes
    """The session file afterwards."""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    if _NAMED is None or not Path(_NAMED).is_file() or _NODE is None:
        return "Continue is not here (set TOOLPAIR_CONTINUE and TOOLPAIR_NODE)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    job = {"agent": [_NODE, _NAMED], "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], found["after"].encode("utf-8", "surrogateescape"))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder)
        project, own = home / "project", home / ".continue"
        project.mkdir()
        path = own / "sessions" / "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b.json"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        (own / "config.yaml").write_text(_CONFIG.format(url=api.url))
        environment = namespace.environment(
            home,
            CONTINUE_TELEMETRY_ENABLED="0",
            CONTINUE_ALLOW_ANONYMOUS_TELEMETRY="0",
            CONTINUE_CLI_AUTO_UPDATED="1",
        )
        command = [*job["agent"], "--config", str(own / "config.yaml"), "--auto", "-p", "--resume", PROMPT]
        note = running.note_of(command, project, environment, SECONDS_EACH)
        asked = [body["messages"] for body in api.bodies("/chat/completions") if body.get("tools")]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-2:])]
        sent = asked[0][asked[0][0].get("role") == "system" :] if asked else None
        after = path.read_bytes().decode("utf-8", "surrogateescape")
        return {"messages": sent, "note": note, "after": after}


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
