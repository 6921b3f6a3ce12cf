"""How Continue is asked what it sends."""

from __future__ import annotations

import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_ID: Final = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_CONFIG: Final = """name: mock
version: 1.0.0
schema: v1
models:
  - {{name: mock-model, provider: openai, model: mock-model, apiKey: dummy, apiBase: "{url}/v1",
      useResponsesApi: false, roles: [chat], capabilities: [tool_use]}}
"""
_QUIET: Final = {
    "CONTINUE_TELEMETRY_ENABLED": "0",
    "CONTINUE_ALLOW_ANONYMOUS_TELEMETRY": "0",
    "CONTINUE_CLI_AUTO_UPDATED": "1",
}


def _furnish(stage: Stage) -> Start:
    own = stage.home / ".continue"
    path = own / "sessions" / f"{_ID}.json"
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    config = own / "config.yaml"
    config.write_text(_CONFIG.format(url=stage.url))
    return Start(("--config", str(config), "-p", "--resume", PROMPT), _QUIET, path, "openai-chat")


ASK: Final = Ask(_furnish, seconds=120)
