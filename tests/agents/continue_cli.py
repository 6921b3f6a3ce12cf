"""What the real Continue sends when it resumes a session file.

The agent is the command line that TOOLPAIR_CONTINUE names: the file `cn.js` of the package `@continuedev/cli`. It is run
by the node that TOOLPAIR_NODE names, else the one that is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import NODE, PROMPT, Resumed

SECONDS_EACH = 120
_AGENT = (NODE, running.script("TOOLPAIR_CONTINUE"))
_CONFIG = """name: mock
version: 1.0.0
schema: v1
models:
  - {{name: mock-model, provider: openai, model: mock-model, apiKey: dummy, apiBase: "{url}/v1",
      useResponsesApi: false, roles: [chat], capabilities: [tool_use]}}
"""


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("Continue is not here (set TOOLPAIR_CONTINUE and TOOLPAIR_NODE)", *_AGENT)


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file without the system prompt, by the names that the caller gave."""
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        own = home.folder / ".continue"
        path = own / "sessions" / "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b.json"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        (own / "config.yaml").write_text(_CONFIG.format(url=home.api.url))
        environment = namespace.environment(
            home.folder,
            CONTINUE_TELEMETRY_ENABLED="0",
            CONTINUE_ALLOW_ANONYMOUS_TELEMETRY="0",
            CONTINUE_CLI_AUTO_UPDATED="1",
        )
        command = [*job["agent"], "--config", str(own / "config.yaml"), "--auto", "-p", "--resume", PROMPT]
        note = running.note_of(command, home.project, environment, SECONDS_EACH)
        asked = running.without_system(running.asked(home.api, "/chat/completions"))
        return running.told(asked, note, path.read_bytes())


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
