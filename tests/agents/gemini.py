"""What the real Gemini CLI sends when it resumes a session file, and what it writes to it.

The agent is the script named by TOOLPAIR_GEMINI: the package's `bundle/gemini.js`. It is run by the node that
TOOLPAIR_NODE names, else the one that is installed.
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
from tests.gemini_sessions import MODEL, NAME

PROMPT = "go on"
SECONDS_EACH = 180
_NAMED = os.environ.get("TOOLPAIR_GEMINI")
_NODE = os.environ.get("TOOLPAIR_NODE") or shutil.which("node")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}


@dataclass(frozen=True, slots=True)
class Resumed:
    """`messages`: the contents of the request, None when the agent made none; `note` is what it said then."""

    messages: list[dict[str, Any]] | None
    note: str
    after: bytes
    """The session file afterwards."""


def why_not() -> str | None:
    """Why the agent cannot be asked here; None when it can."""
    if _NAMED is None or not Path(_NAMED).is_file() or _NODE is None:
        return "Gemini CLI is not here (set TOOLPAIR_GEMINI and TOOLPAIR_NODE)"
    return namespace.why_not()


def resume(files: Mapping[str, bytes], *, by_path: bool = False) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave.

    `by_path` is `--session-file`, which continues in a copy.
    """
    job = {"agent": [_NODE, _NAMED], "by_path": by_path, "files": running.as_text(files)}
    return {
        name: Resumed(found["messages"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH).items()
    }


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="toolpair-home-") as folder, MockApi() as api:
        home = Path(folder)
        project, agent_home = home / "project", home / ".gemini"
        project.mkdir()
        path = agent_home / "tmp" / "project" / "chats" / NAME
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        (agent_home / "tmp" / "project" / ".project_root").write_text(str(project))
        (agent_home / "projects.json").write_text(json.dumps({"projects": {str(project): "project"}}))
        (agent_home / "settings.json").write_text(json.dumps(_SETTINGS))
        environment = namespace.environment(
            home,
            GEMINI_API_KEY="dummy",
            GOOGLE_GEMINI_BASE_URL=api.url,
            GEMINI_CLI_NO_RELAUNCH="1",
            GEMINI_TELEMETRY_ENABLED="false",
        )
        named = ["--session-file", str(path)] if job["by_path"] else ["--resume", "latest"]
        command = [*job["agent"], "-m", MODEL, "--skip-trust", "-y", *named, "-p", PROMPT]
        note = running.note_of(command, project, environment, SECONDS_EACH)
        bodies = api.bodies(":streamGenerateContent")
        asked = [body["contents"] for body in bodies if isinstance(body.get("contents"), list)]
        asked = [contents for contents in asked if PROMPT in json.dumps(contents[-2:])]
        return {
            "messages": asked[0] if asked else None,
            "note": note,
            "after": base64.b64encode(path.read_bytes()).decode(),
        }


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
