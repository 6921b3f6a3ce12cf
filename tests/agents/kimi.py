"""What the real Kimi CLI sends when it resumes a session file.

The agent is the command that TOOLPAIR_KIMI names: `kimi` of the package `kimi-cli`.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.mock_api import MockApi

PROMPT = "go on"
SECONDS_EACH = 120
ID = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_NAMED = os.environ.get("TOOLPAIR_KIMI")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_CONFIG = """default_model = "mock"
telemetry = false
[providers.mock]
type = "kimi"
base_url = "{url}/v1"
api_key = "dummy"
[models.mock]
provider = "mock"
model = "mock-model"
max_context_size = 200000
capabilities = ["image_in", "thinking"]
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
    if _NAMED is None or not Path(_NAMED).is_file():
        return "Kimi CLI is not here (set TOOLPAIR_KIMI)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    job = {"agent": _NAMED, "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder).resolve()
        project, own = home / "project", home / ".kimi"
        project.mkdir()
        path = own / "sessions" / md5(str(project).encode()).hexdigest() / ID / "context.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        known = {"path": str(project), "kaos": "local", "last_session_id": ID}
        (own / "kimi.json").write_text(json.dumps({"work_dirs": [known]}))
        (own / "config.toml").write_text(_CONFIG.format(url=api.url))
        environment = namespace.environment(home, KIMI_DISABLE_TELEMETRY="1", KIMI_CLI_NO_AUTO_UPDATE="1")
        command = [job["agent"], "--print", "--final-message-only", "--session", ID, "-p", PROMPT]
        note = running.note_of(command, project, environment, SECONDS_EACH)
        asked = [body["messages"] for body in api.bodies("/chat/completions")]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-3:])]
        sent = asked[0][asked[0][0].get("role") == "system" :] if asked else None
        return {"messages": sent, "note": note, "after": base64.b64encode(path.read_bytes()).decode()}


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
