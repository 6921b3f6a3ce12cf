"""How Gemini CLI is asked what it sends."""

from __future__ import annotations

import json
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start

_NAME: Final = "session-2026-01-02T03-04-5a1f3c8e.jsonl"
_MODEL: Final = "gemini-2.5-pro"
_SETTINGS: Final = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}


def _furnish(stage: Stage) -> Start:
    own, project = stage.home / ".gemini", str(stage.project)
    path = own / "tmp" / "project" / "chats" / stage.options.get("name", _NAME)
    path.parent.mkdir(parents=True)
    shutil.copyfile(stage.copy, path)
    (own / "tmp" / "project" / ".project_root").write_text(project)
    (own / "projects.json").write_text(json.dumps({"projects": {project: "project"}}))
    (own / "settings.json").write_text(json.dumps(_SETTINGS))
    variables = {
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": stage.url,
        "GEMINI_CLI_NO_RELAUNCH": "1",
        "GEMINI_TELEMETRY_ENABLED": "false",
    }
    named = ("--session-file", str(path)) if stage.options.get("by_path") else ("--resume", "latest")
    return Start(("-m", _MODEL, "--skip-trust", *named, "-p", PROMPT), variables, path, "gemini")


ASK: Final = Ask(_furnish, seconds=180)
