"""How Codex is asked what it sends."""

from __future__ import annotations

import re
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_NO_ID: Final = "5e551011-0000-7000-8000-000000000001"
_ID: Final = re.compile(rb'"id":\s*"([0-9a-f][0-9a-f-]{35})"')
_PACKED: Final = b"\x28\xb5\x2f\xfd"
"""How a rollout that is packed with Zstandard begins."""
_CONFIG: Final = """\
model = "gpt-5.5"
model_provider = "mock"
{limits}check_for_update_on_startup = false
model_instructions_file = "{own}/instructions.md"
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
_LIMITS: Final = 'approval_policy = "never"\nsandbox_mode = "read-only"\n'
"""What it may do: as little as can be."""


def _furnish(stage: Stage) -> Start:
    own = stage.home / ".codex"
    sessions = own / "sessions" / "2026" / "01" / "02"
    sessions.mkdir(parents=True)
    (own / "instructions.md").write_text("You are a coding agent.\n")
    limits = stage.options.get("limits", _LIMITS)
    (own / "config.toml").write_text(_CONFIG.format(own=own, url=stage.url, limits=limits))
    data = stage.copy.read_bytes()
    found = _ID.search(data.partition(b"\n")[0]) or _ID.search(data)
    name = found[1].decode() if found is not None else _NO_ID
    path = sessions / f"rollout-2026-01-02T03-04-05-{name}.jsonl"
    if data.startswith(_PACKED):
        shutil.copyfile(stage.copy, path.with_suffix(".jsonl.zst"))
    else:
        stage.put(path)  # in another folder than its own it reads less of the file
    variables = {"CODEX_HOME": str(own), "MOCK_KEY": "dummy", "RUST_LOG": "error"}
    return Start(("exec", "resume", "--skip-git-repo-check", name, PROMPT), variables, path, "openai-responses")


ASK: Final = Ask(_furnish, newest=True, tools=False)
