"""What the real pi sends when it resumes a session file, and what it writes to it.

The agents are the command lines named by TOOLPAIR_PI, TOOLPAIR_PI_BEFORE (0.87) and TOOLPAIR_PI_OLD (before it): a
file `cli.js` each.
They are run by the node that TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import NODE, PROMPT, Resumed

SECONDS_EACH = 60
_AGENTS = {
    "1.5": running.script("TOOLPAIR_PI"),
    "0.87": running.script("TOOLPAIR_PI_BEFORE"),
    "0.73": running.script("TOOLPAIR_PI_OLD"),
}
_MODEL = {"id": "mock-model", "contextWindow": 200000, "maxTokens": 1000, "input": ["text", "image"]}


def why_not(version: str) -> str | None:
    """Why this version cannot be asked here; None when it can."""
    absent = f"pi {version} is not here (set TOOLPAIR_PI, TOOLPAIR_PI_BEFORE, TOOLPAIR_PI_OLD and TOOLPAIR_NODE)"
    return running.why_not(absent, NODE, _AGENTS[version])


def resume(files: Mapping[str, bytes], version: str) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    return running.resumed(__file__, files, SECONDS_EACH, agent=[NODE, _AGENTS[version]])


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        agent_home = home.folder / ".pi" / "agent"
        path = agent_home / "sessions" / "--home-dev-project--" / "session.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        provider = {"baseUrl": home.api.url, "api": "anthropic-messages", "apiKey": "dummy", "models": [_MODEL]}
        (agent_home / "models.json").write_text(json.dumps({"providers": {"mock": provider}}))
        environment = namespace.environment(home.folder, PI_OFFLINE="1", PI_TELEMETRY="0", PI_SKIP_VERSION_CHECK="1")
        command = [*job["agent"], "-p", "--provider", "mock", "--model", "mock-model", "--no-extensions", "--no-skills"]
        note = running.note_of([*command, "--session", str(path), PROMPT], home.project, environment, SECONDS_EACH)
        return running.told(running.asked(home.api, "/messages", tools=False), note, path.read_bytes())


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
