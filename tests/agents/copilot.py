"""What the real Copilot CLI sends when it resumes a session file, and what it writes to it.

The agent is the command that TOOLPAIR_COPILOT names. The folder of the node that TOOLPAIR_NODE names, else of the one
that is installed, comes first on its PATH.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import NODE, PROMPT, Resumed

SECONDS_EACH = 90
_AGENT = running.script("TOOLPAIR_COPILOT")
_SESSION = re.compile(rb'"sessionId":\s*"([0-9a-f-]{36})"')
_ELSE = "01a1fd11-0000-4000-8000-000000000001"
"""The id under which a session is resumed that does not say its own."""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("GitHub Copilot CLI is not here (set TOOLPAIR_COPILOT and TOOLPAIR_NODE)", _AGENT)


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave."""
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT, node=NODE)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        found = _SESSION.search(data)
        session = found[1].decode() if found else _ELSE
        path = home.folder / ".copilot" / "session-state" / session / "events.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        times = "created_at: 2026-11-21T07:00:00.000Z\nupdated_at: 2026-11-21T07:00:00.000Z\n"
        (path.parent / "workspace.yaml").write_text(f"id: {session}\ncwd: {home.project}\nsummary_count: 0\n{times}")
        provider = {"BASE_URL": f"{home.api.url}/v1", "TYPE": "openai", "API_KEY": "dummy", "WIRE_API": "completions"}
        variables = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
        variables |= {"COPILOT_MODEL": "mock-model", "COPILOT_AUTO_UPDATE": "false", "COPILOT_OFFLINE": "true"}
        environment = namespace.environment(home.folder, **variables)
        if job["node"]:
            environment["PATH"] = f"{Path(job['node']).parent}{os.pathsep}{environment['PATH']}"
        allowed = ["--allow-all-tools", "--allow-all-paths", "--no-auto-update", "--no-color"]
        command = [job["agent"], *allowed, f"--resume={session}", "-p", PROMPT]
        note = running.note_of(command, home.project, environment, SECONDS_EACH)
        return running.told(running.asked(home.api, "/chat/completions")[-1:], note, path.read_bytes())


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
