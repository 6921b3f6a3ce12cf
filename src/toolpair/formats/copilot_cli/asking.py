"""How Copilot CLI is asked what it sends."""

from __future__ import annotations

import re
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_SESSION: Final = re.compile(rb'"sessionId":\s*"([0-9a-f-]{36})"')
_NO_ID: Final = "01a1fd11-0000-4000-8000-000000000001"


def _furnish(stage: Stage) -> Start:
    found = _SESSION.search(stage.copy.read_bytes())
    session = found[1].decode() if found else _NO_ID
    path = stage.home / ".copilot" / "session-state" / session / "events.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    times = "created_at: 2026-11-21T07:00:00.000Z\nupdated_at: 2026-11-21T07:00:00.000Z\n"
    (path.parent / "workspace.yaml").write_text(f"id: {session}\ncwd: {stage.project}\nsummary_count: 0\n{times}")
    provider = {"BASE_URL": f"{stage.url}/v1", "TYPE": "openai", "API_KEY": "dummy", "WIRE_API": "completions"}
    variables = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
    variables |= {"COPILOT_MODEL": "mock-model", "COPILOT_AUTO_UPDATE": "false", "COPILOT_OFFLINE": "true"}
    allowed = ("--no-auto-update", "--no-color")
    return Start((*allowed, f"--resume={session}", "-p", PROMPT), variables, path, "openai-chat")


ASK: Final = Ask(_furnish, newest=True)
