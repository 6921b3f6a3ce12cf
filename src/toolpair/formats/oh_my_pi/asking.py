"""How oh-my-pi is asked what it sends."""

from __future__ import annotations

import json
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_MODEL: Final = {
    "id": "mock-model",
    "name": "m",
    "contextWindow": 200000,
    "maxTokens": 1000,
    "input": ["text", "image"],
}


def _furnish(stage: Stage) -> Start:
    own = stage.home / ".omp" / "agent"
    path = own / "sessions" / "-project" / "session.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    provider = {"baseUrl": stage.url, "api": "anthropic-messages", "apiKey": "dummy", "models": [_MODEL]}
    (own / "models.yml").write_text(json.dumps({"providers": {"mock": provider}}))
    model = ("--model", "mock/mock-model", "--no-title", "--no-extensions", "--no-skills")
    return Start(("-p", *model, "--resume", str(path), PROMPT), {"PI_OFFLINE": "1"}, path, "anthropic")


ASK: Final = Ask(_furnish)
