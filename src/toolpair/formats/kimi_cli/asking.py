"""How Kimi CLI is asked what it sends."""

from __future__ import annotations

import json
import shutil
from hashlib import md5
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_ID: Final = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_CONFIG: Final = """default_model = "mock"
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


def _furnish(stage: Stage) -> Start:
    own, project = stage.home / ".kimi", str(stage.project)
    path = own / "sessions" / md5(project.encode(), usedforsecurity=False).hexdigest() / _ID / "context.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    known = {"path": project, "kaos": "local", "last_session_id": _ID}
    (own / "kimi.json").write_text(json.dumps({"work_dirs": [known]}))
    (own / "config.toml").write_text(_CONFIG.format(url=stage.url))
    variables = {"KIMI_DISABLE_TELEMETRY": "1", "KIMI_CLI_NO_AUTO_UPDATE": "1"}
    arguments = ("--print", "--final-message-only", "--session", _ID, "-p", PROMPT)
    return Start(arguments, variables, path, "openai-chat")


ASK: Final = Ask(_furnish, command="kimi", seconds=120)
