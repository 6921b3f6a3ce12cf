"""What the real Qwen Code sends when it resumes a session file, and what it writes to it.

The agent is the script that TOOLPAIR_QWEN names: `cli.js` of its package. It is run by the node that TOOLPAIR_NODE
names, else by the one that is installed.
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
from tests.qwen_sessions import FOLDER, ID

PROMPT = "go on"
SECONDS_EACH = 120
_NAMED = os.environ.get("TOOLPAIR_QWEN")
_NODE = os.environ.get("TOOLPAIR_NODE") or shutil.which("node")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages` of the request, None when the agent made none; `note` is what it said then."""

    messages: list[dict[str, Any]] | None
    note: str
    after: bytes
    """The session file afterwards, with the working folder as it was given."""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    if _NAMED is None or not Path(_NAMED).is_file() or _NODE is None:
        return "Qwen Code is not here (set TOOLPAIR_QWEN and TOOLPAIR_NODE)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    job = {"agent": [_NODE, _NAMED], "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder).resolve()
        project = home / "project"
        project.mkdir()
        name = "".join(one if one.isalnum() and one.isascii() else "-" for one in str(project))
        path = home / ".qwen/projects" / name / "chats" / f"{ID}.jsonl"
        path.parent.mkdir(parents=True)
        here, there = (json.dumps(text).encode() for text in (FOLDER, str(project)))
        path.write_bytes(data.replace(here, there))
        (home / ".qwen/settings.json").write_text(json.dumps(_SETTINGS))
        environment = namespace.environment(
            home,
            OPENAI_API_KEY="dummy",
            OPENAI_BASE_URL=f"{api.url}/v1",
            OPENAI_MODEL="mock-model",
            QWEN_TELEMETRY_ENABLED="0",
        )
        command = [*job["agent"], "--auth-type", "openai", "-y", "--resume", ID, "-p", PROMPT]
        note = running.note_of(command, project, environment, SECONDS_EACH)
        asked = [body["messages"] for body in api.bodies("/chat/completions") if body.get("tools")]
        asked = [messages for messages in asked if PROMPT in json.dumps(messages[-2:])]
        return {
            "messages": asked[0] if asked else None,
            "note": note,
            "after": base64.b64encode(path.read_bytes().replace(there, here)).decode(),
        }


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
