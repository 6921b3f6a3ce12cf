"""What the real Copilot CLI sends when it resumes a session file, and what it writes to it.

The agent is the command that TOOLPAIR_COPILOT names. The folder of TOOLPAIR_NODE, if that is set, comes first on PATH.
"""

from __future__ import annotations

import base64
import json
import os
import re
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
_NAMED = os.environ.get("TOOLPAIR_COPILOT")
_NODE = os.environ.get("TOOLPAIR_NODE")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_SESSION = re.compile(rb'"sessionId":\s*"([0-9a-f-]{36})"')
_ELSE = "01a1fd11-0000-4000-8000-000000000001"
"""The id under which a session is resumed that does not say its own."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages` of the request, None when the agent made none; `note` is what it said then."""

    messages: list[dict[str, Any]] | None
    note: str
    after: bytes
    """The session file afterwards."""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    if _NAMED is None or not Path(_NAMED).is_file():
        return "GitHub Copilot CLI is not here (set TOOLPAIR_COPILOT and TOOLPAIR_NODE)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    job = {"agent": _NAMED, "node": _NODE, "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder)
        project = home / "project"
        project.mkdir()
        found = _SESSION.search(data)
        session = found[1].decode() if found else _ELSE
        path = home / ".copilot" / "session-state" / session / "events.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        times = "created_at: 2026-11-21T07:00:00.000Z\nupdated_at: 2026-11-21T07:00:00.000Z\n"
        (path.parent / "workspace.yaml").write_text(f"id: {session}\ncwd: {project}\nsummary_count: 0\n{times}")
        provider = {"BASE_URL": f"{api.url}/v1", "TYPE": "openai", "API_KEY": "dummy", "WIRE_API": "completions"}
        variables = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
        variables |= {"COPILOT_MODEL": "mock-model", "COPILOT_AUTO_UPDATE": "false", "COPILOT_OFFLINE": "true"}
        environment = namespace.environment(home, **variables)
        if job["node"]:
            environment["PATH"] = f"{Path(job['node']).parent}{os.pathsep}{environment['PATH']}"
        allowed = ["--allow-all-tools", "--allow-all-paths", "--no-auto-update", "--no-color"]
        command = [job["agent"], *allowed, f"--resume={session}", "-p", PROMPT]
        note = running.note_of(command, project, environment, SECONDS_EACH)
        asked = [body["messages"] for body in api.bodies("/chat/completions") if body.get("tools")]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-2:])]
        after = base64.b64encode(path.read_bytes()).decode()
        return {"messages": asked[-1] if asked else None, "note": note, "after": after}


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
