"""How Qwen Code is asked what it sends."""

from __future__ import annotations

import json
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_NO_ID: Final = "5e551011-0000-4000-8000-000000000001"
_SETTINGS: Final = {
    "security": {"auth": {"selectedType": "openai"}},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}


def _furnish(stage: Stage) -> Start:
    name = "".join(one if one.isalnum() and one.isascii() else "-" for one in str(stage.project))
    id_ = stage.session_id or _NO_ID
    path = stage.home / ".qwen/projects" / name / "chats" / f"{id_}.jsonl"
    stage.put(path)
    (stage.home / ".qwen/settings.json").write_text(json.dumps(_SETTINGS))
    variables = {
        "OPENAI_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{stage.url}/v1",
        "OPENAI_MODEL": "mock-model",
        "QWEN_TELEMETRY_ENABLED": "0",
    }
    return Start(("--auth-type", "openai", "--resume", id_, "-p", PROMPT), variables, path, "openai-chat")


ASK: Final = Ask(_furnish, seconds=120)
