"""What the real Qwen Code sends when it resumes a session file, and what it writes to it.

The agent is the script that TOOLPAIR_QWEN names: `cli.js` of its package. It is run by the node that TOOLPAIR_NODE
names, else by the one that is installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import NODE, PROMPT, Resumed
from tests.qwen_sessions import FOLDER, ID

SECONDS_EACH = 120
_AGENT = (NODE, running.script("TOOLPAIR_QWEN"))
_SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}


def why_not() -> str | None:
    """Why it cannot be asked here; None when it can."""
    return running.why_not("Qwen Code is not here (set TOOLPAIR_QWEN and TOOLPAIR_NODE)", *_AGENT)


def resume(files: Mapping[str, bytes]) -> dict[str, Resumed]:
    """What is sent for each file, by the names that the caller gave; afterwards it names its own folder again."""
    return running.resumed(__file__, files, SECONDS_EACH, agent=_AGENT)


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        name = "".join(one if one.isalnum() and one.isascii() else "-" for one in str(home.project))
        path = home.folder / ".qwen/projects" / name / "chats" / f"{ID}.jsonl"
        path.parent.mkdir(parents=True)
        here, there = (json.dumps(text).encode() for text in (FOLDER, str(home.project)))
        path.write_bytes(data.replace(here, there))
        (home.folder / ".qwen/settings.json").write_text(json.dumps(_SETTINGS))
        environment = namespace.environment(
            home.folder,
            OPENAI_API_KEY="dummy",
            OPENAI_BASE_URL=f"{home.api.url}/v1",
            OPENAI_MODEL="mock-model",
            QWEN_TELEMETRY_ENABLED="0",
        )
        command = [*job["agent"], "--auth-type", "openai", "-y", "--resume", ID, "-p", PROMPT]
        note = running.note_of(command, home.project, environment, SECONDS_EACH)
        after = path.read_bytes().replace(there, here)
        return running.told(running.asked(home.api, "/chat/completions"), note, after)


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
