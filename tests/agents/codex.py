"""What the real Codex sends when it resumes a rollout, and what it writes to it.

The agent is the command line named by TOOLPAIR_CODEX, else the `codex` that is installed.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents import namespace, running
from tests.agents.running import PROMPT

MODEL = "gpt-5.5"
NO_ID = "5e551011-0000-7000-8000-000000000001"
PACKED = b"\x28\xb5\x2f\xfd"
"""How a rollout that is packed with Zstandard begins."""
SECONDS_EACH = 60
_NAMED = os.environ.get("TOOLPAIR_CODEX")
"""Read when the tests are loaded: each test runs without the variables of the machine."""
CONFIG = """\
model = "{model}"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_instructions_file = "{home}/instructions.md"
[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[skills]
include_instructions = false
[analytics]
enabled = false
"""


@dataclass(frozen=True, slots=True)
class Resumed:
    """`requests` are the `input` items of each resume that sent any; `note` is what it said where one did not."""

    requests: list[list[dict[str, Any]]]
    note: str
    after: bytes
    """The rollout afterwards."""

    @property
    def input(self) -> list[dict[str, Any]] | None:
        """What the first resume sent."""
        return self.requests[0] if self.requests else None


def executable() -> Path | None:
    """The agent's command line, None when there is none."""
    named = _NAMED or shutil.which("codex")
    return Path(named).resolve() if named and Path(named).is_file() else None


def why_not() -> str | None:
    """Why the agent cannot be asked here; None when it can."""
    return running.why_not("Codex is not here (put codex on the PATH, or set TOOLPAIR_CODEX to it)", executable())


def resume(files: Mapping[str, bytes], times: int = 1) -> dict[str, Resumed]:
    """What is sent for each rollout, by the names that the caller gave, when it is resumed so many times."""
    job = {"agent": str(executable()), "times": times, "files": running.as_text(files)}
    return {
        name: Resumed(found["requests"], found["note"], base64.b64decode(found["after"]))
        for name, found in running.answers(__file__, job, SECONDS_EACH * times).items()
    }


def session_id(data: bytes) -> str:
    """The id that the first line names, else the first of its form anywhere; of a packed rollout it is NO_ID."""
    first = data.partition(b"\n")[0]
    found = re.search(rb'"id":\s*"([0-9a-f-]{36})"', first) or re.search(rb'"id":\s*"([0-9a-f-]{36})"', data)
    return found.group(1).decode() if found else NO_ID


def _folder(data: bytes) -> Path | None:
    """The folder that the session names, where it is there: an agent that is resumed elsewhere reads less of the file."""
    found = re.search(rb'"cwd":\s*"([^"]+)"', data)
    folder = Path(found.group(1).decode(errors="replace")) if found else None
    return folder if folder is not None and folder.is_dir() else None


def _resume_one(job: Mapping[str, Any], _: str, data: bytes) -> dict[str, Any]:
    with running.at_home() as home:
        codex, api = home.folder / ".codex", home.api
        sessions = codex / "sessions" / "2026" / "01" / "02"
        sessions.mkdir(parents=True)
        (codex / "instructions.md").write_text("You are a coding agent.\n")
        (codex / "config.toml").write_text(CONFIG.format(model=MODEL, home=codex, url=api.url))
        name = session_id(data)
        path = sessions / f"rollout-2026-01-02T03-04-05-{name}.jsonl"
        (path.with_suffix(".jsonl.zst") if data.startswith(PACKED) else path).write_bytes(data)
        environment = namespace.environment(home.folder, CODEX_HOME=str(codex), MOCK_KEY="dummy", RUST_LOG="error")
        command = [job["agent"], "exec", "resume", "--skip-git-repo-check", name, PROMPT]
        note, requests = "", []
        for _ in range(job["times"]):
            before = len(api.requests)
            note = running.note_of(command, _folder(data) or home.project, environment, SECONDS_EACH) or note
            asked = [found.body for found in api.requests[before:] if found.path.endswith("/responses") and found.body]
            requests += [body["input"] for body in asked if PROMPT in json.dumps(body.get("input", [])[-3:])][-1:]
        after = path.read_bytes() if path.exists() else b""
        return {"requests": requests, "note": note, "after": base64.b64encode(after).decode()}


if __name__ == "__main__":
    running.answer_job(sys.argv[1], _resume_one)
