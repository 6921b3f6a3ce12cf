"""What the real oh-my-pi sends when it resumes a session file, and what it leaves of it.

The agent is the `dist/cli.js` of npm's `@oh-my-pi/pi-coding-agent` that TOOLPAIR_OMP names, run by the `bun` that
TOOLPAIR_BUN names, else by the one that is installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import PROMPT, Resumed

SECONDS_EACH = 90
_AGENT = (running.program("TOOLPAIR_BUN", "bun"), running.script("TOOLPAIR_OMP"))
_MODEL = {"id": "mock-model", "name": "m", "contextWindow": 200000, "maxTokens": 1000, "input": ["text", "image"]}


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("oh-my-pi is not here (set TOOLPAIR_OMP and TOOLPAIR_BUN)", *_AGENT)


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        agent_home = home.folder / ".omp" / "agent"
        path = agent_home / "sessions" / "-project" / "session.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        provider = {"baseUrl": home.api.url, "api": "anthropic-messages", "apiKey": "dummy", "models": [_MODEL]}
        (agent_home / "models.yml").write_text(json.dumps({"providers": {"mock": provider}}))
        environment = namespace.environment(home.folder, PI_OFFLINE="1")
        command = [*job["agent"], "-p", "--model", "mock/mock-model", "--no-title", "--no-extensions", "--no-skills"]
        note = running.note_of([*command, "--resume", str(path), PROMPT], home.project, environment, SECONDS_EACH)
        return running.told(running.asked(home.api, "/messages"), note, path.read_bytes())


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
