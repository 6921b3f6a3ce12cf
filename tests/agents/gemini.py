"""What the real Gemini CLI sends when it resumes a session file, and what it writes to it.

The agent is the script named by TOOLPAIR_GEMINI: the package's `bundle/gemini.js`. It is run by the node that
TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import NODE, PROMPT, Resumed
from tests.gemini_sessions import MODEL, NAME

SECONDS_EACH = 180
_AGENT = (NODE, running.script("TOOLPAIR_GEMINI"))
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}


def why_not() -> str | None:
    """Why the agent cannot be asked here; None when it can."""
    return running.why_not("Gemini CLI is not here (set TOOLPAIR_GEMINI and TOOLPAIR_NODE)", *_AGENT)


def resume(files: Mapping[str, bytes], *, by_path: bool = False) -> dict[str, Resumed]:
    """The contents that are sent for each file, by the names that the caller gave.

    `by_path` is `--session-file`, which continues in a copy.
    """
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT, by_path=by_path)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        agent_home, project = home.folder / ".gemini", str(home.project)
        path = agent_home / "tmp" / "project" / "chats" / NAME
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        (agent_home / "tmp" / "project" / ".project_root").write_text(project)
        (agent_home / "projects.json").write_text(json.dumps({"projects": {project: "project"}}))
        (agent_home / "settings.json").write_text(json.dumps(_SETTINGS))
        environment = namespace.environment(
            home.folder,
            GEMINI_API_KEY="dummy",
            GOOGLE_GEMINI_BASE_URL=home.api.url,
            GEMINI_CLI_NO_RELAUNCH="1",
            GEMINI_TELEMETRY_ENABLED="false",
        )
        named = ["--session-file", str(path)] if job["by_path"] else ["--resume", "latest"]
        command = [*job["agent"], "-m", MODEL, "--skip-trust", "-y", *named, "-p", PROMPT]
        note = running.note_of(command, home.project, environment, SECONDS_EACH)
        return running.told(running.asked(home.api, ":streamGenerateContent", "contents"), note, path.read_bytes())


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
