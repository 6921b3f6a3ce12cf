"""What the real Claude Code sends when it resumes a session file, and what it writes to it.

The agent is the command line named by TOOLPAIR_CLAUDE, else the one inside an installed `claude_agent_sdk`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import PROMPT, Resumed

MODEL = "claude-sonnet-4-5"
_NAMED = os.environ.get("TOOLPAIR_CLAUDE")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
SECONDS_EACH = 90


def executable() -> Path | None:
    """The agent's command line, None when there is none."""
    if _NAMED:
        return Path(_NAMED) if Path(_NAMED).is_file() else None
    spec = find_spec("claude_agent_sdk")
    if spec is None or not spec.submodule_search_locations:
        return None
    found = Path(spec.submodule_search_locations[0]) / "_bundled" / "claude"
    return found if found.is_file() else None


def why_not() -> str | None:
    """Why the agent cannot be asked here; None when it can."""
    absent = "Claude Code is not here (install claude-agent-sdk, or set TOOLPAIR_CLAUDE to its command line)"
    return running.why_not(absent, executable())


def resume(files: Mapping[str, bytes], models: Mapping[str, str] | None = None) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave. `models` is what to resume it with."""
    return running.resumed(__file__, files, SECONDS_EACH, agent=str(executable()), models=dict(models or {}))


def session_id(data: bytes) -> str:
    """The id under which the agent finds the file: the last one that is written in it."""
    found = re.findall(rb'"sessionId":\s*"([0-9a-f-]{36})"', data)
    return found[-1].decode() if found else "5e551011-0000-4000-8000-000000000001"


def _resume_one(job: Mapping[str, Any], file: str, data: bytes) -> dict[str, Any]:
    model = job["models"].get(file, MODEL)
    with running.at_home() as home:
        sessions = home.folder / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(home.project))
        sessions.mkdir(parents=True)
        name = session_id(data)
        path = sessions / f"{name}.jsonl"
        path.write_bytes(data)
        environment = namespace.environment(
            home.folder,
            ANTHROPIC_BASE_URL=home.api.url,
            ANTHROPIC_API_KEY="dummy",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            DISABLE_TELEMETRY="1",
            DISABLE_AUTOUPDATER="1",
        )
        command = [job["agent"], "-p", PROMPT, "--resume", name, "--output-format", "json", "--model", model]
        note = running.note_of(command, home.project, environment, SECONDS_EACH)
        return running.told(running.asked(home.api, "/messages"), note, path.read_bytes())


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
