"""What the real Kimi CLI sends when it resumes a session file.

The agent is the command that TOOLPAIR_KIMI names: `kimi` of the package `kimi-cli`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from hashlib import md5
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import PROMPT, Resumed

SECONDS_EACH = 120
ID = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_AGENT = running.script("TOOLPAIR_KIMI")
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


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("Kimi CLI is not here (set TOOLPAIR_KIMI)", _AGENT)


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file without the system prompt, by the names that the caller gave."""
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        own, project = home.folder / ".kimi", str(home.project)
        path = own / "sessions" / md5(project.encode()).hexdigest() / ID / "context.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        known = {"path": project, "kaos": "local", "last_session_id": ID}
        (own / "kimi.json").write_text(json.dumps({"work_dirs": [known]}))
        (own / "config.toml").write_text(_CONFIG.format(url=home.api.url))
        environment = namespace.environment(home.folder, KIMI_DISABLE_TELEMETRY="1", KIMI_CLI_NO_AUTO_UPDATE="1")
        command = [job["agent"], "--print", "--final-message-only", "--session", ID, "-p", PROMPT]
        note = running.note_of(command, home.project, environment, SECONDS_EACH)
        asked = running.without_system(running.asked(home.api, "/chat/completions"))
        return running.told(asked, note, path.read_bytes())


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
