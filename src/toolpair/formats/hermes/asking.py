"""How Hermes Agent is asked what it sends."""

from __future__ import annotations

import json
import shutil
from typing import Final

from toolpair.formats.asking import PROMPT, Ask, Stage, Start


def _furnish(stage: Stage) -> Start:
    home = stage.home / ".hermes"
    path = home / "state.db"
    home.mkdir()
    shutil.copyfile(stage.copy, path)
    model = {"provider": "custom", "default": "gpt-4o", "base_url": f"{stage.url}/v1", "api_key": "dummy"}
    (home / "config.yaml").write_text(json.dumps({"model": model}))  # YAML, too
    resumed = ("--no-restore-cwd", "--resume", stage.session_id)
    return Start(("chat", "-Q", "-q", PROMPT, *resumed), {"HERMES_HOME": str(home)}, path, "openai-chat")


ASK: Final = Ask(_furnish, seconds=120)
