"""How OpenClaw is asked what it sends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

QUIET: Final = {"OPENCLAW_SKIP_UPDATE_CHECK": "1", "OPENCLAW_NO_RESPAWN": "1", "OPENCLAW_DISABLE_BONJOUR": "1"}
DATABASE: Final = ".openclaw/agents/main/agent/openclaw-agent.sqlite"


def _furnish(stage: Stage) -> Start:
    path = stage.home / DATABASE
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    settings(stage.home, stage.project, stage.url)
    arguments = ("agent", "--local", "--session-id", stage.session_id, "-m", PROMPT, "--timeout", "90")
    return Start(arguments, {"TMPDIR": str(stage.home), **QUIET}, path, "anthropic")


def settings(home: Path, project: Path, url: str) -> None:
    """Point it at the API on loopback."""
    model = {"id": "mock-model", "name": "mock-model", "input": ["text"], "contextWindow": 100000, "maxTokens": 1000}
    provider = {"baseUrl": url, "apiKey": "dummy", "api": "anthropic-messages", "models": [model]}
    defaults = {"model": {"primary": "mock/mock-model"}, "workspace": str(project), "skipBootstrap": True}
    known = {
        "gateway": {"mode": "local"},
        "update": {"checkOnStart": False},
        "models": {"mode": "replace", "providers": {"mock": provider}},
        "agents": {"defaults": defaults},
    }
    path = home / ".openclaw/openclaw.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(known))


ASK: Final = Ask(_furnish, seconds=120, newest=True)
