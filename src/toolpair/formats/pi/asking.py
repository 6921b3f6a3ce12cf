"""How pi is asked what it sends."""

from __future__ import annotations

import json
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_MODEL: Final = {"id": "mock-model", "contextWindow": 200000, "maxTokens": 1000, "input": ["text", "image"]}
_QUIET: Final = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}


def _furnish(stage: Stage) -> Start:
    own = stage.home / ".pi" / "agent"
    path = own / "sessions" / "--home-dev-project--" / "session.jsonl"
    stage.put(path)
    provider = {"baseUrl": stage.url, "api": "anthropic-messages", "apiKey": "dummy", "models": [_MODEL]}
    (own / "models.json").write_text(json.dumps({"providers": {"mock": provider}}))
    model = ("--provider", "mock", "--model", "mock-model", "--no-extensions", "--no-skills")
    return Start(("-p", *model, "--session", str(path), PROMPT), _QUIET, path, "anthropic")


ASK: Final = Ask(_furnish, tools=False)
